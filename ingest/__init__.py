"""Text and files in, checked bundles and a DuckDB database out."""
