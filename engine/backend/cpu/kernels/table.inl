// The table of this instruction set, and the choice of a kernel by the width of a tile. Included last, inside the
// namespace of the set.

template <template <int> class Kernel, int kMost>
void dot_any(const std::byte* panel, std::uint32_t n_cols, const ActTile& tile, float* out, std::uint32_t out_stride) {
  switch (tile.width) {
    case 1: return Kernel<1>::run(panel, n_cols, tile, out, out_stride);
    case 2: return Kernel<2>::run(panel, n_cols, tile, out, out_stride);
    case 3: return Kernel<3>::run(panel, n_cols, tile, out, out_stride);
    case 4: return Kernel<4>::run(panel, n_cols, tile, out, out_stride);
    default: break;
  }
  if constexpr (kMost > 4) {
    switch (tile.width) {
      case 5: return Kernel<5>::run(panel, n_cols, tile, out, out_stride);
      case 6: return Kernel<6>::run(panel, n_cols, tile, out, out_stride);
      case 7: return Kernel<7>::run(panel, n_cols, tile, out, out_stride);
      case 8: return Kernel<8>::run(panel, n_cols, tile, out, out_stride);
      default: break;
    }
  }
}

template <class Source>
struct Biased {
  template <int kN>
  struct At {
    static constexpr DotFn run = dot_biased_tile<kN, Source>;
  };
};
template <class Source>
struct MinBlocks {
  template <int kN>
  struct At {
    static constexpr DotFn run = dot_min_blocks_tile<kN, Source>;
  };
};
template <class Source>
struct Parts {
  template <int kN>
  struct At {
    static constexpr DotFn run = dot_parts_tile<kN, Source>;
  };
};
template <class Source>
struct HalvesWithMins {
  template <int kN>
  struct At {
    static constexpr DotFn run = dot_halves_with_mins_tile<kN, Source>;
  };
};
template <class Source>
struct WithMins {
  template <int kN>
  struct At {
    static constexpr DotFn run = dot_mins_tile<kN, Source>;
  };
};
template <class Source>
struct Floats {
  template <int kN>
  struct At {
    static constexpr DotFn run = dot_float_tile<kN, Source>;
  };
};
template <int kN>
struct Float8 {
  static constexpr DotFn run = dot_e4m3_tile<kN>;
};

float int8_peak(std::uint64_t n_rounds) {
  I acc[kPeakChains];
  HEADROOM_UNROLL
  for (int i = 0; i < kPeakChains; ++i) acc[i] = zero_i();
  const std::int8_t a[4] = {1, 2, 3, 4};
  I w = set_i(0x01020304);
  for (std::uint64_t pass = 0; pass < n_rounds * 16 / kPeakChains; ++pass) {
    HEADROOM_UNROLL
    for (int i = 0; i < kPeakChains; ++i) {
      hide(w);  // otherwise one product would do for all: Clang took no time at all for plain arrays
      acc[i] = dot_small(acc[i], w, broadcast4(a));
    }
  }
  F sum = zero_f();
  HEADROOM_UNROLL
  for (int i = 0; i < kPeakChains; ++i) sum = add(sum, to_f(acc[i]));
  return sum_lanes(sum);
}

float read(const std::byte* from, std::uint64_t n_units) {
  I acc[8];
  for (int i = 0; i < 8; ++i) acc[i] = zero_i();
  for (std::uint64_t unit = 0; unit < n_units; ++unit, from += kReadUnitBytes) {
    HEADROOM_UNROLL
    for (int i = 0; i < 8; ++i) acc[i] = add_i(acc[i], load_i(from + 64 * i));
  }
  F sum = zero_f();
  for (int i = 0; i < 8; ++i) sum = add(sum, to_f(acc[i]));
  return sum_lanes(sum);
}

template <class Source>
void fill_grid(KernelTable& table, DType dtype) {
  const auto at = static_cast<unsigned>(dtype);
  table.dot[at] = dot_any<Parts<Source>::template At, 4>;
  table.columns[at] = columns_of_groups<WithValues<Source>>;
  table.unpack[at] = unpack_values<Source>;
}

