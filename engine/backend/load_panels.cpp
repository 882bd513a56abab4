#include "backend/load_panels.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "format/decode.h"

namespace headroom {
namespace {

// Read at once, between two looks at the stop token. Small enough to be in the second level of cache still when it is
// interleaved.
constexpr Bytes kChunkBytes = Bytes{256} << 10;
// Dealt out at once: two threads that touch the same fresh huge page at the same time would both clear one.
constexpr Bytes kPieceBytes = Bytes{4} << 20;
constexpr std::uint64_t kPiecesPerThread = 4;  // at least, where chunks allow: threads are held up unevenly

// A range of panels, dealt out to the threads in pieces. Which thread takes which does not change the result.
class PanelLoad {
 public:
  PanelLoad(const WeightTensor& weight, const ModelFile& file, const PanelFormat& format, PanelRange range,
            std::byte* to, std::uint32_t n_threads)
      : weight_(weight),
        file_(file),
        format_(format),
        range_(range),
        to_(to),
        row_bytes_(row_bytes(weight.dtype, weight.n_cols)),
        matrix_panels_(div_up(weight.n_rows, format.n_rows)),
        chunk_(std::max<std::uint64_t>(1, kChunkBytes / format.bytes)),
        piece_(std::max(
            chunk_, std::min(kPieceBytes / format.bytes, (range.last - range.first) / (kPiecesPerThread * n_threads)))),
        next_(range.first) {}

  // Thread 0 tells the progress of all.
  Status run(ThreadPool& pool, const StopToken& stop, const std::function<void(Bytes)>& advance) {
    std::vector<Status> results(pool.n_threads(), ok_status());
    Bytes n_told = 0;
    const auto tell = [&] {
      const Bytes done = n_done_.load(std::memory_order_relaxed) * format_.bytes;
      advance(done - n_told);
      n_told = done;
    };
    // Before the job: an allocation that fails inside it would end the program.
    std::vector<std::vector<std::byte>> scratch(pool.n_threads());
    for (auto& rows : scratch) rows.resize(std::min(chunk_ * format_.n_rows, weight_.n_rows) * row_bytes_);
    pool.run([&](std::uint32_t thread) {
      const auto goes_on = [&] { return !failed_.load(std::memory_order_relaxed) && !stop.stop_requested(); };
      for (std::uint64_t first = take_piece(); first < range_.last; first = take_piece()) {
        const std::uint64_t end = std::min(range_.last, first + piece_);
        for (std::uint64_t at = first, next = first; at < end; at = next) {
          if (!goes_on()) return;
          // Up to the end of a matrix: behind it the rows of the file and those of the panels part.
          next = std::min({end, at + chunk_, (at / matrix_panels_ + 1) * matrix_panels_});
          results[thread] = load(at, next, scratch[thread]);
          if (!results[thread]) failed_.store(true, std::memory_order_relaxed);
          if (thread == 0) tell();
        }
      }
    });
    for (Status& result : results) {
      if (!result) return std::move(result);
    }
    if (n_done_.load(std::memory_order_relaxed) < range_.last - range_.first)
      return Error{ErrorCode::kCancelled, Message::say("loading was cancelled")};
    tell();
    return ok_status();
  }

 private:
  std::uint64_t take_piece() { return next_.fetch_add(piece_, std::memory_order_relaxed); }

  // Panels [first, last) of one matrix, at most chunk_ of them; `scratch` is of the thread.
  Status load(std::uint64_t first, std::uint64_t last, std::span<std::byte> scratch) {
    const std::uint64_t matrix = first / matrix_panels_, before = matrix * matrix_panels_;  // panels before its own
    const std::uint64_t from = (first - before) * format_.n_rows,
                        end = std::min(weight_.n_rows, (last - before) * format_.n_rows);  // of its rows
    const std::span<std::byte> rows = scratch.first((end - from) * row_bytes_);
    const std::uint64_t first_row = matrix * weight_.n_rows + from;
    if (Status status = read_rows(weight_, file_, first_row, rows); !status) return status;
    for (std::uint64_t panel = first; panel < last; ++panel) {
      const std::uint64_t row = (panel - before) * format_.n_rows;
      const auto n_rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(format_.n_rows, weight_.n_rows - row));
      format_.pack(weight_.dtype, weight_.n_cols, n_rows, rows.data() + (row - from) * row_bytes_,
                   to_ + (panel - range_.first) * format_.bytes);
    }
    n_done_.fetch_add(last - first, std::memory_order_relaxed);
    return ok_status();
  }

  const WeightTensor& weight_;
  const ModelFile& file_;
  const PanelFormat format_;
  const PanelRange range_;
  std::byte* to_;
  Bytes row_bytes_;
  std::uint64_t matrix_panels_, chunk_, piece_;   // panels
  std::atomic<std::uint64_t> next_, n_done_ = 0;  // panels
  std::atomic<bool> failed_ = false;
};

}  // namespace

std::uint64_t count_panels(const WeightTensor& weight, const PanelFormat& format) {
  return weight.n_matrices * div_up(weight.n_rows, format.n_rows);
}

Status load_panels(const WeightTensor& weight, const ModelFile& file, const PanelFormat& format, PanelRange range,
                   std::byte* to, ThreadPool& pool, const StopToken& stop, const std::function<void(Bytes)>& advance) {
  return PanelLoad(weight, file, format, range, to, pool.n_threads()).run(pool, stop, advance);
}

Status read_rows(const WeightTensor& weight, const ModelFile& file, std::uint64_t first_row,
                 std::span<std::byte> rows) {
  const TensorInfo& tensor = file.tensors()[weight.file_tensor];
  const Bytes row_size = row_bytes(weight.dtype, weight.n_cols);
  for (std::uint64_t row = first_row, n = 0; !rows.empty(); row += n, rows = rows.subspan(n * row_size)) {
    n = weight.rows.run_from(row, rows.size() / row_size);
    if (Status status = file.read_tensor(tensor, weight.rows.of(row) * row_size, rows.first(n * row_size)); !status)
      return status;
  }
  return ok_status();
}

Status load_vector(const WeightTensor& weight, const ModelFile& file, std::byte* to) {
  std::vector<std::byte> rows(weight.n_rows * row_bytes(weight.dtype, weight.n_cols));
  if (Status status = read_rows(weight, file, 0, rows); !status) return status;
  auto* const floats = reinterpret_cast<float*>(to);
  if (weight.n_rows == 1) {
    decode_row(weight.dtype, rows.data(), weight.n_cols, floats);
    if (weight.factor != 1.0F)
      std::transform(floats, floats + weight.n_cols, floats, [&](float x) { return weight.factor * x; });
    return ok_status();
  }
  std::vector<float> row(weight.n_cols);
  for (std::uint64_t i = 0; i < weight.n_rows; ++i) {
    decode_row(weight.dtype, rows.data() + i * row_bytes(weight.dtype, weight.n_cols), weight.n_cols, row.data());
    for (std::uint64_t col = 0; col < weight.n_cols; ++col) floats[col * weight.n_rows + i] = row[col];
  }
  return ok_status();
}

}  // namespace headroom
