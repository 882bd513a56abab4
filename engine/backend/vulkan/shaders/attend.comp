// softmax(cap(q . k * scale)) v over the cache of a slot, causal, within the window; keys in chunks, with the running
// maximum and sum of an online softmax (arXiv 1805.02867). Groups: (query heads, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Keys { uint keys[]; };
layout(set = 0, binding = 2) readonly buffer Values { uint values[]; };
layout(set = 0, binding = 3) readonly buffer Query { float query[]; };
layout(set = 0, binding = 4) writeonly buffer Attended { float attended[]; };
layout(set = 0, binding = 5) readonly buffer ExactKeys { uint exact_keys[]; };
layout(set = 0, binding = 6) readonly buffer ExactValues { uint exact_values[]; };
#define WORD(which, index) \
  (which == 0u ? keys[index] : which == 1u ? values[index] : which == 2u ? exact_keys[index] : exact_values[index])
#include "lib/decode.glsl"
#include "lib/cache.glsl"

layout(constant_id = 0) const uint kHeadDim = 64;
layout(constant_id = 1) const uint kKeyType = 1;
layout(constant_id = 2) const uint kValueType = 1;
layout(constant_id = 3) const uint kHasExactKeys = 0;
layout(constant_id = 4) const uint kHasExactValues = 0;
layout(constant_id = 5) const uint kIsRotated = 0;  // the values are
layout(constant_id = 6) const uint kHasShifts = 0;  // the values have
const uint kThreads = 128;  // also the keys of a chunk
layout(local_size_x = 128) in;
layout(push_constant) uniform Push {
  uint first_row;  // of those in this submission
  uint n_heads, n_kv_heads;
  uint rows_at, exact_from_at;  // of the inputs; the latter is that of the layer
  uint window;                  // 0: all positions
  float scale, cap;
  CacheRows key_rows, value_rows;
} p;

shared float head[kHeadDim];  // the query, in the end the result
shared float result[kHeadDim];
shared float scores[kThreads];
shared float reduced[kThreads];
#define HEAD(i) result[i]
#include "lib/rotate.glsl"

float score_of(uint slot, uint kv_head, uint key, uint exact_from) {
  float score = 0.0;
  const bool is_exact = kHasExactKeys != 0u && (key < p.key_rows.n_sinks || (p.key_rows.n_ring != 0u && key >= exact_from));
  if (is_exact) {
    const uint at = exact_row(p.key_rows, slot, p.n_kv_heads, kv_head, key, kHeadDim);
    for (uint i = 0u; i < kHeadDim; i += 4u) {
      const vec4 elems = elems4(2u, kF16, at, i, kHeadDim, 0.0);
      [[unroll]] for (uint k = 0u; k < 4u; ++k) score += i + k < kHeadDim ? elems[k] * head[i + k] : 0.0;
    }
  } else {
    const uint at = cache_row(p.key_rows, slot, p.n_kv_heads, kv_head, key);
    for (uint i = 0u; i < kHeadDim; i += 4u) {
      const vec4 elems = elems4(0u, kKeyType, at, i, kHeadDim, 0.0);
      [[unroll]] for (uint k = 0u; k < 4u; ++k) score += i + k < kHeadDim ? elems[k] * head[i + k] : 0.0;
    }
  }
  return softcapped(p.cap, score * p.scale);
}

float value_of(uint slot, uint kv_head, uint key, uint exact_from, uint i) {
  const bool is_exact = kHasExactValues != 0u && (key < p.value_rows.n_sinks || (p.value_rows.n_ring != 0u && key >= exact_from));
  if (is_exact) return elem(3u, kF16, exact_row(p.value_rows, slot, p.n_kv_heads, kv_head, key, kHeadDim), i, kHeadDim, 0.0);
  return elem(1u, kValueType, cache_row(p.value_rows, slot, p.n_kv_heads, kv_head, key), i, kHeadDim,
              kHasShifts != 0u ? value_shift(key) : 0.0);
}

void main() {
  const uint thread = gl_LocalInvocationID.x, of_head = gl_WorkGroupID.x, row = p.first_row + gl_WorkGroupID.y;
  const uint kv_head = of_head / (p.n_heads / p.n_kv_heads), first = (row * p.n_heads + of_head) * kHeadDim;
  const uint slot = inputs[p.rows_at + row * kRowWords + 1u], position = inputs[p.rows_at + row * kRowWords + 2u];
  const uint exact_from = inputs[p.exact_from_at + slot], end = position + 1u;
  for (uint i = thread; i < kHeadDim; i += kThreads) {
    head[i] = query[first + i];
    result[i] = 0.0;
  }
  float most = -3.0e38, total = 0.0;
  barrier();
  for (uint chunk = p.window != 0u && end > p.window ? end - p.window : 0u; chunk < end; chunk += kThreads) {
    const uint key = chunk + thread, n_keys = min(kThreads, end - chunk);
    const float score = key < end ? score_of(slot, kv_head, key, exact_from) : -3.0e38;
    scores[thread] = score;
    reduced[thread] = score;
    barrier();
    for (uint half_n = kThreads / 2u; half_n > 0u; half_n /= 2u) {
      if (thread < half_n) reduced[thread] = max(reduced[thread], reduced[thread + half_n]);
      barrier();
    }
    const float more = max(most, reduced[0]), kept = exp(most - more);
    barrier();  // everyone has read the maximum
    const float weight = key < end ? exp(score - more) : 0.0;
    scores[thread] = weight;
    reduced[thread] = weight;
    barrier();
    for (uint half_n = kThreads / 2u; half_n > 0u; half_n /= 2u) {
      if (thread < half_n) reduced[thread] += reduced[thread + half_n];
      barrier();
    }
    total = total * kept + reduced[0];
    most = more;
    for (uint i = thread; i < kHeadDim; i += kThreads) {
      float sum = result[i] * kept;
      for (uint k = 0u; k < n_keys; ++k) sum += scores[k] * value_of(slot, kv_head, chunk + k, exact_from, i);
      result[i] = sum;
    }
    barrier();  // the scores of this chunk have been read
  }
  for (uint i = thread; i < kHeadDim; i += kThreads) result[i] /= total;
  barrier();
  if (kIsRotated != 0u) unrotate_head(thread);
  for (uint i = thread; i < kHeadDim; i += kThreads) attended[first + i] = result[i];
}
