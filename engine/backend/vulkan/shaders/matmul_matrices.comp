// Products of a matrix with many rows by instructions for whole matrices (VK_KHR_cooperative_matrix), in tiles of
// kTileFeatures and 64 rows, and what is done with them. Groups: (panels / panels of a tile, as matmul.comp).
// Compiled by compile_matrices.sh, not by the build: Debian's compiler does not know the extension.
#version 450
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Matrix { uvec4 matrix[]; };
layout(set = 0, binding = 2) readonly buffer Second { uvec4 second[]; };
layout(set = 0, binding = 4) buffer Out { uint results[]; };
layout(set = 0, binding = 5) readonly buffer Bias { float bias[]; };  // of experts: of the second matrix
layout(set = 0, binding = 6) readonly buffer Tiles { uint tiles[]; };  // of experts: see group_experts.comp
layout(set = 0, binding = 7) readonly buffer ExpertBias { float expert_bias[]; };  // (experts, n_out)
#define UNIT(which, index) (which == 0u ? matrix[index] : second[index])
layout(constant_id = 0) const uint kType = 0;
layout(constant_id = 1) const uint kSecondType = 0;
#include "lib/panels.glsl"
#include "lib/epilogue.glsl"

layout(constant_id = 2) const uint kEpilogue = kStore;
layout(constant_id = 3) const uint kHasBias = 0;
layout(constant_id = 4) const uint kActivation = 0;
layout(constant_id = 5) const uint kIsOfLogits = 0;  // as many rows as ask for logits
// See MatrixShape.
layout(constant_id = 6) const uint kTileFeatures = 64;
layout(constant_id = 7) const uint kM = 16;  // features of a fragment
layout(constant_id = 8) const uint kN = 16;  // rows
layout(constant_id = 9) const uint kK = 16;  // columns
layout(constant_id = 10) const uint kSubgroups = 8;
layout(constant_id = 11) const uint kBeside = 2;  // subgroups that share out the features; the others have other rows
layout(constant_id = 12) const uint kExperts = 0;
const uint kThreads = 256, kTileRows = 64;
layout(local_size_x = 256) in;
layout(push_constant) uniform Push { MatmulPush p; };
#include "lib/tile_rows.glsl"
#include "lib/half_tile.glsl"
#include "lib/finish.glsl"

const uint kWide = kTileFeatures / kM / kBeside;                // fragments of a subgroup, by features
const uint kHigh = kTileRows / kN / (kSubgroups / kBeside);     // and by rows
const uint kSlab = 16;                                          // rows whose results are in shared memory at once
shared float slab[kSlab * kTileFeatures];                       // (rows, features)

void main() {
  const uint thread = gl_LocalInvocationID.x;
  open_code_tables(thread, kThreads);
  if (!open_tile(thread)) return;
  const uint feature = gl_SubgroupID % kBeside * kWide * kM, row = gl_SubgroupID / kBeside * kHigh * kN;  // of the tile
  coopmat<float, gl_ScopeSubgroup, kM, kN, gl_MatrixUseAccumulator> sums[kWide * kHigh];
  [[unroll]] for (uint i = 0u; i < kWide * kHigh; ++i)
    sums[i] = coopmat<float, gl_ScopeSubgroup, kM, kN, gl_MatrixUseAccumulator>(0.0);
  for (uint group = 0u; group < p.n_groups; ++group) {
    load_group(thread, group);
    barrier();
    [[unroll]] for (uint k = 0u; k < kGroup / kK; ++k) {
      coopmat<float16_t, gl_ScopeSubgroup, kM, kK, gl_MatrixUseA> weights[kWide];
      [[unroll]] for (uint f = 0u; f < kWide; ++f)
        coopMatLoad(weights[f], tile_weights, (feature + f * kM) * kTileStride + k * kK / 8u, kTileStride,
                    gl_CooperativeMatrixLayoutRowMajor);
      [[unroll]] for (uint r = 0u; r < kHigh; ++r) {
        if (row + r * kN >= n_rows) continue;
        coopmat<float16_t, gl_ScopeSubgroup, kK, kN, gl_MatrixUseB> inputs_of;
        coopMatLoad(inputs_of, tile_inputs, (row + r * kN) * kTileStride + k * kK / 8u, kTileStride,
                    gl_CooperativeMatrixLayoutColumnMajor);
        [[unroll]] for (uint f = 0u; f < kWide; ++f)
          sums[r * kWide + f] = coopMatMulAdd(weights[f], inputs_of, sums[r * kWide + f]);
      }
    }
    barrier();
  }
  [[unroll]] for (uint base = 0u; base < kTileRows; base += kSlab) {
    [[unroll]] for (uint r = 0u; r < kHigh; ++r) {
      const uint of_tile = row + r * kN;
      if (of_tile < base || of_tile >= base + kSlab) continue;
      [[unroll]] for (uint f = 0u; f < kWide; ++f)
        coopMatStore(sums[r * kWide + f], slab, (of_tile - base) * kTileFeatures + feature + f * kM, kTileFeatures,
                     gl_CooperativeMatrixLayoutColumnMajor);
    }
    barrier();
    for (uint i = thread; i < kSlab * kMatrixFeatures; i += kThreads) {
      const uint of_slab = i / kMatrixFeatures, in_tile = i % kMatrixFeatures;
      const uint n = matrix_row(in_tile), at = of_slab * kTileFeatures + in_tile;
      if (base + of_slab >= n_rows || n >= end_row()) continue;
      const float scale = row_scale(row_to_read(base + of_slab));
      put_result(row_to_write(base + of_slab), n, finished(scale * slab[at], scale * slab[at + kTileFeatures - kMatrixFeatures], n));
    }
    barrier();
  }
}
