// Products of matrices with activations, and the norms before and behind them, as dispatches: what most ops consist of.
// The kernel, its tile and the encoding of the activations follow from the weight's type, the rows of the step and the
// device's arithmetic.
#pragma once

#include <initializer_list>

#include "backend/gpu/gpu_args.h"
#include "backend/gpu/gpu_dispatches.h"
#include "model/gpu_panel.h"

namespace headroom {

// What a kernel does with a finished product: stores it, adds it to what is there, computes act(gate) * up, or caps it
// as logits. The numbers are those of vulkan/shaders/lib/epilogue.glsl and cuda/kernels/lib/products.cuh.
enum class Epilogue : std::uint32_t { kStore, kAdd, kGate, kCap };

// The encoding of activations that a product reads. The numbers are those of norm.comp and norm.cu.
enum class Encoding : std::uint32_t { kF32, kInt8, kHalf };

// Where a head is normed. The numbers are those of heads.glsl and heads.cuh.
enum class HeadNorm : std::uint32_t { kNone, kBeforeRotation, kBehindRotation };

// Which matrices of experts a product reads; kUp goes from rows to choices, kDown from choices back to rows. The
// numbers are those of tile_rows.glsl and products.cuh.
enum class Experts : std::uint32_t { kNone, kUp, kDown };

class ProductDispatches {
 protected:
  ProductDispatches(const GpuBinding& bound, const Op& op, RowClass rows);

  struct Product {
    const GpuWeight* matrix = nullptr;
    const GpuWeight* second = nullptr;       // kGate: the up matrix, whose product is multiplied with act(gate)
    const GpuWeight* bias = nullptr;         // of experts: of each of them, one behind the other
    const GpuWeight* second_bias = nullptr;  // of experts, where there is `bias` and a second matrix
    GpuSlice from = {}, to = {};
    Encoding reads = Encoding::kF32;  // of `from`
    bool encodes = false;             // writes int8 to `to`
    Epilogue epilogue = Epilogue::kStore;
    bool is_of_logits = false;
    float cap = 0;
    Experts experts = Experts::kNone;
    GpuSlice ids = {}, weights = {};  // of the chosen experts
  };

  // The encoding that all of these matrices, which read the same activations, can read. F32 weights read f32.
  Encoding encoding_for(std::span<const GpuWeight* const> readers) const;
  Encoding encoding_for(std::initializer_list<const GpuWeight*> readers) const {
    return encoding_for(std::span<const GpuWeight* const>(readers.begin(), readers.size()));
  }

  // Whether this step computes tiles of rows, instead of a few rows against a whole panel.
  bool has_tiles(bool is_of_experts) const;

  // How many panels of each of two matrices one dispatch can see: a binding of Vulkan has a largest size.
  std::uint64_t panels_at_once(const GpuWeight& matrix, const GpuWeight* second) const;
  static GpuSlice panels(const GpuWeight& weight, std::uint64_t first, std::uint64_t last);

  // GpuExpertTiles::choices_at of this plan.
  std::uint32_t choices_at() const;

  struct Norm {
    GpuSlice from = {}, to = {};
    std::optional<TensorRole> role = TensorRole::kAttnNorm;  // absent: rows go to `to` as they are, or
    bool lacks_weight = false;                               // normed without a weight
    std::uint32_t n_cols = 0;                                // of a row; 0: d_model
    bool is_gathered = false;                                // of rows with logits
    bool is_added = false;
    float scale = 1.0F;                  // on the sum that it is added to
    Encoding encoding = Encoding::kF32;  // of `to`
  };

  Dispatch& add(Kernel kernel, bool needs_barrier);
  // Rows of f32 as int8 products read them.
  void encode_int8(const GpuSlice& from, const GpuSlice& to, std::uint64_t n_cols, bool needs_barrier = false);
  void norm(const Norm& norm, bool needs_barrier);
  // The residual of the op into scratch, as products read it: normed, where the layer has norms before attention and
  // FFN.
  void pre_norm(TensorRole role, Encoding encoding);
  void multiply(const Product& product, bool needs_barrier);
  // Products with the experts that rows chose: in tiles of rows that chose the same expert, or choice by choice.
  void multiply_experts(const Product& product, bool needs_barrier);

  const GpuBinding& bound_;
  const ModelInfo& model_;
  const Op& op_;
  RowClass rows_;
  const LayerSpec* spec_;
  std::vector<OpPart> parts_;

 private:
  Kernel kernel_of(const Product& product, bool is_many) const;
  std::uint32_t tile_features(const Product& product) const;   // of a workgroup of many rows
  std::uint32_t tile_rows(const Product& product) const;       // not of experts
  std::uint32_t panels_of_tile(const Product& product) const;  // of a matrix
  // The kernel of a product with its constants and activations.
  Dispatch& add_product(const Product& product, bool needs_barrier);
  args::ProductConstants product_constants(const Product& product) const;
  std::uint32_t most_column_parts(const Product& product) const;
  std::uint32_t panel_blocks(
      const Product& product) const;  // that share out the rows of each panel, in steps of few rows
  std::vector<std::uint32_t> matvec_constants(const Product& product) const;
  std::vector<std::uint32_t> matmul_constants(const Product& product) const;
  std::vector<std::uint32_t> matrices_constants(const Product& product) const;
  std::vector<std::uint32_t> push_of(const Product& product, std::uint32_t first, std::uint32_t last) const;
  void count_products(const Product& product, double n_used);
};

std::uint32_t type_of(const GpuWeight* weight);  // for kernels; 0 where there is none

}  // namespace headroom
