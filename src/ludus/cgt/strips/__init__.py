"""Toads and Frogs: canonical forms of its starts, and outcomes of big boards."""
