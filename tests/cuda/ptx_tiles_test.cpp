// Instructions of the interpreter for tiles, against plain loops over the matrices.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "cuda/ptx_fixture.h"
#include "format/decode.h"

namespace headroom::ptx {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct Shape {
  const char* name;
  std::uint32_t n_rows, depth;
  const char *a, *b, *sums;
  unsigned bits, sum_bits;  // of an element
};

// All numbers are whole and so small that each type has them, and their sums, exactly.
double random_number(const std::string& type, std::mt19937& random) {
  if (type == "s8") return static_cast<double>(random() % 256) - 128;
  if (type == "u8") return static_cast<double>(random() % 256);
  if (type == "s32") return static_cast<double>(static_cast<std::int32_t>(random()));  // its sums wrap around
  return static_cast<double>(random() % 17) - 8;
}

std::uint32_t bits_of_number(const std::string& type, double x) {
  if (type == "f16") return f32_to_f16(static_cast<float>(x));
  if (type == "bf16") return f32_to_bf16(static_cast<float>(x));
  if (type == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(x));
  // What a card leaves out of an f32 is set, and changes nothing.
  if (type == "tf32") return std::bit_cast<std::uint32_t>(static_cast<float>(x)) | (x == 0 ? 0 : 0x1FFFU);
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(x));
}

struct Matrix {
  std::uint32_t n_cols;
  unsigned bits;
  std::vector<double> numbers;  // by rows
  std::vector<std::byte> bytes;
};

Matrix random_matrix(std::uint32_t n_rows, std::uint32_t n_cols, const std::string& type, unsigned bits,
                     std::mt19937& random) {
  Matrix made{n_cols, bits, {}, std::vector<std::byte>(std::size_t{n_rows} * n_cols * bits / 8)};
  for (std::size_t i = 0; i < std::size_t{n_rows} * n_cols; ++i) {
    made.numbers.push_back(random_number(type, random));
    const std::uint32_t word = bits_of_number(type, made.numbers.back());
    std::memcpy(made.bytes.data() + i * bits / 8, &word, bits / 8);
  }
  return made;
}

constexpr std::uint32_t kPlaceOfA = 4096, kPlaceOfB = 8192, kPlaceOfSums = 12288;  // bytes from the start of memory_

std::string listed(const char* prefix, std::uint32_t first, std::uint32_t n) {
  std::string text;
  for (std::uint32_t i = 0; i < n; ++i) text += fmt::format("{}%{}{}", i > 0 ? ", " : "", prefix, first + i);
  return "{" + text + "}";
}

// a stands in memory by rows, b by columns, sums by rows. Of a row of a, or a column of b, lane / 4 tells which, a lane
// has the words lane % 4 and, where there are eight, the one four further on; of each row of sums a quarter.
std::string product_body(const Shape& shape) {
  const std::uint32_t row_bytes = shape.depth * shape.bits / 8, sum_row_bytes = shape.sum_bits;
  const std::uint32_t n_halves = shape.n_rows / 8, n_blocks = row_bytes / 16, n_sum_words = sum_row_bytes / 16;
  std::string body = fmt::format(
      "shr.u32 %r1, %r0, 2;\nand.b32 %r2, %r0, 3;\n"
      "mul.lo.s32 %r3, %r1, {};\nshl.b32 %r4, %r2, 2;\nadd.s32 %r3, %r3, %r4;\ncvt.u64.u32 %rd2, %r3;\n"
      "add.s64 %rd2, %rd2, %rd0;\n"
      "mul.lo.s32 %r3, %r1, {};\nmul.lo.s32 %r4, %r2, {};\nadd.s32 %r3, %r3, %r4;\ncvt.u64.u32 %rd3, %r3;\n"
      "add.s64 %rd3, %rd3, %rd0;\n",
      row_bytes, sum_row_bytes, sum_row_bytes / 4);
  for (std::uint32_t block = 0; block < n_blocks; ++block) {
    for (std::uint32_t half = 0; half < n_halves; ++half)
      body += fmt::format("ld.global.u32 %r{}, [%rd2+{}];\n", 10 + block * n_halves + half,
                          kPlaceOfA + half * 8 * row_bytes + block * 16);
    body += fmt::format("ld.global.u32 %r{}, [%rd2+{}];\n", 20 + block, kPlaceOfB + block * 16);
  }
  const auto each_sum = [&](const char* line) {
    for (std::uint32_t i = 0; i < n_halves * n_sum_words; ++i)
      body += fmt::format(fmt::runtime(line), 30 + i,
                          kPlaceOfSums + i / n_sum_words * 8 * sum_row_bytes + i % n_sum_words * 4);
  };
  each_sum("ld.global.u32 %r{0}, [%rd3+{1}];\n");
  const std::string sums = listed("r", 30, n_halves * n_sum_words);
  body += fmt::format("mma.sync.aligned.{}.row.col.{}.{}.{}.{} {}, {}, {}, {};\n", shape.name, shape.sums, shape.a,
                      shape.b, shape.sums, sums, listed("r", 10, n_blocks * n_halves), listed("r", 20, n_blocks), sums);
  each_sum("st.global.u32 [%rd3+{1}], %r{0};\n");
  return body;
}

