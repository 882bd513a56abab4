// Every kernel, in the order in which they use each other. Included by one unit per instruction set, inside its
// namespace.

#include "backend/cpu/kernels/math.inl"
//
#include "backend/cpu/kernels/quantize.inl"
//
#include "backend/cpu/kernels/logits.inl"
//
#include "backend/cpu/kernels/packed_blocks.inl"
//
#include "backend/cpu/kernels/packed_supers.inl"
//
#include "backend/cpu/kernels/packed_grids.inl"
//
#include "backend/cpu/kernels/dot_int.inl"
//
#include "backend/cpu/kernels/dot_float.inl"
//
#include "backend/cpu/kernels/words.inl"
//
#include "backend/cpu/kernels/outliers.inl"
//
#include "backend/cpu/kernels/dot_slab.inl"
//
#include "backend/cpu/kernels/unpack.inl"
//
#include "backend/cpu/kernels/values.inl"
//
#include "backend/cpu/kernels/attend_words.inl"
//
#include "backend/cpu/kernels/attend_tile.inl"
//
#include "backend/cpu/kernels/encode.inl"
//
#include "backend/cpu/kernels/rotate.inl"
//
#include "backend/cpu/kernels/convolve.inl"
//
#include "backend/cpu/kernels/delta_net.inl"
//
#include "backend/cpu/kernels/table.inl"
