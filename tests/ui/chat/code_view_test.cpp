#include "ui/chat/code_view.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextLayout>
#include <QWheelEvent>

namespace headroom::ui {
namespace {

QColor colourAt(const CodeView& view, int line, int column) {
  const QTextBlock block = view.document()->findBlockByNumber(line);
  for (const QTextLayout::FormatRange& range : block.layout()->formats()) {
    if (range.start <= column && column < range.start + range.length) return range.format.foreground().color();
  }
  return {};
}

TEST(CodeViewTest, code_that_arrives_in_pieces_looks_like_the_whole) {
  const QString code = "int a = 1; /* open\nstill open */ int b;\nint c;\n";
  CodeView pieces(lightTokens(), "cpp"), whole(lightTokens(), "cpp");
  for (qsizetype i = 1; i <= code.size(); ++i) pieces.showCode(code.left(i));
  whole.showCode(code);
  EXPECT_EQ(pieces.toPlainText(), code);
  EXPECT_EQ(pieces.heightFor(300), whole.heightFor(300));
  for (int line = 0; line < 3; ++line) EXPECT_EQ(colourAt(pieces, line, 0), colourAt(whole, line, 0)) << line;
  EXPECT_NE(colourAt(whole, 1, 0), colourAt(whole, 2, 0)) << "the comment goes on over the line";
}

TEST(CodeViewTest, code_that_became_another_is_shown_anew) {
  CodeView view(darkTokens(), "");
  view.showCode("a very long first line that makes the view scroll sideways");
  const int scrolling = view.heightFor(100);
  view.showCode("short");
  EXPECT_EQ(view.toPlainText(), "short");
  EXPECT_LT(view.heightFor(100), scrolling) << "room for the bar goes with the line that needed it";
}

TEST(CodeViewTest, it_is_as_high_as_its_lines) {
  CodeView view(lightTokens(), "no such language");
  view.showCode("1\n2\n3");
  const int three = view.heightFor(500);
  view.showCode("1\n2\n3\n");
  EXPECT_EQ(view.heightFor(500), three) << "the end of the last line is no line";
  view.showCode("1\n2\n3\n4");
  EXPECT_EQ(view.heightFor(500) - three, view.fontMetrics().lineSpacing());
  view.showCode("");
  EXPECT_GE(view.heightFor(500), view.fontMetrics().lineSpacing());
}

TEST(CodeViewTest, the_wheel_scrolls_the_chat_and_sideways_the_code) {
  CodeView view(lightTokens(), "");
  view.resize(100, 60);
  view.showCode(QString(300, QLatin1Char('x')));
  view.show();
  const auto turn = [&](QPoint delta, Qt::KeyboardModifiers keys) {
    QWheelEvent event({10, 10}, {10, 10}, {}, delta, Qt::NoButton, keys, Qt::NoScrollPhase, false);
    event.accept();
    QCoreApplication::sendEvent(view.viewport(), &event);
    return event.isAccepted();
  };
  EXPECT_FALSE(turn({0, -120}, Qt::NoModifier)) << "left to whoever scrolls the chat";
  EXPECT_EQ(view.horizontalScrollBar()->value(), 0);
  turn({-120, 0}, Qt::NoModifier);
  EXPECT_GT(view.horizontalScrollBar()->value(), 0);
}

}  // namespace
}  // namespace headroom::ui
