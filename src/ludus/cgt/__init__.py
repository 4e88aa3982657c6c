"""The combinatorial worth of positions in games where who cannot move loses: canonical forms."""
