// Rows of a cache in shared memory, as they are. Before it is included: kHeadDim, kThreads, kAreaWords and
// VEC(which, index), 16 bytes of buffer `which`.

shared uint area[kAreaWords];

// Every 32 words are followed by four that nobody uses, so that rows of a power of two of bytes do not all begin in the
// same bank of shared memory.
uint place(uint word) { return word + (word >> 5) * 4u; }

#define WORD(which, index) area[place(index)]
#include "decode.glsl"

// Neighbouring threads load neighbouring 16 bytes. The first byte comes to stand at this byte of the tile: byte % 16.
void load_tile(uint thread, uint which, uint byte, uint n_bytes) {
  const uint first = byte >> 4, n = ((byte & 15u) + n_bytes + 15u) >> 4;
  for (uint i = thread; i < n; i += kThreads) {
    const uvec4 words = VEC(which, first + i);
    const uint at = place(4u * i);
    area[at] = words.x;
    area[at + 1u] = words.y;
    area[at + 2u] = words.z;
    area[at + 3u] = words.w;
  }
}

// elems4() of a row of kHeadDim, with as few words read as there are.
vec4 tile_elems4(uint dtype, uint row, uint col, float shift) {
  vec4 elems;
  if (dtype == kF16) {
    const uint low = WORD(0u, (row >> 2) + col / 2u), high = WORD(0u, (row >> 2) + col / 2u + 1u);
    elems = vec4(f16_to_f32(low), f16_to_f32(low >> 16), f16_to_f32(high), f16_to_f32(high >> 16));
  } else if (dtype == kFp8) {
    const uint bytes = u32_at(0u, row + col);
    elems = vec4(e4m3_to_f32(bytes), e4m3_to_f32(bytes >> 8), e4m3_to_f32(bytes >> 16), e4m3_to_f32(bytes >> 24));
    elems *= f16_to_f32(u16_at(0u, row + kHeadDim));
  } else {
    return elems4(0u, dtype, row, col, kHeadDim, shift);
  }
  // Heads have an even number of elements.
  return col + 4u > kHeadDim ? vec4(elems.xy, 0.0, 0.0) : elems;
}
