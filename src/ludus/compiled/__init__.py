"""How rules become machine code: compilation, bit operations, action masks, packed positions, random numbers."""
