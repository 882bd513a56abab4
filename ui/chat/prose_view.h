// Read-only text of one prose segment: selectable, as high as it needs to be, scrolled by whoever holds it.
#pragma once

#include <QTextBrowser>

#include "ui/chat/markdown_segments.h"
#include "ui/chat/markdown_writer.h"

namespace headroom::ui {

// Links open in the desktop's browser when they are clicked, http(s) and mailto only. No resource is ever loaded.
class ProseView : public QTextBrowser {
  Q_OBJECT
 public:
  explicit ProseView(ProseStyle style, QWidget* parent = nullptr);

  // Finished blocks that are shown already stay; only the unfinished rest is written again.
  void showMarkdown(const MarkdownSegment& segment);
  void showPlain(const QString& text);
  int heightFor(int width);
  // As ChatRow::markFound.
  int markFound(const QString& text, int current, const ThemeTokens& tokens);

 protected:
  QVariant loadResource(int type, const QUrl& name) override;
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;  // leaves to whoever scrolls what moves the conversation
  void wheelEvent(QWheelEvent* event) override;   // left to whoever scrolls

 private:
  void openLink(const QUrl& url);

  ProseStyle m_style;
  qsizetype m_settled = 0;  // characters of the segment that stand in finished blocks
  int m_tailStart = 0;      // where in the document the rest starts
  QTextBlockFormat
      m_tailFormat;  // of the block that it starts in: removing text may give an empty block the format of the next
};

}  // namespace headroom::ui
