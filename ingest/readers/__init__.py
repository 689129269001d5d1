"""Texts that people paste → bundles with evidence lines: see `ingest.readers.reader.read`."""
