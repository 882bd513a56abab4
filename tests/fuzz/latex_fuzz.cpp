// Whatever stands in an answer: its formulas lie in it, in order, and each becomes a text within a bound.
#include <QString>
#include <cstdint>

#include "base/check.h"
#include "ui/chat/latex_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const QString text = QString::fromUtf8(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
  qsizetype at = 0;
  for (const headroom::ui::LatexSpan& span : headroom::ui::findLatex(text)) {
    CHECK(span.start >= at && span.length > 0, "formulas that are out of order");
    at = span.start + span.length;
    CHECK(at <= text.size(), "a formula beyond the text");
    for (const bool isDisplay : {false, true}) {
      const QString shown = headroom::ui::latexText(span.body, isDisplay);
      CHECK(shown.size() <= 40 * span.body.size() + 25'000, "a formula grew without a bound");
    }
  }
  (void)headroom::ui::latexText(text, true);
  return 0;
}
