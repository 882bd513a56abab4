"""Writes the metadata keys that the gguf package knows below an architecture's prefix, one a line.

    tests/golden/gguf_keys.txt    "attention.head_count" of "{arch}.attention.head_count"
"""

import pathlib

import gguf

PREFIX = "{arch}."


def keys(group):
    for value in vars(group).values():
        if isinstance(value, type):
            yield from keys(value)
        elif isinstance(value, str) and value.startswith(PREFIX):
            name = value.removeprefix(PREFIX)
            # The dense layers behind an embedding model are called so by the package's writer.
            yield from (name.replace("{dense}", dense) for dense in ("dense_2", "dense_3"))


def main() -> None:
    path = pathlib.Path(__file__).parent.parent / "golden" / "gguf_keys.txt"
    path.write_text("".join(f"{key}\n" for key in sorted(set(keys(gguf.constants.Keys)))))


if __name__ == "__main__":
    main()
