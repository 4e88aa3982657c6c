"""Certificates: closed strategies that prove a result, and the checker that needs nothing of Ludus but the game."""
