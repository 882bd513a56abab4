#include "ui/chat/found_marks.h"

#include <QTextBlock>
#include <QTextDocument>

namespace headroom::ui {

void eachHit(const QStringMatcher& matcher, const QString& line, const std::function<void(qsizetype)>& found) {
  const qsizetype length = matcher.pattern().size();
  if (length == 0) return;
  for (qsizetype at = matcher.indexIn(line); at >= 0; at = matcher.indexIn(line, at + length)) found(at);
}

std::vector<QTextCursor> hitsIn(QTextDocument& document, const QString& text) {
  std::vector<QTextCursor> hits;
  const QStringMatcher matcher(text, Qt::CaseInsensitive);
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    eachHit(matcher, block.text(), [&](qsizetype at) {
      QTextCursor hit(block);
      hit.setPosition(block.position() + static_cast<int>(at));
      hit.setPosition(hit.position() + static_cast<int>(text.size()), QTextCursor::KeepAnchor);
      hits.push_back(hit);
    });
  }
  return hits;
}

QList<QTextEdit::ExtraSelection> foundMarks(const std::vector<QTextCursor>& hits, int current,
                                            const ThemeTokens& tokens) {
  QList<QTextEdit::ExtraSelection> marks;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const bool isCurrent = static_cast<int>(i) == current;
    QTextEdit::ExtraSelection mark;
    mark.cursor = hits[i];
    mark.format.setBackground(isCurrent ? tokens.foundNow : tokens.found);
    mark.format.setForeground(isCurrent ? tokens.onFoundNow : tokens.text);
    marks.append(mark);
  }
  return marks;
}

}  // namespace headroom::ui
