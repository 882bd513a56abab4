// Products of matrices with activations as dispatches of kernels, by the rows of the step: what most ops consist of.
#pragma once

#include <initializer_list>

#include "backend/gpu/gpu_args.h"
#include "backend/gpu/gpu_dispatches.h"
#include "model/gpu_panel.h"

namespace headroom {

// What is done with a product: vulkan/shaders/lib/epilogue.glsl.
enum class Epilogue : std::uint32_t { kStore, kAdd, kGate, kCap };

// How activations stand where a product reads them: vulkan/shaders/norm.comp.
enum class Encoding : std::uint32_t { kF32, kInt8, kHalf };

// Whose matrices: vulkan/shaders/lib/tile_rows.glsl.
enum class Experts : std::uint32_t { kNone, kUp, kDown };

class ProductDispatches {
 protected:
  ProductDispatches(const GpuBinding& bound, const Op& op, RowClass rows);

  struct Product {
    const GpuWeight* matrix = nullptr;
    const GpuWeight* second = nullptr;  // kGate: what the activation is multiplied with
    const GpuWeight* bias = nullptr;
    GpuSlice from = {}, to = {};
    Encoding reads = Encoding::kF32;  // `from`
    bool encodes = false;             // to int8
    Epilogue epilogue = Epilogue::kStore;
    bool is_of_logits = false;
    float cap = 0;
    Experts experts = Experts::kNone;
    GpuSlice ids = {}, weights = {};  // of choices
  };

  // What all matrices that read the same activations can take. F32 weights are multiplied exactly.
  Encoding encoding_for(std::initializer_list<const GpuWeight*> readers) const;

  // Whether products are made in tiles of rows.
  bool has_tiles(bool is_of_experts) const;

  // Panels of matrices that are read together and that a kernel sees at once.
  std::uint64_t panels_at_once(const GpuWeight& matrix, const GpuWeight* second) const;
  static GpuSlice panels(const GpuWeight& weight, std::uint64_t first, std::uint64_t last);

  // Where the choices of GpuExpertTiles are.
  std::uint32_t choices_at() const;

  Dispatch& add(Kernel kernel, bool needs_barrier);
  void multiply(const Product& product, bool needs_barrier);
  // Of the experts that rows chose: in tiles, or a row at a time.
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
  std::vector<std::uint32_t> matvec_constants(const Product& product) const;
  std::vector<std::uint32_t> matmul_constants(const Product& product) const;
  std::vector<std::uint32_t> matrices_constants(const Product& product) const;
  std::vector<std::uint32_t> push_of(const Product& product, std::uint32_t first, std::uint32_t last) const;
  void count_products(const Product& product, double n_used);
};

std::uint32_t type_of(const GpuWeight* weight);  // for kernels; 0 where there is none

}  // namespace headroom
