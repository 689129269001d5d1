"""The site: database and model → pages, charts, data files; then mkdocs builds them."""
