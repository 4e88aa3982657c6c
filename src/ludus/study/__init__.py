"""Studies: many trainings, tournaments and evaluations as one experiment."""
