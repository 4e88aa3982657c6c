"""Solutions of hundreds of millions of positions: compact, on disk, tier by tier."""
