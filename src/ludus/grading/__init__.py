"""Agents measured against the truth about a game."""
