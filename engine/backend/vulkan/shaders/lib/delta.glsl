// What the rows of a chunk of a delta net make of each other, for each chunk and value head: delta_pairs.comp writes it,
// delta_rule.comp says what it is for. kGpuDeltaPairWords of plan/gpu_rules.h.
const uint kDeltaChunk = 8;
const uint kCorrectAt = 0u;                                       // M: (kDeltaChunk, kDeltaChunk)
const uint kReadAt = kCorrectAt + kDeltaChunk * kDeltaChunk;      // N: likewise
const uint kFromStartAt = kReadAt + kDeltaChunk * kDeltaChunk;    // (kDeltaChunk): exp(G_t)
const uint kToEndAt = kFromStartAt + kDeltaChunk;                 // (kDeltaChunk): exp(G_last - G_t)
const uint kPairWords = kToEndAt + kDeltaChunk;
