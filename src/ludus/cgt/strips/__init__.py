"""What Toads and Frogs asks of canonical forms: tables of its starts, and zero or star on big boards."""

from __future__ import annotations
