// format/rotation.h, on a head that stands in shared memory. Before it is included: kHeadDim, kThreads, and HEAD(i), an
// element of the head. All threads of the group call together.

uint rotation_block() { return kHeadDim & (~kHeadDim + 1u); }

float rotation_factor(uint i) {
  uint bits = i + 1u;
  bits = (bits ^ (bits >> 16)) * 0x85EBCA6Bu;
  bits = (bits ^ (bits >> 13)) * 0xC2B2AE35u;
  const float root = sqrt(float(rotation_block()));
  return ((bits ^ (bits >> 16)) & 1u) != 0u ? -1.0 / root : 1.0 / root;
}

void multiply_signs(uint thread) {
  for (uint i = thread; i < kHeadDim; i += kThreads) HEAD(i) *= rotation_factor(i);
  barrier();
}

void transform_blocks(uint thread) {
  for (uint stride = 1u; stride < rotation_block(); stride *= 2u) {
    for (uint pair = thread; pair < kHeadDim / 2u; pair += kThreads) {
      const uint i = pair / stride * 2u * stride + pair % stride;
      const float a = HEAD(i), b = HEAD(i + stride);
      HEAD(i) = a + b;
      HEAD(i + stride) = a - b;
    }
    barrier();
  }
}

void reflect_blocks(uint thread) {
  const uint block = rotation_block(), n_blocks = kHeadDim / block;
  if (n_blocks == 1u) return;
  for (uint i = thread; i < block; i += kThreads) {
    float sum = 0.0;
    for (uint at = i; at < kHeadDim; at += block) sum += HEAD(at);
    for (uint at = i; at < kHeadDim; at += block) HEAD(at) -= 2.0 / float(n_blocks) * sum;
  }
  barrier();
}

void rotate_head(uint thread) {
  multiply_signs(thread);
  transform_blocks(thread);
  reflect_blocks(thread);
}

void unrotate_head(uint thread) {
  reflect_blocks(thread);
  transform_blocks(thread);
  multiply_signs(thread);
}
