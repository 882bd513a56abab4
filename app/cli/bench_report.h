// What `bench` tells: speeds, beside what the devices that compute could do at most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "output.h"

namespace headroom::cli {

// A device of the plan that reads weights or a cache, and its part of the work.
struct BenchedDevice {
  DeviceInfo info;
  std::uint32_t nLayers = 0;  // whose attention is there
  double decodeBytes = 0;     // that one decoded token reads there
  double prefillOps = 0;      // of the whole prompt there: multiplications and additions
  DeviceLimits limits{};
};

struct BenchFigures {
  std::string model, kvK, kvV, kvScheme;
  std::uint32_t nPrompt = 0, nDecode = 0, depth = 0, nBatch = 0, nThreads = 1;
  double loadSeconds = 0, loadBytesPerS = 0;  // of the file's weights, by all threads together
  double prefillTokensPerS = 0, decodeTokensPerS = 0;
  // The share of the time in which a thread multiplied no matrix; absent where not only the CPU computes.
  std::optional<double> prefillOutside{}, decodeOutside{};
  std::optional<double> predictedTokensPerS{};  // of decoding, by the time model
  std::vector<BenchedDevice> devices{};
};

// Of all devices together.
double decodeBytesPerS(const BenchFigures& figures);
double prefillOpsPerS(const BenchFigures& figures);

// Devices work one after the other. So these are the share of a token's time that its reads alone would take, each at
// its device's limit, and of a prompt's time that its arithmetic would take at the highest peak of each device. Absent
// where a limit is not known, or nothing was measured.
std::optional<double> decodeShare(const BenchFigures& figures);
std::optional<double> prefillShare(const BenchFigures& figures);

Json benchJson(const BenchFigures& figures);
std::string benchText(const BenchFigures& figures);  // whole lines

}  // namespace headroom::cli
