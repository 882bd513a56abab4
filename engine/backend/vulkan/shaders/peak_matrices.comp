// Products by instructions for whole matrices on registers alone, for the most that the device computes so: those of
// matmul_matrices.comp. Groups: any number, each kRounds * kWide * kHigh products of fragments a subgroup.
// Compiled by compile_matrices.sh, not by the build: Debian's compiler does not know the extension.
#version 450
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 4) writeonly buffer To { float to[]; };
// See MatrixShape.
layout(constant_id = 0) const uint kM = 16;  // features of a fragment
layout(constant_id = 1) const uint kN = 16;  // rows
layout(constant_id = 2) const uint kK = 16;  // columns
layout(local_size_x = 256) in;
layout(push_constant) uniform Push { float factor; uint stores; } p;
const uint kRounds = 128, kWide = 2, kHigh = 4;

void main() {
  coopmat<float16_t, gl_ScopeSubgroup, kM, kK, gl_MatrixUseA> weights[kWide];
  coopmat<float16_t, gl_ScopeSubgroup, kK, kN, gl_MatrixUseB> inputs_of[kHigh];
  coopmat<float, gl_ScopeSubgroup, kM, kN, gl_MatrixUseAccumulator> sums[kWide * kHigh];
  [[unroll]] for (uint f = 0u; f < kWide; ++f)
    weights[f] = coopmat<float16_t, gl_ScopeSubgroup, kM, kK, gl_MatrixUseA>(float16_t(f + 1u));
  [[unroll]] for (uint r = 0u; r < kHigh; ++r)
    inputs_of[r] = coopmat<float16_t, gl_ScopeSubgroup, kK, kN, gl_MatrixUseB>(float16_t(r + 1u));
  [[unroll]] for (uint i = 0u; i < kWide * kHigh; ++i)
    sums[i] = coopmat<float, gl_ScopeSubgroup, kM, kN, gl_MatrixUseAccumulator>(0.0);
  [[dont_unroll]] for (uint n = 0u; n < kRounds; ++n) {
    // By 1; but products of fragments that stay the same could be made once.
    [[unroll]] for (uint f = 0u; f < kWide; ++f) weights[f] = weights[f] * float16_t(p.factor);
    [[unroll]] for (uint i = 0u; i < kWide * kHigh; ++i)
      sums[i] = coopMatMulAdd(weights[i % kWide], inputs_of[i / kWide], sums[i]);
  }
  // Never; without it nothing would have to be computed.
  if (p.stores == 0u) return;
  [[unroll]] for (uint i = 0u; i < kWide * kHigh; ++i)
    coopMatStore(sums[i], to, i * kM * kN, kN, gl_CooperativeMatrixLayoutRowMajor);
}
