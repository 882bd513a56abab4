// The first n lanes of a register, by way of the stack: for instruction sets without masks. Included by their vec.h,
// inside its namespace.

inline F load_f_n(const float* from, int n) {
  float lanes[16] = {};
  __builtin_memcpy(lanes, from, static_cast<unsigned>(n) * sizeof(float));
  return load_f(lanes);
}
inline void store_f_n(float* to, F value, int n) {
  float lanes[16];
  store_f(lanes, value);
  __builtin_memcpy(to, lanes, static_cast<unsigned>(n) * sizeof(float));
}
