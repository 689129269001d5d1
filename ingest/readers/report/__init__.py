"""The club-3090 rig report, all eras and paste forms: `ingest.readers.report.whole.read_report`."""
