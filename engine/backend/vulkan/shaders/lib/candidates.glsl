// What the kernels that look for candidates share: queries of the inputs (see plan/gpu_rules.h), and logits in an order
// that whole numbers have. Logits are read as words, since drivers may lose what NaN and infinities mean.
layout(set = 0, binding = 3) readonly buffer Logits { uint logits[]; };
layout(set = 0, binding = 4) writeonly buffer Answers { uint answers[]; };
layout(set = 0, binding = 5) buffer Maxima { uint maxima[]; };  // of each query, of blocks of kRowBlock tokens, in that order

const uint kRowBlock = 64, kRowSumBlock = 1024, kMostCandidates = 512;  // plan/device_rules.h
const uint kThreads = 128;
layout(local_size_x = 128) in;
layout(push_constant) uniform Push { CandidatesPush p; };

const uint kLargestBits = 0x7F7FFFFFu;

// The larger, the likelier; finite_logit() comes first, and -0 is 0. Nothing is 0 but what is no token.
uint order_of(uint bits) {
  const uint magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return ~(kLargestBits | 0x80000000u);
  const uint finite = min(magnitude, kLargestBits);
  return (bits >> 31) != 0u && finite != 0u ? ~(finite | 0x80000000u) : finite | 0x80000000u;
}

uint bits_of(uint order) { return (order & 0x80000000u) != 0u ? order & 0x7FFFFFFFu : ~order; }

uint query_row(uint query) { return inputs[p.queries_at + query * kRowWords]; }
uint n_best_of(uint query) { return inputs[p.queries_at + query * kRowWords + 1u]; }  // 0: there is no such query
uint n_ids_of(uint query) { return inputs[p.queries_at + query * kRowWords + 2u]; }
uint n_blocks() { return (p.n_vocab + kRowBlock - 1u) / kRowBlock; }
