// Activations as int8: a group of 32 elements is 12 words, eight of four codes, then as f32 its scale, and scale times the
// sum of the first 16 codes, of the last 16, and of all. Before it is included: kThreads, a power of 2 of at least 8.
const uint kGroupWords = 12;

shared float quad_most[kThreads];
shared float quad_sums[kThreads];

uint packed_codes(vec4 codes) {
  const uvec4 bytes = uvec4(ivec4(codes)) & 255u;
  return bytes.x | bytes.y << 8 | bytes.z << 16 | bytes.w << 24;
}

// All threads of the group call together. Eight neighbours have a group of elements, four each; returns the thread's
// packed codes, and in the group's first thread its header.
uint encode_quad(uint thread, vec4 elems, out vec4 header) {
  const vec4 size = abs(elems);
  barrier();  // the numbers before these have been read
  quad_most[thread] = max(max(size.x, size.y), max(size.z, size.w));
  barrier();
  const uint first = thread & ~7u;
  float most = quad_most[first];
  [[unroll]] for (uint i = 1u; i < 8u; ++i) most = max(most, quad_most[first + i]);
  const float scale = most / 127.0, inverse = scale == 0.0 || isinf(1.0 / scale) ? 0.0 : 1.0 / scale;
  const vec4 codes = clamp(roundEven(elems * inverse), -127.0, 127.0);
  quad_sums[thread] = codes.x + codes.y + codes.z + codes.w;
  barrier();
  header = vec4(0.0);
  if (thread == first) {
    float low = 0.0, high = 0.0;
    [[unroll]] for (uint i = 0u; i < 4u; ++i) {
      low += quad_sums[first + i];
      high += quad_sums[first + i + 4u];
    }
    header = scale * vec4(1.0, low, high, low + high);
  }
  return packed_codes(codes);
}

// Writes what encode_quad() returned to the group that begins at word `at` of a buffer.
#define PUT_QUAD(buffer_words, at, word, codes, header)                                                         \
  buffer_words[(at) + word] = codes;                                                                            \
  if (word == 0u) {                                                                                             \
    [[unroll]] for (uint of_header = 0u; of_header < 4u; ++of_header)                                           \
      buffer_words[(at) + 8u + of_header] = floatBitsToUint(header[of_header]);                                 \
  }
