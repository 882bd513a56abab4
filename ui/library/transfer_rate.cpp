#include "ui/library/transfer_rate.h"

namespace headroom::ui {

namespace {

constexpr qint64 kRateWindowMs = 8000, kShortestRateMs = 500;
constexpr qint64 kLongestLeftMs = qint64{1000} * 60 * 60 * 24 * 30;  // who waits for months is not helped by a figure

}  // namespace

void TransferRate::add(qint64 nowMs, Bytes bytesDone) {
  if (!m_samples.empty() && bytesDone < m_samples.back().bytes) reset();
  m_samples.push_back({nowMs, bytesDone});
  // The sample before the window stays: it is where the window begins.
  while (m_samples.size() > 2 && m_samples[1].ms <= nowMs - kRateWindowMs) m_samples.pop_front();
}

std::optional<double> TransferRate::bytesPerSecond(qint64 nowMs) const {
  if (m_samples.empty()) return std::nullopt;
  const Sample& first = m_samples.front();
  const qint64 ms = nowMs - first.ms;
  if (ms < kShortestRateMs) return std::nullopt;
  return static_cast<double>(m_samples.back().bytes - first.bytes) * 1000.0 / static_cast<double>(ms);
}

std::optional<qint64> TransferRate::msLeft(qint64 nowMs, Bytes bytesLeft) const {
  const std::optional<double> rate = bytesPerSecond(nowMs);
  if (!rate || !(*rate > 0)) return std::nullopt;
  const double ms = static_cast<double>(bytesLeft) * 1000.0 / *rate;
  if (!(ms < static_cast<double>(kLongestLeftMs))) return std::nullopt;
  return static_cast<qint64>(ms);
}

}  // namespace headroom::ui
