// What is found when a loaded plan is verified, and whether it is what was planned (run/verify_plan.h measures it).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_growth.h"
#include "plan/memory_plan.h"

namespace headroom {

// Short answers that are written one after the other while the growth of memory is watched, behind a few that warm up:
// tables of the allocator and of drivers that are made once.
inline constexpr std::uint32_t kVerifyAnswers = 100, kVerifyWarmUpAnswers = 4;
// Tokens of each: of its prompt, and of the answer at most.
inline constexpr std::uint32_t kVerifyPromptTokens = 24, kVerifyAnswerTokens = 8;
// Tokens of which the median time counts at each depth.
inline constexpr std::uint32_t kVerifyTimedTokens = 32;
// The last positions of every slot, which are decoded with all slots in one step.
inline constexpr std::uint32_t kVerifyLastTokens = 8;
// What all these answers together may leave behind, of each: the driver's share, the heap, mappings beside it. The
// allocator's own bookkeeping and threads that end meanwhile move these by some KiB.
inline constexpr Bytes kMostVerifyGrowth = kMiB;

struct VerifiedDevice {
  std::string device;                           // DeviceInfo::id
  Bytes planned_bytes = 0, mapped_bytes = 0;    // arenas of the model and of the session
  Bytes planned_driver_bytes = 0;               // the driver's share in the plan
  bool planned_driver_is_measured = false;      // else it is an assumption
  std::optional<Bytes> most_driver_bytes = {};  // that the driver held; absent: nothing tells, or there is none
  Bytes most_ours_bytes = 0;                    // that the system counted for this process
  Bytes least_free_bytes = 0;
};

struct DepthSpeed {
  std::uint32_t depth = 0;  // positions in the cache when the first timed token was decoded
  double tokens_per_s = 0;
  std::optional<double> predicted_tokens_per_s = {};
};

struct PromptSpeed {
  std::uint32_t n_tokens = 0;  // that were timed
  double tokens_per_s = 0;
  std::optional<double> predicted_tokens_per_s = {};
};

struct Verification {
  std::uint32_t n_ctx = 0, n_slots = 0;
  std::uint32_t n_full_slots = 0;      // that held n_ctx tokens at the end
  bool refuses_longer_prompt = false;  // and one token more was refused, with the slot as it was
  std::vector<VerifiedDevice> devices;
  std::vector<DepthSpeed> speeds;     // empty cache, half, full; none of a context that is too short to time
  std::optional<PromptSpeed> prompt;  // likewise
  std::uint32_t n_answers = 0;
  MemoryGrowth grown_by_answers{};  // over these
  MemoryGrowth grown{};             // since the load
  double seconds = 0;               // that all of it took
};

// Where a verification stands: steps that were done and that there are, in units of about equal time.
enum class VerifyStage : std::uint8_t { kOneSlot, kAllSlots, kAnswers };
inline constexpr std::uint32_t kVerifyStages = 3;
struct VerifyProgress {
  VerifyStage stage = VerifyStage::kOneSlot;
  std::uint64_t n_done = 0, n_total = 1;
};

// Something that is not as planned.
struct VerifyDifference {
  enum class Kind : std::uint8_t {
    kMapped,         // of a device: planned and mapped bytes
    kAllocated,      // arenas that were mapped since the load: 0 and how many
    kNotFull,        // slots: all, and those that were filled to their end
    kEndNotRefused,  // a prompt that is longer than the context was taken
    kDriverGrew,     // over the answers: the bytes allowed and found
    kHeapGrew,
    kMappingsGrew
  };
  Kind kind = Kind::kMapped;
  std::string device{};  // of kMapped
  std::uint64_t expected = 0, found = 0;
  bool operator==(const VerifyDifference&) const = default;
};
std::string_view verify_difference_name(VerifyDifference::Kind kind);  // "mapped", "heap_grew"

// Whose process it was: heap and mappings are of the whole process. In the window they grow with its own text and
// widgets, and are told without being judged.
enum class VerifyProcess : std::uint8_t { kEngineAlone, kWithWindow };

// Empty: as planned.
std::vector<VerifyDifference> verify_differences(const Verification& found, VerifyProcess process);

// Bytes of all devices.
Bytes planned_bytes(const Verification& found);
Bytes mapped_bytes(const Verification& found);

// About how long a verification takes. Absent where a device of the plan has no known speed.
std::optional<double> estimate_verify_seconds(const ModelInfo& model, const MemoryPlan& plan);

}  // namespace headroom
