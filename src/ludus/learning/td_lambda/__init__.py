"""TD(lambda): a small network learns what positions are worth, ply by ply, by eligibility traces."""
