"""Grades of agents against the exact solution of a game."""
