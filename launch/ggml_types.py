"""The tensor types of a GGUF: name and block layout by number.

Block layouts of 0 to 42 are those of ggml 0.26 (`ggml.c`, `type_traits`); 133 and above are
ik_llama.cpp's (`ggml.h`). Types whose rows carry a scale of their own, and the interleaved ones,
have no layout here: the size of such a tensor is read from the offsets of the file instead.
"""

from typing import NamedTuple


class GgmlType(NamedTuple):
    """A type: its name, the weights and the bytes of one block (0: not stated here)."""

    name: str
    block: int = 0
    block_bytes: int = 0


_SUPER = 256

TYPES: dict[int, GgmlType] = {
    0: GgmlType("F32", 1, 4),
    1: GgmlType("F16", 1, 2),
    2: GgmlType("Q4_0", 32, 18),
    3: GgmlType("Q4_1", 32, 20),
    6: GgmlType("Q5_0", 32, 22),
    7: GgmlType("Q5_1", 32, 24),
    8: GgmlType("Q8_0", 32, 34),
    9: GgmlType("Q8_1", 32, 36),
    10: GgmlType("Q2_K", _SUPER, 84),
    11: GgmlType("Q3_K", _SUPER, 110),
    12: GgmlType("Q4_K", _SUPER, 144),
    13: GgmlType("Q5_K", _SUPER, 176),
    14: GgmlType("Q6_K", _SUPER, 210),
    15: GgmlType("Q8_K", _SUPER, 292),
    16: GgmlType("IQ2_XXS", _SUPER, 66),
    17: GgmlType("IQ2_XS", _SUPER, 74),
    18: GgmlType("IQ3_XXS", _SUPER, 98),
    19: GgmlType("IQ1_S", _SUPER, 50),
    20: GgmlType("IQ4_NL", 32, 18),
    21: GgmlType("IQ3_S", _SUPER, 110),
    22: GgmlType("IQ2_S", _SUPER, 82),
    23: GgmlType("IQ4_XS", _SUPER, 136),
    24: GgmlType("I8", 1, 1),
    25: GgmlType("I16", 1, 2),
    26: GgmlType("I32", 1, 4),
    27: GgmlType("I64", 1, 8),
    28: GgmlType("F64", 1, 8),
    29: GgmlType("IQ1_M", _SUPER, 56),
    30: GgmlType("BF16", 1, 2),
    34: GgmlType("TQ1_0", _SUPER, 54),
    35: GgmlType("TQ2_0", _SUPER, 66),
    39: GgmlType("MXFP4", 32, 17),
    40: GgmlType("NVFP4", 64, 36),
    41: GgmlType("Q1_0", 128, 18),
    42: GgmlType("Q2_0", 64, 18),
    133: GgmlType("Q6_0", 32, 26),
    137: GgmlType("IQ2_K", _SUPER, 76),
    138: GgmlType("IQ3_K", _SUPER, 110),
    139: GgmlType("IQ4_K", _SUPER, 144),
    140: GgmlType("IQ5_K", _SUPER, 176),
    141: GgmlType("IQ6_K", _SUPER, 212),
    144: GgmlType("IQ4_KS"),
    145: GgmlType("IQ2_KS"),
    146: GgmlType("IQ4_KSS"),
    152: GgmlType("IQ5_KS"),
    153: GgmlType("IQ2_KT"),
    154: GgmlType("IQ3_KT"),
    155: GgmlType("IQ4_KT"),
    156: GgmlType("IQ3_KS"),
    157: GgmlType("IQ2_KL"),
    158: GgmlType("IQ1_KT"),
}


def type_of(number: int) -> GgmlType:
    """Find a type by number; one not listed is named after its number and has no layout."""
    return TYPES.get(number, GgmlType(f"type-{number}"))
