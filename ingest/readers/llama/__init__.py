"""Texts of llama.cpp and its forks: benches, sweeps, server logs, answers of the command line."""
