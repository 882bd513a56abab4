// What is known of the speed of a device over time: which measurements and answers to believe, and when to measure
// again. Pure: the time is told.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "format/dtype_table.h"
#include "plan/speed.h"

namespace headroom {

using UtcSeconds = std::int64_t;

inline constexpr std::size_t kNSpeedFigures = 4 + 4 * kNDTypes;

// Calls visit(index, name, value, is_seconds) for every figure of a DeviceSpeed, in an order that never changes.
// is_seconds: less of it is faster. Names are those of the file: "op_seconds", "Q4_K decode_bytes_per_s".
template <class Speed, class Visit>
void for_each_figure(Speed& speed, Visit visit) {
  std::size_t index = 0;
  const auto of_device = [&](const char* name, auto& value, bool is_seconds) {
    visit(index++, std::string(name), value, is_seconds);
  };
  of_device("read_bytes_per_s", speed.read_bytes_per_s, false);
  of_device("copy_bytes_per_s", speed.copy_bytes_per_s, false);
  of_device("op_seconds", speed.op_seconds, true);
  of_device("products_per_s", speed.products_per_s, false);
  for (const DTypeRow& row : kDTypes) {
    auto& format = speed.formats[static_cast<std::size_t>(row.dtype)];
    const auto of_format = [&](const char* name, auto& value) {
      visit(index++, std::string(row.name) + ' ' + name, value, false);
    };
    of_format("decode_bytes_per_s", format.decode_bytes_per_s);
    of_format("cache_bytes_per_s", format.cache_bytes_per_s);
    of_format("prompt_products_per_s", format.prompt_products_per_s);
    of_format("attend_products_per_s", format.attend_products_per_s);
  }
}

// Whether no figure differs by more than 5 %: no prediction changes to speak of.
bool is_near(const DeviceSpeed& a, const DeviceSpeed& b);

struct FigureAge {
  UtcSeconds measured_at = 0;  // the last time; 0: never with this driver
  std::uint32_t n_measurements = 0;
  // Measurements since, one after the other, that were clearly slower than the figure, and the best of them.
  std::uint32_t n_slower = 0;
  double best_slower = 0;
  bool operator==(const FigureAge&) const = default;
};

// A speed that heals. Other programs only ever take time away, so the best of several measurements counts, and one that
// is clearly better replaces what is known, whatever that was. A figure that is too fast falls by answers that took
// longer, half of the way each, and is given up when so many measurements in a row contradict it.
struct SpeedHistory {
  DeviceSpeed speed;
  std::array<FigureAge, kNSpeedFigures> ages{};  // in the order of for_each_figure()
  bool is_doubted = false;                       // an answer was far from what was predicted; nobody measured since

  // Figures that are 0 in `measured` were not measured and stay.
  void take_measurement(const DeviceSpeed& measured, UtcSeconds now);
  void take_answer(const SeenSpeed& seen);
  // Another driver: what is known is a start, and nobody measured it.
  void forget_ages();
  // Whether to measure when the device is next idle: nobody did so, too few times so far, some time after an answer
  // that was far off, or long ago.
  bool is_due(UtcSeconds now) const;
};

}  // namespace headroom
