// What becomes of a product of a matrix with many rows. Before it is included: epilogue.glsl, kEpilogue, kHasBias, kActivation, a
// push constant p as in matmul.comp, tile_rows.glsl and the buffers of biases and results.

// `second`: the product with the other matrix of kGate.
float finished(float total, float second, uint n) {
  if (kHasBias != 0u && n < p.n_out) {
    if (kExperts == 0u) {
      total += bias[n];
    } else {
      total += expert_bias[expert * p.n_out + n];
      if (kEpilogue == kGate) second += bias[expert * p.n_out + n];
    }
  }
  if (kEpilogue == kGate) return activated(kActivation, total, second);
  return kEpilogue == kCap ? softcapped(p.cap, total) : total;
}

void put_result(uint row, uint n, float total) {
  const uint to = row * p.n_out + n;
  results[to] = floatBitsToUint(kEpilogue == kAdd ? uintBitsToFloat(results[to]) + total : total);
}
