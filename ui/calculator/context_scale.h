// Slider positions that mean context lengths: fine steps where they matter, doubling towards the trained context.
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

namespace headroom::ui {

// Positions 0..count-1 in ascending order: 256, 384, 512, 768, 1024, ... (each power of two and the value half way to
// the next), and `longest` last. A model trained on less than 1,024 starts lower, at 16 at least, so that its slider
// has somewhere to go.
class ContextScale {
 public:
  explicit ContextScale(std::uint32_t longest);

  int count() const { return static_cast<int>(m_steps.size()); }
  std::uint32_t longest() const { return m_steps.back(); }
  std::uint32_t at(int position) const;          // clamped to the ends
  int nearest(std::uint32_t nCtx) const;         // the last position whose context is at most nCtx, else 0
  static QString shortName(std::uint32_t nCtx);  // "24k" for 24,576, else the number

 private:
  std::vector<std::uint32_t> m_steps;
};

}  // namespace headroom::ui
