#include "ui/chat/chat_widget.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "ui/chat/attachment_viewer.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/chat_widget_fixture.h"
#include "ui/chat/context_gauge.h"
#include "ui/theme/elided_label.h"

namespace headroom::ui {
namespace {

// As the starter model might answer.
const char* const kAnswer =
    "The **KV cache** keeps the keys and values of every token that the model has read, so that they are never "
    "computed twice.\n\n"
    "For one request it takes:\n\n"
    "1. two tensors, `K` and `V`, per layer\n"
    "2. `n_kv_heads x head_dim` elements per token in each\n"
    "3. two bytes per element as F16, about one as Q8\n\n"
    "| Context | F16 | Q8 |\n|---|--:|--:|\n| 4,096 | 512 MiB | 272 MiB |\n| 32,768 | 4.00 GiB | 2.13 GiB |\n\n"
    "The same as code:\n\n"
    "```cpp\n// Bytes of K (or of V) per position, all KV heads.\nBytes kv_row_bytes(const LayerSpec& layer, DType "
    "dtype) {\n"
    "  const auto blocks = layer.kv_dim() / info(dtype).block_elems;\n  return blocks * info(dtype).block_bytes;  // "
    "never n_heads\n}\n```\n\n"
    "> Windows make it smaller: a layer that sees only the newest 4,096 positions keeps no more than those.\n\n"
    "See [the formula view](https://example.org) in the Memory dock for each number.";

TEST_F(ChatWidgetTest, enter_sends_and_shift_enter_breaks_the_line) {
  auto* edit = find<QPlainTextEdit>("messageEdit");
  QTest::keyClicks(edit, "one");
  QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
  EXPECT_TRUE(m_engine.generates.empty());
  type("two");
  ASSERT_EQ(m_engine.generates.size(), 1U);
  EXPECT_EQ(m_engine.generates[0].request.messages.back().content, "one\ntwo");
  EXPECT_EQ(edit->toPlainText(), "");
}

TEST_F(ChatWidgetTest, escape_stops_and_the_button_says_what_it_does) {
  type("q");
  auto* button = find<QPushButton>("sendButton");
  EXPECT_EQ(button->text(), "Stop");
  QTest::keyClick(find<QPlainTextEdit>("messageEdit"), Qt::Key_Escape);
  EXPECT_EQ(m_engine.stops.size(), 1U);
  emit m_engine.generationFinished(m_engine.lastId, ChatEnd::Stopped, {});
  EXPECT_EQ(button->text(), "Send");
}

TEST_F(ChatWidgetTest, code_and_messages_are_copied_as_they_were_written) {
  type("What is the KV cache?");
  answer(kAnswer);
  find<QToolButton>("copyCode")->click();
  EXPECT_TRUE(QGuiApplication::clipboard()->text().startsWith("// Bytes of K"));
  EXPECT_TRUE(QGuiApplication::clipboard()->text().endsWith("}"));
  QStringList copied;
  for (QToolButton* copy : m_widget->findChildren<QToolButton*>("copyMessage")) {
    copy->click();
    copied.append(QGuiApplication::clipboard()->text());
  }
  EXPECT_TRUE(copied.contains(QString::fromUtf8(kAnswer)));
  EXPECT_TRUE(copied.contains("What is the KV cache?"));
}

TEST_F(ChatWidgetTest, a_message_is_edited_in_the_composer_and_sent_as_a_new_version) {
  type("first");
  answer();
  find<QToolButton>("editMessage")->click();
  auto* edit = find<QPlainTextEdit>("messageEdit");
  EXPECT_EQ(edit->toPlainText(), "first");
  type(" and more");
  EXPECT_EQ(m_engine.generates.back().request.messages.back().content, "first and more");
  answer();
  EXPECT_EQ(m_widget->findChildren<QToolButton*>("versionBefore").size(), 1);
}

TEST_F(ChatWidgetTest, dropped_text_is_attached_and_a_model_goes_to_the_window) {
  QSignalSpy models(m_widget.get(), &ChatWidget::modelDropped), problems(m_widget.get(), &ChatWidget::problemFound);
  drop({QUrl::fromLocalFile(HEADROOM_SOURCE_DIR "/LICENSE"), QUrl::fromLocalFile("/models/x.gguf"),
        QUrl::fromLocalFile("/absent.txt")});
  EXPECT_EQ(models.count(), 1);
  EXPECT_FALSE(find<QPushButton>("sendButton")->isEnabled()) << "both are still being read";
  ASSERT_TRUE(waitFor([&] { return problems.count() == 1 && !isReading(); }));
  EXPECT_EQ(problems[0][0].value<Sentence>().text(), "absent.txt is not there: it was moved or deleted.");
  type("Summarise this");
  EXPECT_NE(m_engine.generates.back().request.messages.back().content.find("File LICENSE:"), std::string::npos);
}

TEST_F(ChatWidgetTest, a_file_that_was_sent_opens_again_with_its_tokens) {
  m_widget->session().draft().handleEvent(draft_event::FileAdded{1, "notes.txt"});
  m_widget->session().draft().handleEvent(draft_event::FileRead{1, {"notes.txt", "one\ntwo"}});
  type("Summarise this");
  answer();
  ASSERT_TRUE(waitForRowButton("sentAttachment"));
  rowButton("sentAttachment")->click();
  auto* viewer = m_widget->findChild<AttachmentViewer*>();
  ASSERT_NE(viewer, nullptr);
  EXPECT_EQ(viewer->findChild<QPlainTextEdit*>("attachmentText")->toPlainText(), "one\ntwo");
  m_engine.sendCounts(0, 4096, {12});
  EXPECT_TRUE(viewer->findChild<QLabel*>("attachmentFacts")->text().endsWith("12 tokens"));
}

TEST_F(ChatWidgetTest, a_message_is_counted_while_it_is_written_and_one_that_cannot_fit_plans_a_larger_context) {
  QSignalSpy larger(m_widget.get(), &ChatWidget::largerContextWanted);
  QTest::keyClicks(find<QPlainTextEdit>("messageEdit"), "Hello");
  ASSERT_TRUE(waitFor([&] { return !m_engine.counts.empty(); }));
  m_engine.sendCounts(25, 4096);
  EXPECT_EQ(find<QLabel>("composerHint")->text(), "With this message 25 of 4,096 tokens");
  m_engine.sendLoaded("Smaller", 16);
  m_engine.sendCounts(25, 16);
  EXPECT_TRUE(find<QWidget>("tooLongWarning")->isVisible());
  find<QPushButton>("planForMessage")->click();
  EXPECT_EQ(larger.count(), 1);
}

TEST_F(ChatWidgetTest, screenshots_of_formulas_in_both_themes) {
  type("How do I solve a quadratic equation, and what is a rotation?");
  answer(
      "A quadratic equation \\(ax^2 + bx + c = 0\\) with $a \\ne 0$ has the roots\n\n"
      "\\[\nx_{1,2} = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}\n\\]\n\n"
      "They are real where $b^2 - 4ac \\ge 0$. A book that costs $5 and $6 is no formula.\n\n"
      "1. The sum of the first numbers is\n   $$\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}$$\n"
      "2. and $\\lim_{x \\to 0} \\frac{\\sin x}{x} = 1$.\n\n"
      "A rotation by $\\theta$ is the matrix\n\n"
      "$$R(\\theta) = \\begin{pmatrix} \\cos\\theta & -\\sin\\theta \\\\ \\sin\\theta & \\cos\\theta "
      "\\end{pmatrix}$$\n\n"
      "\\begin{align*}\n(a+b)^2 &= (a+b)(a+b) \\\\\n&= a^2 + 2ab + b^2\n\\end{align*}\n\n"
      "and $f(n) = \\begin{cases} n/2 & n \\text{ even} \\\\ 3n+1 & \\text{else} \\end{cases}$ with $n \\in "
      "\\mathbb{N}$.");
  for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
    m_theme.setChoice(choice);
    grab(QStringLiteral("chat-formulas-") + (choice == ThemeChoice::Light ? "light" : "dark"));
  }
  ASSERT_TRUE(waitForRowButton("copyMessage"));
  rowButton("copyMessage")->click();
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("\\frac{-b \\pm")) << "as it was written";
}

