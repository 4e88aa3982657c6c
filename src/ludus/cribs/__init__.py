"""Crib sheets (docs/cribs.md): the positions that a person must know by heart to hold a result in one seat."""
