"""The colours of figures, on paper and in the dark; told apart by the colour-blind too (Okabe and Ito)."""

from __future__ import annotations

LIGHT = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#b8860b", "#3b9fd6", "#7a4a1e", "#5b5bd6", "#6b8e23")
DARK = ("#56a8e0", "#f2884b", "#3cc79c", "#d98bc4", "#e0b040", "#8fd0f5", "#c39a6b", "#a5a5f5", "#b2cf6a")


def colour(number: int) -> int:
    """The place in both palettes of the n-th series of a figure."""
    return number % len(LIGHT)