TEST_F(ChatWidgetTest, screenshots_of_files_in_both_themes) {
  ChatDraft& draft = m_widget->session().draft();
  const QString report = "[page 1]\nThe plan of a model\n" + QString("Every byte has a place.\n").repeated(400);
  const auto attach = [&](quint64 id, const char* name, const QString& text) {
    draft.handleEvent(draft_event::FileAdded{id, name});
    if (!text.isEmpty()) draft.handleEvent(draft_event::FileRead{id, {name, text}});
  };
  const auto count = [&](quint32 promptTokens) {
    const std::size_t before = m_engine.counts.size();
    find<QPlainTextEdit>("messageEdit")->insertPlainText(" ");
    ASSERT_TRUE(waitFor([&] { return m_engine.counts.size() > before; }));
    const bool asksForFiles = !m_engine.counts.back().texts.empty();
    m_engine.sendCounts(promptTokens, 4096, asksForFiles ? std::vector<quint32>{2'400, 14} : std::vector<quint32>());
  };
  attach(1, "report.pdf", report);
  attach(2, "main.cpp", "int main() {\n  return 0;\n}\n");
  type("What do these say?");
  answer("They say that every byte has a place.");
  attach(3, "report.pdf", report + "and more");
  attach(4, "main.cpp", "int main() { return 0; }\n");
  find<QPlainTextEdit>("messageEdit")->setPlainText("And what do these?");
  for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
    m_theme.setChoice(choice);
    const QString suffix = choice == ThemeChoice::Light ? "light" : "dark";
    count(3'210);
    EXPECT_EQ(find<QLabel>("composerHint")->text(), "With this message 3,210 of 4,096 tokens");
    attach(5, "minutes.pdf", {});
    grab("chat-files-reading-" + suffix);
    draft.handleEvent(draft_event::FileGone{5});
    grab("chat-files-" + suffix);
    count(5'610);
    grab("chat-files-too-long-" + suffix);
    emit m_widget->findChild<ChatView*>()->attachmentChosen(m_widget->session().tree().path().first(), 0);
    auto* viewer = m_widget->findChild<AttachmentViewer*>();
    ASSERT_NE(viewer, nullptr);
    viewer->setTokens(2'400);
    viewer->findChild<QLineEdit*>("attachmentFind")->setText("byte");
    settle();
    const QString folder = qEnvironmentVariable("HEADROOM_SCREENSHOTS", QDir::current().filePath("screenshots"));
    EXPECT_TRUE(viewer->grab().save(QDir(folder).filePath("attachment-viewer-" + suffix + ".png")));
    delete viewer;
  }
}

TEST_F(ChatWidgetTest, a_dropped_folder_goes_to_the_window_unless_a_model_came_after_it) {
  QTemporaryDir folder;
  QSignalSpy models(m_widget.get(), &ChatWidget::modelDropped);
  drop({QUrl::fromLocalFile(folder.path())});
  ASSERT_TRUE(waitFor([&] { return models.count() == 1; }));
  EXPECT_EQ(models[0][0].toString(), folder.path());
  drop({QUrl::fromLocalFile(folder.path())});
  drop({QUrl::fromLocalFile("/models/x.gguf")});
  ASSERT_TRUE(waitFor([&] { return !isReading(); }));
  EXPECT_EQ(models.last()[0].toString(), "/models/x.gguf") << "the older drop is found out to be a folder too late";
  drop({QUrl::fromLocalFile(folder.path())});
  m_widget->setOpenModel("Opened by the menu", false);
  ASSERT_TRUE(waitFor([&] { return !isReading(); }));
  EXPECT_EQ(models.count(), 2);
}

TEST_F(ChatWidgetTest, a_full_context_offers_three_ways_out) {
  QSignalSpy larger(m_widget.get(), &ChatWidget::largerContextWanted);
  for (int i = 0; i < 3; ++i) {
    type("A question");
    answer();
  }
  type("last");
  emit m_engine.promptTooLong(m_engine.lastId, 5000, 4096);
  EXPECT_TRUE(find<QWidget>("troubleBar")->isVisible());
  find<QPushButton>("largerContext")->click();
  EXPECT_EQ(larger.count(), 1);
  EXPECT_EQ(larger[0][0].toUInt(), 7500U);
  EXPECT_TRUE(find<QPushButton>("summarise")->isVisible());
  find<QPushButton>("dropOldest")->click();
  EXPECT_FALSE(find<QWidget>("troubleBar")->isVisible());
  EXPECT_EQ(m_engine.generates.back().request.messages.back().content, "last");
}

TEST_F(ChatWidgetTest, a_draft_waits_in_its_conversation) {
  auto* edit = find<QPlainTextEdit>("messageEdit");
  auto* list = find<QListView>("conversationList");
  type("First");
  answer();
  QTest::keyClicks(edit, "half a thought");
  find<QPushButton>("newConversation")->click();
  EXPECT_EQ(edit->toPlainText(), "");
  QTest::keyClicks(edit, "something new");
  emit list->activated(list->model()->index(0, 0));
  EXPECT_EQ(edit->toPlainText(), "half a thought");
  find<QPushButton>("newConversation")->click();
  EXPECT_EQ(edit->toPlainText(), "something new");
  SetUp();  // the program ends, and starts again
  edit = find<QPlainTextEdit>("messageEdit");
  EXPECT_EQ(edit->toPlainText(), "something new");
  list = find<QListView>("conversationList");
  emit list->activated(list->model()->index(0, 0));
  EXPECT_EQ(edit->toPlainText(), "half a thought");
}

TEST_F(ChatWidgetTest, an_edit_whose_message_is_hidden_by_another_version_says_so_and_shows_it_when_it_is_sent) {
  type("one");
  answer();
  const QString firstVersion = m_widget->session().tree().path().first();
  ASSERT_TRUE(waitForRowButton("editMessage"));
  rowButton("editMessage")->click();
  type("!");
  answer();
  type("two");
  answer();
  ASSERT_TRUE(waitForRowButton("editMessage"));
  rowButton("editMessage")->click();  // of the newest message
  auto* edit = find<QPlainTextEdit>("messageEdit");
  ASSERT_EQ(edit->toPlainText(), "two");
  const auto* said = find<QLabel>("editText");
  EXPECT_EQ(said->text(), "Editing your message; the version before stays.");
  m_widget->findChild<ChatView*>()->versionChosen(firstVersion);
  EXPECT_EQ(said->text(), "Editing a message that another version hides; sending shows it again.");
  type(" more");
  EXPECT_EQ(m_engine.generates.back().request.messages.back().content, "two more");
  EXPECT_EQ(m_widget->session().tree().path().size(), 4);
}

TEST_F(ChatWidgetTest, the_gauge_tells_share_and_numbers) {
  type("q");
  answer();
  EXPECT_EQ(find<ContextGauge>("contextGauge")->text(), "Context 37 % full · 1,516 of 4,096 tokens");
}

TEST_F(ChatWidgetTest, a_narrow_pane_shortens_the_gauge_to_its_numbers) {
  type("q");
  answer();
  const auto* gauge = find<ContextGauge>("contextGauge");
  EXPECT_EQ(gauge->textFor(1000), gauge->text());
  EXPECT_EQ(gauge->textFor(10), "1,516 / 4,096");
  const int middle = gauge->fontMetrics().horizontalAdvance(gauge->text()) - 1;
  EXPECT_EQ(gauge->textFor(middle), "37 % · 1,516 / 4,096");
}

// Counts how often a widget is painted.
class PaintCounter : public QObject {
 public:
  int count = 0;

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Paint) ++count;
    return false;
  }
};

TEST_F(ChatWidgetTest, a_suggested_question_leaves_what_is_being_written) {
  auto* edit = find<QPlainTextEdit>("messageEdit");
  edit->setPlainText("my own draft");
  find<QPushButton>("starterQuestion")->click();
  ASSERT_EQ(m_engine.generates.size(), 1U);
  EXPECT_EQ(m_engine.generates[0].request.messages.back().content, "What is the KV cache?");
  EXPECT_EQ(edit->toPlainText(), "my own draft");
}

TEST_F(ChatWidgetTest, sending_an_edit_brings_the_draft_back) {
  auto* edit = find<QPlainTextEdit>("messageEdit");
  edit->setPlainText("question");
  QTest::keyClick(edit, Qt::Key_Return);
  m_engine.sendAnswer("answer");
  edit->setPlainText("my draft");
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return rowButton("editMessage") && rowButton("editMessage")->isEnabled(); }, 60'000));
  rowButton("editMessage")->click();
  EXPECT_EQ(edit->toPlainText(), "question");
  edit->setPlainText("question, edited");
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_EQ(m_engine.generates.back().request.messages.back().content, "question, edited");
  EXPECT_EQ(edit->toPlainText(), "my draft");
}

TEST_F(ChatWidgetTest, what_was_written_stays_when_it_cannot_be_sent) {
  auto* edit = find<QPlainTextEdit>("messageEdit");
  edit->setPlainText("too early");
  m_engine.sendUnloaded();
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_EQ(edit->toPlainText(), "too early");
  EXPECT_TRUE(m_engine.generates.empty());
}

TEST_F(ChatWidgetTest, what_starts_an_answer_is_disabled_without_a_model_and_says_why) {
  auto* edit = find<QPlainTextEdit>("messageEdit");
  edit->setPlainText("question");
  QTest::keyClick(edit, Qt::Key_Return);
  m_engine.sendAnswer("half", ChatEnd::Stopped);
  for (const char* name : {"regenerate", "continueAnswer"}) {
    ASSERT_TRUE(waitForRowButton(name)) << name;
    EXPECT_TRUE(rowButton(name)->isEnabled()) << name;
  }
  m_engine.sendUnloaded();
  for (const char* name : {"regenerate", "continueAnswer"}) {
    ASSERT_TRUE(waitForRowButton(name)) << name;
    EXPECT_FALSE(rowButton(name)->isEnabled()) << name;
    EXPECT_EQ(rowButton(name)->toolTip(), "Load a model first") << name;
  }
  EXPECT_TRUE(rowButton("editMessage")->isEnabled()) << "one may write while nothing is loaded";
  m_engine.sendLoaded("Headroom starter", 4096);
  ASSERT_TRUE(waitForRowButton("regenerate"));
  rowButton("regenerate")->click();
  emit m_engine.failed(m_engine.lastId, Error{ErrorCode::kResource, Message::plain("no")});
  m_engine.sendUnloaded();
  edit->setPlainText("later");
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_EQ(m_engine.generates.size(), 2U);
}

TEST_F(ChatWidgetTest, the_placeholder_is_painted_anew_when_a_model_comes_or_goes) {
  auto* edit = find<QPlainTextEdit>("messageEdit");
  EXPECT_EQ(edit->placeholderText(), "Write a message");
  PaintCounter counter;
  edit->viewport()->installEventFilter(&counter);
  edit->clearFocus();  // no blinking cursor
  settle();
  counter.count = 0;
  m_engine.sendUnloaded();
  EXPECT_EQ(edit->placeholderText(), "Load a model to chat");
  settle();
  EXPECT_GT(counter.count, 0);
  counter.count = 0;
  m_engine.sendLoaded("Headroom starter", 4096);
  settle();
  EXPECT_GT(counter.count, 0);
}

TEST_F(ChatWidgetTest, figures_under_an_answer_end_in_dots_where_there_is_no_room) {
  type("q");
  answer();
  auto* note = find<ElidedLabel>("turnNote");
  EXPECT_EQ(note->shownText(), note->text());
  m_widget->resize(m_widget->minimumSizeHint());
  note->resize(60, note->height());
  EXPECT_TRUE(note->shownText().endsWith(QChar(0x2026))) << note->shownText().toStdString();
  EXPECT_TRUE(note->toolTip().startsWith(note->text()));
}

TEST_F(ChatWidgetTest, an_empty_conversation_says_what_is_open_while_nothing_is_loaded) {
  m_engine.sendUnloaded();
  EXPECT_TRUE(find<QLabel>("modelNote")->text().startsWith("Drop a .gguf file"));
  m_widget->setOpenModel("Llama 3 8B", false);
  EXPECT_TRUE(find<QLabel>("modelNote")->text().startsWith("Open, and not loaded yet"))
      << find<QLabel>("modelNote")->text().toStdString();
  m_widget->setOpenModel("Llama 3 8B", true);
  EXPECT_EQ(find<QLabel>("modelNote")->text(), QString::fromUtf8("Loading\u2026"));
  m_engine.sendLoaded("Headroom starter", 4096);
  EXPECT_TRUE(find<QLabel>("modelNote")->text().startsWith("A guide to memory"));
}

TEST_F(ChatWidgetTest, screenshots_in_both_themes) {
  for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
    m_theme.setChoice(choice);
    const QString suffix = choice == ThemeChoice::Light ? "light" : "dark";
    if (choice == ThemeChoice::Light) {
      grab("chat-welcome-" + suffix);
      type("Hello! What can you help me with?");
      answer(
          "I am a guide to memory and to this app. Ask me what a number in the Memory dock means, or which setting "
          "makes a model fit.");
      type("What is the KV cache, and how do I work out its size by hand?");
      answer(kAnswer);
    }
    grab("chat-" + suffix);
    find<QToolButton>("toggleChatSettings")->click();
    grab("chat-settings-" + suffix);
    find<QToolButton>("toggleChatSettings")->click();
    ASSERT_TRUE(waitForRowButton("editMessage"));
    rowButton("editMessage")->click();
    grab("chat-editing-" + suffix);
    QTest::keyClicks(find<QPlainTextEdit>("messageEdit"), " In GiB, please.");
    QTest::keyClick(find<QPlainTextEdit>("messageEdit"), Qt::Key_Escape);
    grab("chat-asking-" + suffix);
    find<QToolButton>("discardEdit")->click();
  }
  QString table = "| Context | F16 | Q8 |\n|---|--:|--:|\n";
  for (int i = 1; i <= 300; ++i)
    table += QStringLiteral("| %1 | %2 MiB | %3 MiB |\n").arg(i * 512).arg(i * 64).arg(i * 34);
  type("As a table, up to a large one?");
  answer(qPrintable(table + "\nThat is all of it."));
  auto* bar = find<QAbstractScrollArea>("chatView")->verticalScrollBar();
  for (int i = 0; i < 3; ++i) {  // to where the table goes on in its next segment, once all heights are known
    bar->setValue(bar->maximum() - 2700);
    settle();
  }
  grab("chat-table-dark");
  type("And for eight requests at once?");
  emit m_engine.promptTooLong(m_engine.lastId, 5000, 4096);
  drop({QUrl::fromLocalFile(HEADROOM_SOURCE_DIR "/LICENSE")});
  ASSERT_TRUE(waitFor([&] { return !isReading(); }));
  grab("chat-full-dark");
  m_widget->resize(430, 700);
  grab("chat-narrow-dark");
}

TEST_F(ChatWidgetTest, below_an_answer_stands_where_its_prompt_left_the_cache) {
  type("A question");
  answer();
  ASSERT_TRUE(m_widget->session().edit(m_widget->session().tree().path().first(), "Another one", {}));
  ChatFigures figures;
  figures.promptTokens = 900;
  figures.heldTokens = 1000;
  figures.sharedTokens = figures.reusedTokens = 20;
  figures.generatedTokens = 7;
  m_engine.sendAnswer("Fine.", ChatEnd::EndOfTurn, figures);
  settle();
  EXPECT_EQ(find<ElidedLabel>("turnNote")->text(),
            "7 tokens \u00b7 reused 20 of 900 tokens: the prompt differs from the cache from message 1 on");
  grab("chat_prefix_break");
}

}  // namespace
}  // namespace headroom::ui
