"""Listing and solving games exactly."""
