"""Playing, replaying and reading rules in a terminal."""
