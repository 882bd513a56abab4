#include "ui/calculator/context_scale.h"

#include <algorithm>

#include "ui/format/format_bytes.h"

namespace headroom::ui {

ContextScale::ContextScale(std::uint32_t longest) {
  std::uint64_t shortest = 256;
  while (shortest > 16 && shortest > longest / 4) shortest /= 2;
  for (std::uint64_t power = shortest; power < longest; power *= 2) {
    m_steps.push_back(static_cast<std::uint32_t>(power));
    if (power + power / 2 < longest) m_steps.push_back(static_cast<std::uint32_t>(power + power / 2));
  }
  m_steps.push_back(std::max<std::uint32_t>(longest, 1));
}

std::uint32_t ContextScale::at(int position) const {
  return m_steps[static_cast<std::size_t>(std::clamp(position, 0, count() - 1))];
}

int ContextScale::nearest(std::uint32_t nCtx) const {
  const auto above = std::upper_bound(m_steps.begin(), m_steps.end(), nCtx);
  return std::max(0, static_cast<int>(above - m_steps.begin()) - 1);
}

QString ContextScale::shortName(std::uint32_t nCtx) {
  return nCtx >= 1024 && nCtx % 1024 == 0 ? QStringLiteral("%1k").arg(nCtx / 1024) : formatCount(nCtx);
}

}  // namespace headroom::ui
