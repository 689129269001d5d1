"""Print what a GGUF holds (bytes by role, layer and type) and the catalogue entry it would add."""

import argparse
import json
import sys
from pathlib import Path

EXAMPLES = """examples:
  rigbook gguf ~/models/model-00001-of-00003.gguf
  rigbook gguf https://huggingface.co/OWNER/REPO/resolve/main/model.gguf --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook gguf`."""
    parser.add_argument("file", metavar="FILE|URL", help="a GGUF; one part of a split finds all")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Read the header and print it; 1 if the file is broken."""
    from ingest.catalog import load_catalog  # noqa: PLC0415 - only when the verb runs
    from ingest.shipped import shipped  # noqa: PLC0415
    from launch.entry import model_entry, to_toml  # noqa: PLC0415
    from launch.gguf import GgufError  # noqa: PLC0415
    from launch.shards import read_weights  # noqa: PLC0415
    from launch.source import Sources  # noqa: PLC0415
    from launch.tensors import as_document, lines, table_of  # noqa: PLC0415

    try:
        with Sources() as sources:
            weights = read_weights(args.file, sources.open)
        table = table_of(weights)
    except GgufError as error:
        sys.stderr.write(f"{error}\n1 error\n")
        return 1
    catalog, _ = load_catalog(Path(shipped("catalog")))
    entry = model_entry(weights, table, catalog)
    if args.json:
        print(json.dumps(as_document(weights, table, entry), indent=1))
    else:
        print("\n".join(lines(weights, table)))
        print("\n# data/catalog/models/" + str(entry["id"]) + ".toml\n" + to_toml(entry), end="")
    return 0
