"""Exploring and solving games exactly."""
