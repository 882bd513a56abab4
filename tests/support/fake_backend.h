// A backend without arithmetic whose logits depend on exactly the tokens in a slot's cache, so that a wrong position,
// slot or prefix changes the text.
#pragma once

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "model/weight_layout.h"
#include "run/loaded_model.h"

namespace headroom::fake {

inline constexpr std::uint32_t kVocab = 128;  // of make_info(): ids are ASCII characters; 0 ends an answer

class HeapArena final : public Arena {
 public:
  HeapArena(Bytes size, std::atomic<Bytes>& mapped_now) : bytes_(size), mapped_now_(mapped_now) { mapped_now_ += size; }
  ~HeapArena() override { mapped_now_ -= bytes_.size(); }
  std::byte* host_address() const override { return const_cast<std::byte*>(bytes_.data()); }
  Bytes mapped_bytes() const override { return bytes_.size(); }

 private:
  std::vector<std::byte> bytes_;
  std::atomic<Bytes>& mapped_now_;
};

// What a test turns and reads; outlives the backend.
struct Machine {
  // The engine thread samples them at any time.
  std::atomic<Bytes> total = Bytes{1} << 30;
  std::atomic<Bytes> held_by_others = 0;
  std::atomic<Bytes> mapped_now = 0;
  std::atomic<Bytes> held_by_driver = 0;                // for this program, beside the arenas
  std::function<bool()> refuse = [] { return false; };  // whether the next map_arena() fails
  std::optional<Bytes> driver_bytes;
  std::atomic<Bytes> most_measured = 0;  // that the last measurement was given
  bool binds_until_stopped = true;
  bool fails_steps = false;
  std::uint64_t n_steps = 0, n_rows = 0;
  std::uint32_t widest_step = 0;
  std::function<void()> before_step = [] {};
  std::function<void(std::span<const StepRow>)> saw_rows = [](std::span<const StepRow>) {};  // of a step that runs
  std::function<void()> before_chunk = [] {};                                                // of a weight
  float highest = 20.0F;  // logit, of the next token; the others have up to 12
  // The next token after the tokens that a slot holds; 0 ends the answer.
  std::function<TokenId(const std::vector<TokenId>&)> next = [](const std::vector<TokenId>& tokens) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const TokenId token : tokens) hash = (hash ^ token) * 1099511628211ULL;
    return static_cast<TokenId>('a' + hash % 26);
  };
};

class FakeBackend final : public Backend {
 public:
  FakeBackend(DeviceInfo device, Machine& machine) : device_(std::move(device)), machine_(machine) {}

  const DeviceInfo& device_info() const override { return device_; }

  Result<DeviceSpeed> measure_speed(Bytes most_bytes) override {
    machine_.most_measured = most_bytes;
    if (machine_.refuse()) return Error{ErrorCode::kResource, Message::plain("the fake machine refuses")};
    return DeviceSpeed{.read_bytes_per_s = 7e9};
  }

  std::optional<Bytes> driver_bytes() override { return machine_.driver_bytes; }

  Result<std::unique_ptr<Arena>> map_arena(const ArenaPlan& plan) override {
    if (machine_.refuse()) return Error{ErrorCode::kResource, Message::plain("the fake machine refuses")};
    ++n_allocations_;
    return std::unique_ptr<Arena>(std::make_unique<HeapArena>(plan.size, machine_.mapped_now));
  }

  // Four chunks, so that a cancel between them can be seen.
  Status load_weight(Arena&, const Region&, const WeightTensor& weight, const ModelFile&, Arena* /*upload*/,
                     const StopToken& stop, const std::function<void(Bytes)>& advance) override {
    for (int chunk = 0; chunk < 4; ++chunk) {
      machine_.before_chunk();
      if (stop.stop_requested()) return Error{ErrorCode::kCancelled, Message::plain("cancelled")};
      advance(weight_bytes(weight, WeightLayout::kPanels) / 4);
    }
    return ok_status();
  }

  Status clear_arena(Arena& arena, const StopToken&, const std::function<void(Bytes)>& advance) override {
    std::memset(arena.host_address(), 0, arena.mapped_bytes());
    advance(arena.mapped_bytes());
    return ok_status();
  }

  Status bind(const Binding& binding) override {
    if (machine_.binds_until_stopped && binding.stop.stop_requested())
      return Error{ErrorCode::kCancelled, Message::plain("bound no longer")};
    n_vocab_ = binding.model->n_vocab;
    slots_.assign(binding.plan->options.n_slots, {});
    logits_.assign(std::size_t{binding.plan->program.max_logit_rows} * n_vocab_, 0.0F);
    return ok_status();
  }

