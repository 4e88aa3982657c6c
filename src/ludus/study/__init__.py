"""Studies: many trainings, tournaments and measures as one experiment."""
