// What each GPU kernel is given beside its buffers. C++, CUDA and GLSL include this one text (C++ and CUDA through
// gpu_args.h), so that host and kernels agree by name and the order of members is written once. It holds nothing but
// structs of uint and float, and it declares members one behind another without initializers: that is all that the
// three languages have in common.
//
// XConstants is known when a plan is bound. Vulkan compiles it into the kernel: member i is constant_id i (a test holds
// the names of the shaders against these), CUDA's kernels read it. XPush is of one dispatch.

// Where the rows of a cache stand, keys or values.
struct CacheRows {
  uint n_rows, row_bytes;  // of each head
  uint n_sinks, n_ring;    // rows that are kept as F16 beside them; 0: none
};

struct EmbedConstants {
  uint type;  // DType of the table
};
struct EmbedPush {
  uint n_cols, n_groups;
  uint first, last;  // tokens of the part of the table that this dispatch sees
  uint rows_at;      // of the inputs
  float scale;
};

struct NormConstants {
  uint is_gathered;  // of the rows that ask for logits
  uint is_added;
  uint is_normed;      // else rows are encoded as they are
  uint has_weight;     // rows are multiplied by the norm's weight
  uint encoding;       // enum class Encoding, of what it writes
  uint half_exponent;  // of rows of f16: kHalfExponent of gpu_args.h, or 0
};
struct NormPush {
  uint n_cols;
  uint logit_rows_at;  // of the inputs
  float epsilon;
  float scale;     // on the sum, where the norm is added
  uint n_per_row;  // norms of a row of the step, one behind the other
};

struct EncodePush {
  uint n_groups;  // of a row
};

struct EncodeHalfPush {
  uint n_cols;
  uint half_exponent;  // as NormConstants
};

// What all kernels of products begin with; those of whole matrices (MatricesConstants) have its first six alone.
struct ProductConstants {
  uint type, second_type;  // DType of the matrix, and of the other one of Epilogue::kGate
  uint epilogue;           // enum class Epilogue
  uint has_bias;           // of experts also the second matrix
  uint activation;         // enum class Activation
  uint is_of_logits;       // as many rows as ask for logits
  uint has_tail;           // n_cols is no multiple of 32
  uint encodes;            // results as int8
};

// One row, or up to eight.
struct MatvecConstants {
  ProductConstants product;
  uint most_rows;
  uint n_threads;  // 32 for each part of the columns, of each matrix
  uint experts;    // enum class Experts
};
struct MatvecPush {
  uint n_cols, n_groups, n_out;
  uint first, last;  // rows of the matrix that this dispatch sees; of experts: experts
  uint n_used;       // experts of a row
  float cap;
  uint panel_blocks;  // that share out the rows of a panel: more than one only for kernels/matvec_split.cu
};

// Many rows, in tiles.
struct MatmulConstants {
  ProductConstants product;
  uint experts;  // enum class Experts
};
struct MatricesConstants {
  uint type, second_type, epilogue, has_bias, activation, is_of_logits;  // as ProductConstants
  uint tile_features;
  uint m, n, k;      // features, rows and columns of a fragment
  uint n_subgroups;  // of a workgroup
  uint n_beside;     // subgroups that share out the features; the others have other rows
  uint experts;      // enum class Experts
};
struct MatmulPush {
  uint n_cols, n_groups, n_out;
  uint first, last;  // rows of the matrix that this dispatch sees; of experts: experts
  float cap;
  uint n_used, choices_at;  // of experts: of a row; where the choices of tiles are
};

struct RoutePush {
  uint n_experts, n_used;
  uint has_scales;       // of chosen experts, on their weights
  uint has_choice_bias;  // of each expert, on what it is chosen by
  uint is_sigmoid;       // probabilities are sigmoids of logits; else a softmax
  float scale;           // on logits
  float least_sum;       // weights are divided by their sum, and by this where it is smaller; 0: they are not divided
  float weight_scale;
};

struct GroupExpertsPush {
  uint n_experts, n_used, choices_at;
};

struct AddExpertsPush {
  uint n_cols, n_used;
  uint is_added;  // else it takes the place of what was there
};

struct SharedGatePush {
  uint n_cols;
  float epsilon;
};

