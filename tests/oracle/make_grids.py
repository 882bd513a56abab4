"""Writes engine/format/grids/NAME.inl: the points of the grids of IQ3, IQ2 and IQ1, as the gguf package has them.

A point is 16 bits: the codes of its elements, which are places among the grid's values. Of four elements a code has four bits, of
eight two. Elements 0, 2, ... stand in the low byte from its lowest bits on, elements 1, 3, ... likewise in the high byte, so
that one mask takes the same two elements out of both points of a word. Two points are a word, the first in its low half.
The files are lists of numbers that C++ and GLSL both read.
"""

import pathlib

import gguf

OUT = pathlib.Path(__file__).parent.parent.parent / "engine" / "format" / "grids"
TYPES = [gguf.quants.IQ3_XXS, gguf.quants.IQ3_S, gguf.quants.IQ2_XXS, gguf.quants.IQ2_XS, gguf.quants.IQ2_S, gguf.quants.IQ1_S]


def point(codes: list[int]) -> int:
    bits = 8 * 2 // len(codes)
    return sum(code << (i % 2 * 8 + i // 2 * bits) for i, code in enumerate(codes))


def main() -> None:
    OUT.mkdir(exist_ok=True)
    for kind in TYPES:
        kind.init_grid()
        values = list(kind.grid_map)
        points = [point([values.index(int(x)) for x in row]) for row in kind.grid.reshape(kind.grid_shape)]
        words = [f"0x{low | high << 16:08X}u," for low, high in zip(points[::2], points[1::2])]
        words[-1] = words[-1].rstrip(",")
        lines = [" ".join(words[i : i + 9]) for i in range(0, len(words), 9)]
        name = kind.__name__.lower()
        (OUT / f"{name}.inl").write_text("// Written by tests/oracle/make_grids.py.\n" + "\n    ".join(lines) + "\n")
        print(f"{name}: {len(points)} points")


if __name__ == "__main__":
    main()
