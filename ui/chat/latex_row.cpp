#include "ui/chat/latex_row.h"

namespace headroom::ui {

void LatexRow::add(const LatexBox& box, LatexKind kind) {
  if (kind == LatexKind::Space) {
    if (m_hasNone) return;
    m_wantsSpace = false;
    m_last = LatexKind::Space;
    return m_box.append(box);
  }
  const bool opensLine = m_hasNone || m_last == LatexKind::Relation || m_last == LatexKind::Binary ||
                         m_last == LatexKind::Open || m_last == LatexKind::Comma || m_last == LatexKind::Big ||
                         m_last == LatexKind::Function;
  const bool isSign = kind == LatexKind::Binary && (opensLine || m_isTight);
  const bool isFactor = kind == LatexKind::Plain || kind == LatexKind::Open || kind == LatexKind::Fraction;
  const bool partsFraction =
      !m_hasNone && ((m_last == LatexKind::Fraction && isFactor) ||
                     (kind == LatexKind::Fraction && (m_last == LatexKind::Plain || m_last == LatexKind::Close)));
  const bool isBetween = (kind == LatexKind::Binary && !isSign) || kind == LatexKind::Relation;
  const bool startsWord = (kind == LatexKind::Function || kind == LatexKind::Big) &&
                          (m_last == LatexKind::Plain || m_last == LatexKind::Close || m_last == LatexKind::Fraction) &&
                          !m_hasNone;
  const bool closes = kind == LatexKind::Close || kind == LatexKind::Comma;
  const bool calls = m_last == LatexKind::Function && kind == LatexKind::Open;
  const bool hasSpace = m_last == LatexKind::Space;
  if (!m_isTight && !m_hasNone && !hasSpace && !closes && !calls &&
      (m_wantsSpace || isBetween || startsWord || partsFraction))
    m_box.append(LatexBox(QStringLiteral(" ")));
  if (m_isTight && partsFraction) m_box.append(LatexBox(QStringLiteral(" ")));
  m_wantsSpace = isBetween || kind == LatexKind::Comma || kind == LatexKind::Function || kind == LatexKind::Big;
  // In an index words are still parted from what they are of: "max x" would be read as one.
  if (m_isTight && m_last == LatexKind::Function && kind == LatexKind::Plain)
    m_box.append(LatexBox(QStringLiteral(" ")));
  m_last = isSign ? LatexKind::Open : kind;
  m_hasNone = false;
  m_box.append(box);
}

}  // namespace headroom::ui
