#include "ui/chat/chat_rows.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTest>

#include "ui/chat/code_view.h"
#include "ui/chat/text_rows.h"
#include "ui/theme/elided_label.h"

namespace headroom::ui {
namespace {

class ChatRowsTest : public testing::Test {
 protected:
  Turn turn(Role role, TurnState state = TurnState::Done) const {
    Turn made;
    made.id = "t";
    made.role = role;
    made.state = state;
    made.text = "text";
    return made;
  }
  static QStringList buttonsOf(const QWidget& row) {
    QStringList names;
    for (const QToolButton* button : row.findChildren<QToolButton*>()) names.append(button->objectName());
    return names;
  }
  Theme m_theme{ThemeChoice::Light};
};

TEST_F(ChatRowsTest, a_footer_offers_what_can_be_done_with_its_turn) {
  FooterFacts facts;
  EXPECT_EQ(buttonsOf(FooterRow(m_theme, turn(Role::User), facts, nullptr)),
            (QStringList{"copyMessage", "editMessage", "moreOfMessage"}));
  EXPECT_EQ(buttonsOf(FooterRow(m_theme, turn(Role::Assistant), facts, nullptr)),
            (QStringList{"copyMessage", "regenerate", "moreOfMessage"}));
  facts.isLast = true;
  EXPECT_EQ(buttonsOf(FooterRow(m_theme, turn(Role::User), facts, nullptr)),
            (QStringList{"copyMessage", "editMessage", "sendAgain", "moreOfMessage"}));
  for (const TurnState state :
       {TurnState::Stopped, TurnState::LimitHit, TurnState::ContextFull, TurnState::Interrupted}) {
    EXPECT_TRUE(buttonsOf(FooterRow(m_theme, turn(Role::Assistant, state), facts, nullptr)).contains("continueAnswer"))
        << turnStateText(state).toStdString();
  }
  EXPECT_FALSE(buttonsOf(FooterRow(m_theme, turn(Role::Assistant), facts, nullptr)).contains("continueAnswer"))
      << "it is finished";
  facts.isWriting = true;
  EXPECT_EQ(buttonsOf(FooterRow(m_theme, turn(Role::Assistant, TurnState::Writing), facts, nullptr)), QStringList())
      << "while it is written there is nothing to do with it";
}

TEST_F(ChatRowsTest, a_footer_tells_what_was_reused_of_the_prompt_where_that_was_counted) {
  struct Note {
    QString text, tip;
  };
  const auto noteOf = [this](const Turn& turn) {
    const FooterRow row(m_theme, turn, FooterFacts(), nullptr);
    const auto* label = row.findChild<ElidedLabel*>("turnNote");
    Note note;
    if (label != nullptr) note = {label->text(), label->toolTip()};
    return note;
  };
  Turn answered = turn(Role::Assistant);
  EXPECT_EQ(noteOf(answered).text, QString()) << "read from the store";
  answered.generatedTokens = 12;
  answered.promptTokens = 12650;
  EXPECT_EQ(noteOf(answered).text, QString("12 tokens")) << "nothing was reused";
  EXPECT_FALSE(noteOf(answered).tip.contains("Reused"));
  answered.reusedTokens = 12400;
  EXPECT_TRUE(noteOf(answered).text.endsWith("reused 12,400 of 12,650 tokens")) << noteOf(answered).text.toStdString();
  EXPECT_TRUE(noteOf(answered).tip.contains("did not have to be read again")) << noteOf(answered).tip.toStdString();
  EXPECT_TRUE(noteOf(answered).tip.contains("an earlier text was changed"));
  answered.reusedTokens = 850;
  answered.prefixBreak = {PrefixBreak::Kind::Thinking, 3};
  EXPECT_TRUE(
      noteOf(answered).text.endsWith("reused 850 of 12,650 tokens: the prompt differs from the cache from "
                                     "message 3 on (its thinking is left out)"))
      << noteOf(answered).text.toStdString();
  answered.reusedTokens = 0;
  answered.prefixBreak = {PrefixBreak::Kind::SystemPrompt, 0};
  EXPECT_TRUE(noteOf(answered).text.endsWith("reused 0 of 12,650 tokens: the system prompt is another one"));
  answered.seed = 7;
  EXPECT_TRUE(noteOf(answered).tip.contains("Reused"));
  EXPECT_TRUE(noteOf(answered).tip.contains("Seed 7"));
}

TEST_F(ChatRowsTest, versions_are_stepped_through_to_both_ends) {
  FooterFacts facts;
  facts.version = 1;
  facts.nVersions = 3;
  FooterRow row(m_theme, turn(Role::Assistant), facts, nullptr);
  QSignalSpy chosen(&row, &FooterRow::versionChosen);
  row.findChild<QToolButton*>("versionBefore")->click();
  row.findChild<QToolButton*>("versionAfter")->click();
  ASSERT_EQ(chosen.count(), 2);
  EXPECT_EQ(chosen[0][0].toInt(), -1);
  EXPECT_EQ(chosen[1][0].toInt(), 1);
  EXPECT_EQ(row.findChild<QLabel*>("versionLabel")->accessibleName(), "Version 2 of 3");
  facts.version = 0;
  EXPECT_FALSE(
      FooterRow(m_theme, turn(Role::Assistant), facts, nullptr).findChild<QToolButton*>("versionBefore")->isEnabled());
  facts.version = 2;
  EXPECT_FALSE(
      FooterRow(m_theme, turn(Role::Assistant), facts, nullptr).findChild<QToolButton*>("versionAfter")->isEnabled());
}

TEST_F(ChatRowsTest, copy_takes_the_text_and_says_so_without_losing_its_name) {
  FooterFacts facts;
  facts.copyText = "as *written*";
  FooterRow row(m_theme, turn(Role::User), facts, nullptr);
  auto* copy = row.findChild<QToolButton*>("copyMessage");
  copy->click();
  copy->click();
  EXPECT_EQ(QGuiApplication::clipboard()->text(), "as *written*");
  EXPECT_EQ(copy->text(), "Copied");
  EXPECT_TRUE(QTest::qWaitFor([&] { return copy->text() == "Copy"; }, 60'000)) << "and can be pressed again";
}

TEST_F(ChatRowsTest, a_cut_says_what_the_model_still_knows) {
  const auto textOf = [this](const QString& summary) {
    const CutRow row(m_theme, summary, nullptr);
    return row.findChild<QLabel*>()->text();
  };
  EXPECT_EQ(textOf({}), "Turns above this line are no longer sent to the model.");
  EXPECT_TRUE(textOf("They spoke of <b>memory</b>.").endsWith("instead: They spoke of <b>memory</b>."));
}

TEST_F(ChatRowsTest, rows_are_as_high_as_their_text_at_any_width) {
  CutRow cut(m_theme, QString("a long summary ").repeated(40), nullptr);
  AttachmentsRow files(m_theme, QVector<Attachment>(30, {"a file with a long name.txt", "x"}), nullptr);
  ProseRow prose(m_theme, CardPart::Middle, nullptr);
  prose.showPlain(QString("words ").repeated(300));
  for (ChatRow* row : std::initializer_list<ChatRow*>{&cut, &files, &prose}) {
    EXPECT_GT(row->heightFor(120), row->heightFor(900));
    EXPECT_GT(row->heightFor(1), 0);
  }
}

TEST_F(ChatRowsTest, a_piece_of_code_that_goes_on_has_no_second_heading) {
  MarkdownSegment segment;
  segment.isCode = true;
  segment.language = "cpp";
  segment.text = "int x;\n";
  CodeRow first(
      m_theme, segment, [] { return QString("whole"); }, nullptr);
  EXPECT_EQ(first.findChild<CodeView*>()->accessibleName(), "Code in cpp");
  first.findChild<QToolButton*>("copyCode")->click();
  EXPECT_EQ(QGuiApplication::clipboard()->text(), "whole") << "all of the block, not this piece";
  segment.continuesCode = true;
  CodeRow next(
      m_theme, segment, [] { return QString(); }, nullptr);
  EXPECT_EQ(next.findChild<QToolButton*>("copyCode"), nullptr);
  EXPECT_LT(next.heightFor(400), first.heightFor(400));
}

TEST_F(ChatRowsTest, a_header_says_who_speaks) {
  Turn answer = turn(Role::Assistant);
  const auto nameIn = [this](const Turn& shown) {
    const HeaderRow row(m_theme, shown, nullptr);
    return row.findChild<QLabel*>()->text();
  };
  EXPECT_EQ(nameIn(turn(Role::User)), "You");
  EXPECT_EQ(nameIn(answer), "Assistant");
  answer.modelName = "<i>x</i>";
  EXPECT_EQ(nameIn(answer), "<i>x</i>");
  EXPECT_EQ(HeaderRow(m_theme, answer, nullptr).findChild<QLabel*>()->textFormat(), Qt::PlainText);
}

TEST_F(ChatRowsTest, sizes_of_attachments_are_bytes_and_not_letters) {
  EXPECT_EQ(attachmentText({"x.txt", QString::fromUtf8("\u00e9\u20ac")}), "x.txt (5 B)");
  EXPECT_EQ(attachmentText({"x.txt", "a"}, 12'400), QString::fromUtf8("x.txt · 12,400 tokens"));
}

TEST_F(ChatRowsTest, each_file_that_was_sent_opens_and_all_have_room) {
  AttachmentsRow row(m_theme, {{"a.txt", "x"}, {"<b>.txt", "x"}, {"c.txt", "x"}}, nullptr);
  QList<qsizetype> opened;
  QObject::connect(&row, &AttachmentsRow::openChosen, &row, [&](qsizetype index) { opened.append(index); });
  row.resize(200, row.heightFor(200));
  row.show();
  const auto chips = row.findChildren<QToolButton*>("sentAttachment");
  ASSERT_EQ(chips.size(), 3);
  for (QToolButton* chip : chips) {
    EXPECT_TRUE(row.rect().contains(chip->geometry())) << chip->text().toStdString();
    chip->click();
  }
  EXPECT_EQ(opened, (QList<qsizetype>{0, 1, 2}));
  EXPECT_EQ(chips[1]->accessibleName(), "Open <b>.txt (1 B)");
}

}  // namespace
}  // namespace headroom::ui