class PtxTiles : public Ptx {
 protected:
  void put(std::uint32_t place, const std::vector<std::byte>& bytes) {
    std::memcpy(reinterpret_cast<std::byte*>(memory_.data()) + place, bytes.data(), bytes.size());
  }

  // What `body` leaves where the sums are, against the product of a (by rows) and b (by columns) added to `before`.
  void expect_sums(const Shape& shape, const Matrix& a, const Matrix& b, const Matrix& before) {
    for (std::uint32_t row = 0; row < shape.n_rows; ++row) {
      for (std::uint32_t col = 0; col < 8; ++col) {
        double expected = before.numbers[row * 8 + col];
        for (std::uint32_t k = 0; k < shape.depth; ++k)
          expected += a.numbers[row * shape.depth + k] * b.numbers[col * shape.depth + k];
        std::uint32_t found = 0;
        std::memcpy(
            &found,
            reinterpret_cast<const std::byte*>(memory_.data()) + kPlaceOfSums + (row * 8 + col) * shape.sum_bits / 8,
            shape.sum_bits / 8);
        EXPECT_EQ(found, bits_of_number(shape.sums, expected)) << row << " " << col;
      }
    }
  }
};

constexpr Shape kF16Product{"m16n8k16", 16, 16, "f16", "f16", "f32", 16, 32};

TEST_F(PtxTiles, products_are_those_of_plain_loops) {
  std::mt19937 random(7);
  for (const Shape& shape : {
           Shape{"m16n8k32", 16, 32, "s8", "s8", "s32", 8, 32},
           Shape{"m16n8k32", 16, 32, "u8", "s8", "s32", 8, 32},
           Shape{"m16n8k16", 16, 16, "s8", "s8", "s32", 8, 32},
           Shape{"m16n8k16", 16, 16, "s8", "u8", "s32", 8, 32},
           Shape{"m8n8k16", 8, 16, "s8", "s8", "s32", 8, 32},
           kF16Product,
           Shape{"m16n8k16", 16, 16, "f16", "f16", "f16", 16, 16},
           Shape{"m16n8k16", 16, 16, "bf16", "bf16", "f32", 16, 32},
           Shape{"m16n8k8", 16, 8, "f16", "f16", "f32", 16, 32},
           Shape{"m16n8k8", 16, 8, "bf16", "bf16", "f32", 16, 32},
           Shape{"m16n8k8", 16, 8, "tf32", "tf32", "f32", 32, 32},
       }) {
    SCOPED_TRACE(fmt::format("{} {} {} {}", shape.name, shape.a, shape.b, shape.sums));
    const Matrix a = random_matrix(shape.n_rows, shape.depth, shape.a, shape.bits, random),
                 b = random_matrix(8, shape.depth, shape.b, shape.bits, random),
                 sums = random_matrix(shape.n_rows, 8, shape.sums, shape.sum_bits, random);
    put(kPlaceOfA, a.bytes);
    put(kPlaceOfB, b.bytes);
    put(kPlaceOfSums, sums.bytes);
    ASSERT_THAT(run(product_body(shape)), IsEmpty());
    expect_sums(shape, a, b, sums);
  }
}

TEST_F(PtxTiles, products_of_other_types_and_shapes_are_not_known) {
  for (const Shape& shape : {
           Shape{"m16n8k32", 16, 32, "s8", "s8", "f32", 8, 32},
           Shape{"m16n8k16", 16, 16, "bf16", "bf16", "f16", 16, 16},
           Shape{"m16n8k16", 16, 16, "f16", "bf16", "f32", 16, 32},
           Shape{"m16n8k4", 16, 8, "tf32", "tf32", "f32", 32, 32},
           Shape{"m8n8k16", 8, 16, "f16", "f16", "f32", 16, 32},
       })
    EXPECT_THAT(run(product_body(shape)), HasSubstr("a product of tiles that is not known")) << shape.name << shape.a;
  EXPECT_THAT(run("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1, %r2}, {%r0}, {%r0}, {%r0, %r0};"),
              HasSubstr("expected a fragment of 4 registers"));
}

// Copies n words a lane from kPlaceOfA to shared memory.
std::string fill_shared(std::uint32_t n_words) {
  std::string body = "shl.b32 %r5, %r0, 2;\nmov.u32 %r6, room;\nadd.s32 %r5, %r5, %r6;\n";
  for (std::uint32_t i = 0; i < n_words; ++i)
    body += fmt::format("ld.global.u32 %r7, [%rd1+{}];\nst.shared.u32 [%r5+{}], %r7;\n", kPlaceOfA + 128 * i, 128 * i);
  return body + "bar.sync 0;\n";
}

