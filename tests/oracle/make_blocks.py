"""Writes tests/golden/blocks/NAME.bin: blocks of every weight type with what the gguf package decodes them to.

Layout: u32 n_blocks, u32 block_bytes, u32 block_elems, then all blocks as bytes, then all elements as float32 (little-endian).
Half of the blocks are random bytes with sane scales (every code and packed scale occurs), a few are all zero and all ones bits.
"""

import pathlib
import struct

import gguf
import numpy as np

N_BLOCKS = 48
# In the order of their seeds: new ones come last, so that the others stay as they are.
SEEDED = [
    "F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_K", "Q5_K", "Q6_K",
    "Q4_1", "Q5_0", "Q5_1", "Q2_K", "Q3_K", "IQ4_NL", "IQ4_XS", "MXFP4",
    "IQ3_XXS", "IQ3_S", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ1_S", "IQ1_M",
]
OUT = pathlib.Path(__file__).parent.parent / "golden" / "blocks"
# Byte positions of the f16 scales in a block.
F16_AT = {
    "Q8_0": [0], "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2],
    "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0], "MXFP4": [],
    "IQ3_XXS": [0], "IQ3_S": [0], "IQ2_XXS": [0], "IQ2_XS": [0], "IQ2_S": [0], "IQ1_S": [0], "IQ1_M": [],
}


def random_blocks(name: str, block_bytes: int, rng: np.random.Generator) -> np.ndarray:
    blocks = rng.integers(0, 256, (N_BLOCKS, block_bytes), dtype=np.uint8)
    blocks[0] = 0
    blocks[1] = 255
    if name in ("F16", "BF16", "F32"):
        values = rng.standard_normal(N_BLOCKS).astype(np.float32)
        return gguf.quants.quantize(values.reshape(-1, 1), gguf.GGMLQuantizationType[name]).view(np.uint8).reshape(N_BLOCKS, -1)
    for at in F16_AT[name]:
        scales = (rng.standard_normal(N_BLOCKS) * 0.05).astype(np.float16)
        scales[2] = np.float16(6e-8)  # subnormal
        scales[3] = np.float16(65504)
        blocks[:, at : at + 2] = scales.view(np.uint8).reshape(N_BLOCKS, 2)
    if name == "MXFP4":  # its exponents; 255 would be no number
        blocks[:, 0] = rng.integers(112, 136, N_BLOCKS)
        blocks[1:6, 0] = [251, 0, 1, 2, 250]
    if name == "IQ1_M":  # four bits of an f16 scale in the highest byte of each of four words
        scales = (rng.standard_normal(N_BLOCKS) * 0.05).astype(np.float16).view(np.uint16)
        for i in range(4):
            blocks[:, 49 + 2 * i] = blocks[:, 49 + 2 * i] & 15 | (scales >> 4 * i & 15).astype(np.uint8) << 4
    return blocks


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    for seed, name in enumerate(SEEDED):
        kind = gguf.GGMLQuantizationType[name]
        block_elems, block_bytes = gguf.GGML_QUANT_SIZES[kind]
        blocks = random_blocks(name, block_bytes, np.random.default_rng(100 + seed))
        elems = gguf.quants.dequantize(blocks, kind).astype(np.float32)
        assert elems.size == N_BLOCKS * block_elems and np.isfinite(elems).all()
        with open(OUT / f"{name}.bin", "wb") as file:
            file.write(struct.pack("<III", N_BLOCKS, block_bytes, block_elems))
            file.write(blocks.tobytes())
            file.write(elems.astype("<f4").tobytes())
        print(f"{name}: {N_BLOCKS} blocks")


if __name__ == "__main__":
    main()
