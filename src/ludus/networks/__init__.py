"""Networks: their inputs, parameters and outputs; JAX is imported when a network is first computed."""