TEST_F(PtxTiles, rows_and_columns_of_tiles_are_loaded) {
  for (const std::uint32_t n : {1U, 2U, 4U}) {
    for (const bool is_transposed : {false, true}) {
      // Element (row, col) of tile t is 1000 t + 10 row + col; rows are 16 bytes, the tiles' rows in turns.
      std::vector<std::byte> bytes(std::size_t{n} * 128);
      for (std::uint32_t i = 0; i < n * 64; ++i) {
        const auto x = static_cast<std::uint16_t>(i / 8 % n * 1000 + i / 8 / n * 10 + i % 8);
        std::memcpy(bytes.data() + 2 * std::size_t{i}, &x, 2);
      }
      put(kPlaceOfA, bytes);
      // Lane 8 t + row names row n row + t.
      std::string body =
          fill_shared(n) + fmt::format(
                               "shr.u32 %r1, %r0, 3;\nand.b32 %r2, %r0, 7;\nmad.lo.s32 %r3, %r2, {}, %r1;\n"
                               "shl.b32 %r3, %r3, 4;\nadd.s32 %r3, %r3, %r6;\n"
                               "ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, [%r3];\n",
                               n, n, is_transposed ? ".trans" : "", listed("r", 10, n));
      for (std::uint32_t i = 0; i < n; ++i) body += fmt::format("st.global.u32 [%rd1+{}], %r{};\n", 128 * i, 10 + i);
      ASSERT_THAT(run(body), IsEmpty());
      for (std::uint32_t tile = 0; tile < n; ++tile) {
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          for (std::uint32_t part = 0; part < 2; ++part) {
            const std::uint32_t across = lane / 4, along = lane % 4 * 2 + part;
            const std::uint32_t expected = 1000 * tile + (is_transposed ? 10 * along + across : 10 * across + along);
            EXPECT_EQ(memory_[tile * 32 + lane] >> (16 * part) & 0xFFFFU, expected) << n << is_transposed << lane;
          }
        }
      }
    }
  }
}

// What is loaded by rows fits what is multiplied: a by rows; b by columns, or by rows and transposed on the way.
TEST_F(PtxTiles, loaded_tiles_are_the_fragments_of_products) {
  std::mt19937 random(9);
  for (const bool is_b_by_rows : {false, true}) {
    const Matrix a = random_matrix(16, 16, "f16", 16, random), b = random_matrix(8, 16, "f16", 16, random),
                 sums = random_matrix(16, 8, "f32", 32, random);
    std::vector<std::byte> of_b = b.bytes;
    for (std::size_t k = 0; k < 16 && is_b_by_rows; ++k) {
      for (std::size_t col = 0; col < 8; ++col)
        std::memcpy(of_b.data() + (k * 8 + col) * 2, b.bytes.data() + (col * 16 + k) * 2, 2);
    }
    put(kPlaceOfA, a.bytes);
    put(kPlaceOfA + 512, of_b);
    put(kPlaceOfSums, sums.bytes);
    std::string body = fill_shared(6);
    // Rows lane % 16 of a, of each the half lane / 16; then of b eight columns, two halves of each, or 16 rows.
    body +=
        "and.b32 %r1, %r0, 15;\nshl.b32 %r1, %r1, 5;\nshr.u32 %r2, %r0, 4;\nshl.b32 %r2, %r2, 4;\n"
        "add.s32 %r1, %r1, %r2;\nadd.s32 %r1, %r1, %r6;\n"
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r1];\nand.b32 %r1, %r0, 15;\n";
    body += is_b_by_rows ? "shl.b32 %r1, %r1, 4;\n"
                         : "and.b32 %r2, %r1, 7;\nshl.b32 %r2, %r2, 5;\nshr.u32 %r1, %r1, 3;\nshl.b32 %r1, %r1, 4;\n"
                           "add.s32 %r1, %r1, %r2;\n";
    body +=
        fmt::format("add.s32 %r1, %r1, %r6;\nldmatrix.sync.aligned.m8n8.x2{}.shared.b16 {{%r20, %r21}}, [%r1+512];\n",
                    is_b_by_rows ? ".trans" : "");
    std::string product = product_body(kF16Product);
    // Its own loads of a and b are left out.
    for (const char* loaded : {"%r10,", "%r11,", "%r12,", "%r13,", "%r20,", "%r21,"}) {
      const std::size_t at = product.find(std::string("ld.global.u32 ") + loaded);
      ASSERT_NE(at, std::string::npos);
      product.erase(at, product.find('\n', at) + 1 - at);
    }
    ASSERT_THAT(run(body + product), IsEmpty());
    expect_sums(kF16Product, a, b, sums);
  }
}

TEST_F(PtxTiles, a_load_of_tiles_needs_the_whole_warp_and_rows_that_are_there) {
  const std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r6];\n";
  EXPECT_THAT(run(fill_shared(1) + "setp.lt.u32 %p1, %r0, 16;\n@%p1 " + load), HasSubstr("not all lanes have come"));
  EXPECT_THAT(run("mov.u32 %r6, room;\n" + load), HasSubstr("was not written"));
  EXPECT_THAT(run(fill_shared(1) + "add.s32 %r6, %r6, 8;\n" + load), HasSubstr("where they cannot be"));
  EXPECT_THAT(run("ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r1, %r2, %r3}, [room];"), HasSubstr("not known"));
  EXPECT_THAT(run("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [room];"),
              HasSubstr("expected a fragment of 2 registers"));
}

}  // namespace
}  // namespace headroom::ptx
