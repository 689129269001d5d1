"""On the rig: probe the hardware, measure the memory, bench a running server → a bundle."""
