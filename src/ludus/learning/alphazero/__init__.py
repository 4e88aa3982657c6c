"""Self-play that gets close to perfect: a network with a policy and a value, taught by what searches make of it."""
