"""How fast random playouts are, beside OpenSpiel, pgx and hand-written C: `python -m bench`."""
