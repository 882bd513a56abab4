#include "ui/chat/prose_view.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QDesktopServices>
#include <QWheelEvent>

namespace headroom::ui {
namespace {

class ProseViewTest : public testing::Test {
 protected:
  void show(const QString& text, bool closed = true) {
    MarkdownSegment segment;
    segment.text = text;
    segment.closed = closed;
    m_view.showMarkdown(segment);
  }
  ProseView m_view{ProseStyle::of(lightTokens(), QFont())};
};

// Takes the place of the desktop's browser.
class Browser : public QObject {
  Q_OBJECT
 public:
  Browser() {
    for (const char* scheme : {"http", "https", "mailto", "file", "javascript"})
      QDesktopServices::setUrlHandler(QLatin1String(scheme), this, "open");
  }
  ~Browser() override {
    for (const char* scheme : {"http", "https", "mailto", "file", "javascript"})
      QDesktopServices::unsetUrlHandler(QLatin1String(scheme));
  }
  QStringList opened;
 public slots:
  void open(const QUrl& url) { opened.append(url.toString()); }
};

TEST_F(ProseViewTest, only_links_of_the_web_and_of_mail_are_opened) {
  Browser browser;
  for (const char* url : {"https://example.org/a", "HTTP://example.org/", "mailto:a@example.org", "file:///etc/passwd",
                          "javascript:alert(1)", "#anchor", ""})
    emit m_view.anchorClicked(QUrl(QLatin1String(url)));
  EXPECT_EQ(browser.opened, (QStringList{"https://example.org/a", "http://example.org/", "mailto:a@example.org"}));
}

TEST_F(ProseViewTest, formulas_that_arrive_in_two_parts_end_as_if_they_came_at_once) {
  const QString text = QString::fromUtf8(
      "So $a_1$ and \\(b\\):\n\n\\[\nx = \\frac{1}{2}\n\\]\n\n- item $$c$$ more\n- costs $5 and $6\n\n"
      "\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}\nEnd `$x$` of it, \\{ and all.");
  const auto shown = [](const QString& first, const QString& rest) {
    ProseView view(ProseStyle::of(lightTokens(), QFont()));
    MarkdownSegments segments;
    segments.append(first);
    if (!segments.segments().empty()) view.showMarkdown(segments.segments().front());
    segments.append(rest);
    view.showMarkdown(segments.segments().front());
    segments.finish();
    view.showMarkdown(segments.segments().front());
    EXPECT_EQ(segments.segments().size(), 1U);
    return view.toPlainText();
  };
  const QString whole = shown({}, text);
  EXPECT_TRUE(whole.contains(QString::fromUtf8("x = 1⁄2"))) << whole.toStdString();
  for (qsizetype i = 1; i < text.size(); ++i) EXPECT_EQ(shown(text.left(i), text.mid(i)), whole) << i;
}

TEST_F(ProseViewTest, tab_stops_only_where_there_is_a_link) {
  show("plain *words*");
  EXPECT_NE(m_view.focusPolicy(), Qt::StrongFocus);
  show("see [this](https://example.org)");
  EXPECT_EQ(m_view.focusPolicy(), Qt::StrongFocus);
}

TEST_F(ProseViewTest, plain_text_is_shown_letter_by_letter) {
  m_view.showPlain("# not a heading\n<b>*x*</b>");
  EXPECT_EQ(m_view.toPlainText(), "# not a heading\n<b>*x*</b>");
}

TEST_F(ProseViewTest, it_is_higher_where_it_is_narrower_and_never_scrolls_by_itself) {
  show(QString("some words ").repeated(100));
  EXPECT_GT(m_view.heightFor(200), 2 * m_view.heightFor(800));
  EXPECT_GT(m_view.heightFor(1), 0);
  QWheelEvent event({5, 5}, {5, 5}, {}, {0, -120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(m_view.viewport(), &event);
  EXPECT_FALSE(event.isAccepted());
}

TEST_F(ProseViewTest, no_picture_is_ever_fetched) {
  show("![x](file:///etc/passwd) ![y](https://example.org/y.png)");
  EXPECT_FALSE(m_view.toHtml().contains("<img"));
}

}  // namespace
}  // namespace headroom::ui

#include "prose_view_test.moc"