  // The program of make_plan() is one subgraph.
  Status submit(const DeviceSubgraph&, const StepInputs& inputs, const StopToken& stop) override {
    machine_.before_step();
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, Message::plain("stopped")};
    if (machine_.fails_steps) return Error{ErrorCode::kResource, Message::plain("the fake machine fails")};
    machine_.saw_rows(inputs.rows);
    ++machine_.n_steps;
    machine_.n_rows += inputs.rows.size();
    machine_.widest_step = std::max(machine_.widest_step, static_cast<std::uint32_t>(inputs.rows.size()));
    std::size_t n_logits = 0;
    for (std::uint32_t row = 0; row < inputs.rows.size(); ++row) {
      const StepRow& in = inputs.rows[row];
      std::vector<TokenId>& slot = slots_[in.slot];
      slot.resize(in.position);  // a position that was skipped shows as token 0
      slot.push_back(in.token);
      if (n_logits == inputs.logit_rows.size() || inputs.logit_rows[n_logits] != row) continue;
      float* out = logits_.data() + n_logits++ * n_vocab_;
      for (std::uint32_t id = 0; id < n_vocab_; ++id) out[id] = static_cast<float>((id * 7 + slot.size()) % 13);
      out[machine_.next(slot)] = machine_.highest;
    }
    return ok_status();
  }
  Status wait(const StopToken&) override { return ok_status(); }
  Status read(BufferId, std::uint32_t, std::span<std::byte>) override {
    return Error{ErrorCode::kUsage, Message::plain("the fake has no buffers")};
  }
  Status write(BufferId, std::span<const std::byte>) override {
    return Error{ErrorCode::kUsage, Message::plain("the fake has no buffers")};
  }
  const std::byte* host_view(BufferId) const override { return reinterpret_cast<const std::byte*>(logits_.data()); }

  Status top_k(std::span<CandidateQuery> queries) override {
    for (CandidateQuery& query : queries)
      answer_query(std::span(logits_).subspan(query.row * n_vocab_, n_vocab_), query);
    return ok_status();
  }

  Status copy_state(std::uint32_t from, std::uint32_t to, std::uint32_t n, const StopToken& stop) override {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, Message::plain("stopped")};
    slots_[to].assign(slots_[from].begin(), slots_[from].begin() + n);
    return ok_status();
  }

  Result<MemorySample> sample_memory() override {
    MemorySample sample{machine_.total, machine_.total - machine_.held_by_others - machine_.mapped_now,
                        machine_.mapped_now};
    sample.account.driver = machine_.held_by_driver;
    return sample;
  }
  std::uint64_t n_allocations() const override { return n_allocations_; }

 private:
  DeviceInfo device_;
  Machine& machine_;
  std::vector<std::vector<TokenId>> slots_;
  std::vector<float> logits_;
  std::uint64_t n_allocations_ = 0;
  std::size_t n_vocab_ = 0;
};

// One token per ASCII character.
class CharTokenizer : public Tokenizer {
 public:
  CharTokenizer() {
    special_.eos = 0;
    special_.end_of_generation = {0};
  }
  std::uint32_t n_vocab() const override { return kVocab; }
  const SpecialTokens& special() const override { return special_; }
  std::string_view model() const override { return "fake"; }
  void encode_to(TokenSink& sink, std::span<const TextPiece> pieces, bool) const override {
    for (const TextPiece& piece : pieces)
      for (const char c : piece.text) sink.push(static_cast<unsigned char>(c) % kVocab);
  }
  std::uint32_t longest_token_bytes() const override { return 1; }
  std::size_t fewest_tokens(std::string_view text) const override { return text.size(); }
  std::string token_bytes(TokenId id, bool) const override {
    return id == 0 ? std::string() : std::string(1, static_cast<char>(id));
  }
  std::string decode(const std::vector<TokenId>& ids, bool show) const override {
    std::string text;
    for (const TokenId id : ids) text += token_bytes(id, show);
    return text;
  }
  bool is_control(TokenId id) const override { return id == 0; }

 private:
  SpecialTokens special_;
};

// One layer without weights, kVocab tokens; a plan with one arena of each lifetime.
struct Setup {
  std::uint32_t n_ctx = 64, n_slots = 1, n_batch = 8;
  std::uint32_t window = 0;
  std::string chat_template{};  // empty: the file has none
};
std::shared_ptr<const ModelInfo> make_info(const Setup& setup);
std::shared_ptr<const MemoryPlan> make_plan(const Setup& setup);
std::shared_ptr<const LoadedModel> make_loaded(const Setup& setup, Machine& machine);

}  // namespace headroom::fake
