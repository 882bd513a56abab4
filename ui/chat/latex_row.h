// One line of a formula as it grows from left to right: puts the spaces between that its parts want.
#pragma once

#include <utility>

#include "ui/chat/latex_box.h"
#include "ui/chat/latex_symbols.h"

namespace headroom::ui {

class LatexRow {
 public:
  // `isTight`: in what is raised or lowered, where operators have no spaces around them.
  explicit LatexRow(bool isTight) : m_isTight(isTight) {}

  void add(const LatexBox& box, LatexKind kind);
  LatexBox take() { return std::move(m_box); }

 private:
  LatexBox m_box;
  LatexKind m_last = LatexKind::Plain;
  bool m_isTight, m_hasNone = true;
  bool m_wantsSpace = false;  // before what comes next
};

}  // namespace headroom::ui
