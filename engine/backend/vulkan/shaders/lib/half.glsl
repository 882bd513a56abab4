// Activations as f16: a row is n_cols f16, divided by a power of 2 that leaves the largest between 2^exponent and twice
// that (see kHalfExponent of gpu_args.h), and behind them that power as f32. It stands where a row of f32 would. Before
// it is included: kThreads, a power of 2.
shared float row_most[kThreads];

// All threads of the group call together, each with the largest magnitude that it knows. 0 where f32 has no such power:
// the row counts as zeros then.
float scale_of_row(uint thread, float most, uint exponent) {
  row_most[thread] = most;
  barrier();
  for (uint half_n = kThreads / 2u; half_n > 0u; half_n /= 2u) {
    if (thread < half_n) row_most[thread] = max(row_most[thread], row_most[thread + half_n]);
    barrier();
  }
  const uint power = floatBitsToUint(row_most[0]) & 0x7F800000u, target = exponent << 23;
  return uintBitsToFloat(power > target ? power - target : 0u);
}

float inverse_of(float scale) { return scale == 0.0 || isinf(1.0 / scale) ? 0.0 : 1.0 / scale; }