// Grids whose points are looked up in memory. Inline, as not every set uses it.
inline void fill_memory_grids(KernelTable& table) {
  fill_grid<PackedIQ1_S>(table, DType::kIQ1_S);
  fill_grid<PackedIQ1_M>(table, DType::kIQ1_M);
  fill_grid<PackedIQ2_XXS>(table, DType::kIQ2_XXS);
  fill_grid<PackedIQ2_XS>(table, DType::kIQ2_XS);
  fill_grid<PackedIQ2_S>(table, DType::kIQ2_S);
  fill_grid<PackedIQ3_XXS>(table, DType::kIQ3_XXS);
  fill_grid<PackedIQ3_S>(table, DType::kIQ3_S);
}

// All but grids.
void fill(KernelTable& table) {
  const auto at = [](DType dtype) { return static_cast<unsigned>(dtype); };
  table.dot[at(DType::kF32)] = dot_any<Floats<FromF32>::At, 8>;
  table.dot[at(DType::kF16)] = dot_any<Floats<FromF16>::At, 8>;
  table.dot[at(DType::kBF16)] = dot_any<Floats<FromBF16>::At, 8>;
  table.dot[at(DType::kF8E4M3)] = dot_any<Float8, 8>;
  table.dot[at(DType::kQ8_0)] = dot_any<Biased<PackedQ8_0>::At, 8>;
  table.dot[at(DType::kQ4_0)] = dot_any<Biased<PackedQ4_0>::At, 8>;
  table.dot[at(DType::kQ4_1)] = dot_any<MinBlocks<PackedQ4_1>::At, 4>;
  table.dot[at(DType::kQ5_0)] = dot_any<Biased<PackedQ5_0>::At, 4>;
  table.dot[at(DType::kQ5_1)] = dot_any<MinBlocks<PackedQ5_1>::At, 4>;
  table.dot[at(DType::kQ2_K)] = dot_any<HalvesWithMins<PackedQ2_K>::At, 4>;
  table.dot[at(DType::kQ3_K)] = dot_any<Parts<PackedQ3_K>::At, 4>;
  table.dot[at(DType::kQ4_K)] = dot_any<WithMins<PackedQ4_K>::At, 4>;
  table.dot[at(DType::kQ5_K)] = dot_any<WithMins<PackedQ5_K>::At, 4>;
  table.dot[at(DType::kQ6_K)] = dot_any<Parts<PackedQ6_K>::At, 4>;
  table.dot[at(DType::kIQ4_NL)] = dot_any<Biased<PackedIQ4_NL>::At, 4>;
  table.dot[at(DType::kIQ4_XS)] = dot_any<Parts<PackedIQ4_XS>::At, 4>;
  table.dot[at(DType::kMXFP4)] = dot_any<Biased<PackedMXFP4>::At, 4>;
  table.columns[at(DType::kQ8_0)] = columns_of_blocks<PackedQ8_0>;
  table.columns[at(DType::kQ4_0)] = columns_of_blocks<PackedQ4_0>;
  table.columns[at(DType::kQ4_1)] = columns_of_min_blocks<PackedQ4_1>;
  table.columns[at(DType::kQ5_0)] = columns_of_blocks<PackedQ5_0>;
  table.columns[at(DType::kQ5_1)] = columns_of_min_blocks<PackedQ5_1>;
  table.columns[at(DType::kQ2_K)] = columns_of_groups<WithTwoBits>;
  table.columns[at(DType::kQ3_K)] = columns_of_groups<WithHalves<PackedQ3_K>>;
  table.columns[at(DType::kQ4_K)] = columns_of_groups<WithMin<PackedQ4_K>>;
  table.columns[at(DType::kQ5_K)] = columns_of_groups<WithMin<PackedQ5_K>>;
  table.columns[at(DType::kQ6_K)] = columns_of_groups<WithHalves<PackedQ6_K>>;
  table.columns[at(DType::kIQ4_NL)] = columns_of_blocks<PackedIQ4_NL>;
  table.columns[at(DType::kIQ4_XS)] = columns_of_groups<WithValues<PackedIQ4_XS>>;
  table.columns[at(DType::kMXFP4)] = columns_of_blocks<PackedMXFP4>;
  table.unpack[at(DType::kQ8_0)] = unpack_q8_0;
  table.unpack[at(DType::kQ4_0)] = unpack_blocks<PackedQ4_0>;
  table.unpack[at(DType::kQ4_1)] = unpack_min_blocks<PackedQ4_1>;
  table.unpack[at(DType::kQ5_0)] = unpack_blocks<PackedQ5_0>;
  table.unpack[at(DType::kQ5_1)] = unpack_min_blocks<PackedQ5_1>;
  table.unpack[at(DType::kQ2_K)] = unpack_q2_k;
  table.unpack[at(DType::kQ3_K)] = unpack_q3_k;
  table.unpack[at(DType::kQ4_K)] = unpack_mins<PackedQ4_K>;
  table.unpack[at(DType::kQ5_K)] = unpack_mins<PackedQ5_K>;
  table.unpack[at(DType::kQ6_K)] = unpack_q6_k;
  table.unpack[at(DType::kIQ4_NL)] = unpack_blocks<PackedIQ4_NL>;
  table.unpack[at(DType::kIQ4_XS)] = unpack_values<PackedIQ4_XS>;
  table.unpack[at(DType::kMXFP4)] = unpack_blocks<PackedMXFP4>;
  table.unpack[at(DType::kF16)] = unpack_words<FromF16>;
  table.unpack[at(DType::kBF16)] = unpack_words<FromBF16>;
  table.dot_slabs[at(DType::kF16)] = table.dot_slabs[at(DType::kBF16)] = dot_slabs<Words>;
  table.dot_slabs[at(DType::kQ8_0)] = dot_slabs<BlockScales>;
  for (const DType dtype : kOneScaleTypes) table.dot_slabs[at(dtype)] = dot_slabs<OneScale>;
  table.values[at(DType::kF32)] = values<ValuesF32>;
  table.values[at(DType::kF16)] = values<ValuesF16>;
  table.values[at(DType::kF8E4M3)] = values<ValuesF8>;
  table.values[at(DType::kQ8_0)] = values<ValuesQ8_0>;
  table.values[at(DType::kQ4_0)] = values<ValuesQ4_0>;
  table.query_words = query_words;
  table.key_words[at(DType::kF16)] = key_words<KeysF16>;
  table.key_words[at(DType::kF8E4M3)] = key_words<KeysF8>;
  table.key_words[at(DType::kQ8_0)] = key_words<KeysQ8_0>;
  table.key_words[at(DType::kQ4_0)] = key_words<KeysQ4_0>;
  table.value_words[at(DType::kF16)] = value_words<ValuesF16>;
  table.value_words[at(DType::kF8E4M3)] = value_words<ValuesF8>;
  table.value_words[at(DType::kQ8_0)] = value_words<ValuesQ8_0>;
  table.value_words[at(DType::kQ4_0)] = value_words<ValuesQ4_0>;
  table.attend_tile = attend_tile;
  table.take_results = take_results;
  table.softmax = softmax;
  table.softcap = softcap;
  table.block_maxima = block_maxima;
  table.sum_exps = sum_exps;
  table.rotate = rotate;
  table.unrotate = unrotate;
  table.encode[at(DType::kF16)] = encode_f16;
  table.encode[at(DType::kQ8_0)] = encode_q8_0;
  table.encode[at(DType::kF8E4M3)] = encode_e4m3;
  table.quantize_q4 = quantize_q4;
  table.norm = norm;
  table.quantize = quantize;
  table.quantize_slabs = quantize_slabs;
  table.quantize_words = quantize_words;
  table.turn_neighbours = turn_neighbours;
  table.turn_halves = turn_halves;
  table.put_products = put_products;
  table.add_products = add_products_to;
  table.silu_mul = act_mul<silu_mul_lanes>;
  table.gelu_mul = act_mul<gelu_mul_lanes>;
  table.clamped_mul = act_mul<clamped_mul_lanes>;
  table.l2_norm = l2_norm;
  table.gate_sigmoid = gate<sigmoid_lanes>;
  table.gate_silu = gate<silu_lanes>;
  table.convolve = convolve;
  table.delta_rule = delta_rule;
  table.int8_peak = int8_peak;
  table.read = read;
}
