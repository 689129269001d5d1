"""The decode-speed model: fitted on the database, evaluated on machines left out, asked alone."""
