// What a delta net makes of the products of a row: the convolution with SiLU, the length of keys and queries, and the
// rates of each value head. Groups: (heads of queries, keys and values, and one for the rates; rows, or slots of the
// step where kKeeps is set).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Taps { float taps[]; };  // (conv_width, channels), the newest last
layout(set = 0, binding = 2) readonly buffer Decay { float decay[]; };
layout(set = 0, binding = 3) readonly buffer Products { float products[]; };  // GpuMixes of plan/gpu_rules.h
layout(set = 0, binding = 4) writeonly buffer Mixed { float mixed[]; };
layout(set = 0, binding = 5) buffer State { float state[]; };  // (slots, conv_width - 1, channels), the newest last
layout(set = 0, binding = 6) readonly buffer TimeBias { float time_bias[]; };
layout(set = 0, binding = 7) writeonly buffer Rates { float rates[]; };  // (rows, 2, value heads)

layout(constant_id = 0) const uint kKeyDim = 128;
layout(constant_id = 1) const uint kValueDim = 128;
layout(constant_id = 2) const uint kConvWidth = 4;
layout(constant_id = 3) const uint kComputes = 1;  // rows: of a slot, or one where it does not keep
layout(constant_id = 4) const uint kKeeps = 1;     // what the next step's convolution sees of each slot
const uint kThreads = 64;
const uint kBefore = kConvWidth - 1u;
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { DeltaMixPush p; };

#include "lib/runs.glsl"
shared float head[kKeyDim];
shared float sums[kThreads];

uint q_dim() { return p.n_key_heads * kKeyDim; }
uint v_dim() { return p.n_value_heads * kValueDim; }
uint n_channels() { return 2u * q_dim() + v_dim(); }

// Where a head's elements are: among the products of their kind, of which a row has `width`, and among the channels.
struct Place {
  uint products_at, width, channel, dim;
};

Place place_of(uint of_heads) {
  if (of_heads < p.n_key_heads) return Place(of_heads * kKeyDim, q_dim(), of_heads * kKeyDim, kKeyDim);
  if (of_heads < 2u * p.n_key_heads) {
    const uint first = (of_heads - p.n_key_heads) * kKeyDim;
    return Place(p.keys_at + first, q_dim(), q_dim() + first, kKeyDim);
  }
  const uint first = (of_heads - 2u * p.n_key_heads) * kValueDim;
  return Place(p.values_at + first, v_dim(), 2u * q_dim() + first, kValueDim);
}

// Element i of the row that is `back` before this one: of this step, of an earlier one, or before the first.
float seen(Place place, uint i, uint row, uint n_before, uint back) {
  if (back <= n_before) return products[place.products_at + (row - back) * place.width + i];
  if (position_of(row) < back) return 0.0;
  const uint kept = kBefore - (back - n_before);
  return state[(slot_of(row) * kBefore + kept) * n_channels() + place.channel + i];
}

void compute_head(uint thread, Place place, uint row) {
  const uint n_before = rows_before(row, kBefore), to = row * n_channels() + place.channel;
  const bool is_value = place.channel >= 2u * q_dim();
  float squares = 0.0;
  for (uint i = thread; i < place.dim; i += kThreads) {
    float sum = 0.0;
    for (uint tap = 0u; tap < kConvWidth; ++tap)
      sum += taps[tap * n_channels() + place.channel + i] * seen(place, i, row, n_before, kBefore - tap);
    const float x = silu(sum);
    if (is_value) {
      mixed[to + i] = x;
    } else {
      head[i] = x;
      squares += x * x;
    }
  }
  if (is_value) return;
  sums[thread] = squares;
  barrier();
  for (uint half_n = kThreads / 2u; half_n > 0u; half_n /= 2u) {
    if (thread < half_n) sums[thread] += sums[thread + half_n];
    barrier();
  }
  const float queries_length = place.channel < q_dim() ? sqrt(float(kKeyDim)) : 1.0;
  const float factor = 1.0 / (sqrt(sums[0] + p.epsilon) * queries_length);
  for (uint i = thread; i < place.dim; i += kThreads) mixed[to + i] = head[i] * factor;
  barrier();  // of the next row
}

// After the last of a slot's rows. What is read stands behind what is written.
void keep_head(uint thread, Place place, uint row) {
  const uint n_before = rows_before(row, kBefore), to = slot_of(row) * kBefore * n_channels() + place.channel;
  for (uint i = thread; i < place.dim; i += kThreads) {
    for (uint kept = 0u; kept < kBefore; ++kept)
      state[to + kept * n_channels() + i] = seen(place, i, row, n_before, kBefore - 1u - kept);
  }
}

// log(1 + exp(x)), with all digits where exp(x) is small.
float softplus(float x) {
  if (x > 20.0) return x;
  const float e = exp(x);
  return e < 0.001 ? e * (1.0 - e * (0.5 - e * (1.0 / 3.0))) : log(1.0 + e);
}

void compute_rates(uint thread, uint row) {
  for (uint i = thread; i < p.n_value_heads; i += kThreads) {
    const uint of_row = row * p.n_value_heads + i, to = 2u * row * p.n_value_heads + i;
    rates[to] = decay[i] * softplus(products[p.alphas_at + of_row] + time_bias[i]);
    rates[to + p.n_value_heads] = 1.0 / (1.0 + exp(-products[p.betas_at + of_row]));
  }
}

void main() {
  const uint thread = gl_LocalInvocationID.x, of_heads = gl_WorkGroupID.x;
  const bool is_head = of_heads < 2u * p.n_key_heads + p.n_value_heads;
  uint first = gl_WorkGroupID.y, end = first + 1u;
  if (kKeeps != 0u) {
    first = run_begin(gl_WorkGroupID.y);
    end = run_begin(gl_WorkGroupID.y + 1u);
    if (first == end) return;
  }
  const Place place = place_of(is_head ? of_heads : 0u);
  for (uint row = first; kComputes != 0u && row < end; ++row) {
    if (is_head) {
      compute_head(thread, place, row);
    } else {
      compute_rates(thread, row);
    }
  }
  if (kKeeps != 0u && is_head) keep_head(thread, place, end - 1u);
}
