// What becomes of a product of a matrix with many rows. Before it is included: epilogue.glsl, kEpilogue, kHasBias, kActivation, a
// push constant p as in matmul.comp and the buffers of its bias and results.

// `second`: the product with the other matrix of kGate.
float finished(float total, float second, uint n) {
  if (kHasBias != 0u && n < p.n_out) total += bias[n];
  if (kEpilogue == kGate) return activated(kActivation, total) * second;
  return kEpilogue == kCap ? softcapped(p.cap, total) : total;
}

void put_result(uint row, uint n, float total) {
  const uint to = row * p.n_out + n;
  results[to] = floatBitsToUint(kEpilogue == kAdd ? uintBitsToFloat(results[to]) + total : total);
}