// Of queries, keys or values.
struct HeadsConstants {
  uint head_dim;
  uint is_value;  // is not turned, and normed without a weight
  uint cache_type;
  uint norms;             // enum class HeadNorm
  uint turns_neighbours;  // else halves
  uint is_rotated, is_balanced;
  uint is_searched;  // Q4_0 scales; else those of a plain cache
};
struct HeadsPush {
  uint n_heads, group;  // query heads per KV head; 1 for keys and values
  uint rows_at;         // of the inputs
  uint rope_at, rope_dim;
  uint balance_at;
  float epsilon;
  uint has_shifts;
  CacheRows rows;
};

struct AttendConstants {
  uint head_dim, key_type, value_type;
  uint has_exact_keys, has_exact_values;
  uint has_shifts;  // the values have
  uint is_split;
  uint heads, rows, tile, area_words;  // AttendShape: of a stack, of a block, keys, of shared memory
  uint has_sinks;                      // a score of each head that has no value
};
struct AttendPush {
  uint first_row, n_rows;  // of those in this submission; the number at most
  uint n_heads, n_kv_heads;
  uint n_stacks;                // of a KV head
  uint rows_at, exact_from_at;  // of the inputs; the latter is that of the layer
  uint window;                  // 0: all positions
  float scale, cap;
  uint row_splits;  // of all rows of a step: GpuSplits
  uint shares_at;   // where maxima and sums of splits begin behind their results
  CacheRows key_rows, value_rows;
};

struct AttendMergeConstants {
  uint head_dim, is_split, is_rotated;
};
struct AttendMergePush {
  uint first_row;  // of those in this submission
  uint n_heads;
  uint rows_at;  // of the inputs
  uint window;   // as of AttendPush, as the next two
  uint row_splits, shares_at;
  uint encodes;  // to int8; kernels of Vulkan never do
};

// Of a short convolution: what it makes of the products of a row.
struct ConvMixConstants {
  uint width;
  uint computes;  // rows: of a slot, or one where it does not keep
  uint keeps;     // what the next step's convolution sees of each slot
};
struct ConvMixPush {
  uint n_channels;
  uint rows_at;  // of the inputs
};

// Of a delta net: what it makes of the products of a row before its rule.
struct DeltaMixConstants {
  uint key_dim, value_dim, conv_width;
  uint computes;  // rows: of a slot, or one where it does not keep
  uint keeps;     // what the next step's convolution sees of each slot
};
struct DeltaMixPush {
  uint n_key_heads, n_value_heads;
  uint rows_at;                                  // of the inputs
  uint keys_at, values_at, alphas_at, betas_at;  // of the products; queries are the first
  float epsilon;
};

// What the rows of a chunk of the rule make of each other.
struct DeltaPairsConstants {
  uint key_dim, value_dim;
};
struct DeltaPairsPush {
  uint n_key_heads, n_value_heads;
  uint heads_are_tiled;     // DeltaNetSpec::key_head_of()
  uint rows_at;             // of the inputs
  uint first_row, end_row;  // of those in this submission
};

struct DeltaRuleConstants {
  uint key_dim, value_dim;
  uint chunk_rows;  // for which a state is read and written once
};
struct DeltaRulePush {
  uint n_key_heads, n_value_heads;
  uint heads_are_tiled;     // DeltaNetSpec::key_head_of()
  uint rows_at;             // of the inputs
  uint first_row, end_row;  // of those in this submission
  uint first_block;         // of 32 columns, of all value heads
};

// Heads times a gate of the same size.
struct GateHeadsConstants {
  uint head_dim;
  uint is_normed;  // each head first, and the gate goes through SiLU; else through a sigmoid
  uint encoding;   // enum class Encoding, of what it writes: not kHalf
};
struct GateHeadsPush {
  uint n_heads;
  float epsilon;
};

// What a layer makes of its part of the layer inputs.
struct GateInputsConstants {
  uint activation;  // enum class Activation
  uint encoding;    // enum class Encoding, of what it writes: not kHalf
};
struct GateInputsPush {
  uint n_cols;          // of the layer
  uint n_elems, first;  // of a row of layer inputs, and where the layer's begin
};

// Of row_maxima and top_tokens.
struct CandidatesPush {
  uint n_vocab;
  uint queries_at, ids_at;         // of the inputs
  uint answer_words;               // of one answer
  uint answer_logits_at, sums_at;  // of an answer
  uint maxima_words;               // of one query
};
