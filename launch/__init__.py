"""Which expert bundle goes on which card, and whether the rest fits the host."""
