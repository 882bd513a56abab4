#include "ui/chat/draft_stage.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/overloaded.h"
#include "support/written_lines.h"

namespace headroom::ui {
namespace {

using namespace draft_stage;

constexpr quint64 kRead = 7;  // the one that is under way in stages "with a file"

template <class Value>
using Named = std::vector<std::pair<std::string, Value>>;

DraftMessage message(const char* text) { return {text, {}}; }
DraftMessage withFile(const char* text) { return {text, {{{"f.txt", {}}, kRead}}}; }

Editing editing(const char* text) { return {"t", message("old"), message(text), message("aside")}; }

Named<DraftStage> stages() {
  return {{"Nothing written", Writing{}},
          {"Writing", Writing{message("new")}},
          {"Writing with a file", Writing{withFile("new")}},
          {"Editing unchanged", editing("old")},
          {"Editing changed", editing("changed")},
          {"Editing, a file aside", Editing{"t", message("old"), message("changed"), withFile("aside")}},
          {"Asking", Asking{editing("changed"), std::nullopt}},
          {"Asking before u", Asking{editing("changed"), draft_event::EditAsked{"u", message("other")}}}};
}

Named<DraftEvent> events() {
  namespace e = draft_event;
  const Draft draft{message("kept"), {}, {}}, edit{message("kept change"), "t", message("kept aside")};
  return {{"typed", e::Typed{"typed"}},
          {"a file", e::FileAdded{9, "g.txt"}},
          {"f is read", e::FileRead{kRead, {"f.txt", "words"}}},
          {"f cannot be read", e::FileGone{kRead}},
          {"the first file is removed", e::FileRemoved{0}},
          {"edit t", e::EditAsked{"t", message("old")}},
          {"edit u", e::EditAsked{"u", message("other")}},
          {"Esc", e::EscapePressed{}},
          {"throw away", e::DiscardAgreed{}},
          {"keep", e::KeepChosen{}},
          {"sent", e::Sent{}},
          {"another conversation", e::Replaced{draft, std::nullopt}},
          {"another conversation with an edit", e::Replaced{edit, message("old")}},
          {"another conversation whose edited turn is gone", e::Replaced{edit, std::nullopt}},
          {"an older draft is found", e::OlderFound{draft}}};
}

std::string describe(const DraftMessage& message) {
  std::string text = "\"" + QString(message.text).replace('\n', "\\n").toStdString() + "\"";
  for (const DraftFile& file : message.files)
    text += (file.readId != 0 ? " reading " : " with ") + file.attachment.name.toStdString();
  return text;
}

std::string describe(const Editing& edit) {
  return edit.turnId.toStdString() + " as " + describe(edit.message) + " instead of " + describe(edit.original) +
         ", aside " + describe(edit.aside);
}

std::string describe(const DraftStage& stage) {
  return std::visit(Overloaded{[](const Writing& writing) { return "Writing " + describe(writing.message); },
                               [](const Editing& edit) { return "Editing " + describe(edit); },
                               [](const Asking& asking) {
                                 return "Asking before " +
                                        (asking.next ? asking.next->turnId.toStdString() : "the end") + " of " +
                                        describe(asking.edit);
                               }},
                    stage);
}

std::string describe(const DraftEffect& effect) {
  namespace e = draft_effect;
  return std::visit(
      Overloaded{[](const e::ShowMessage&) -> std::string { return "show"; },
                 [](const e::Keep&) -> std::string { return "keep"; },
                 [](const e::CancelRead& cancel) { return "stop reading " + std::to_string(cancel.readId); }},
      effect);
}

TEST(DraftStage, every_event_in_every_stage_does_what_the_table_says) {
  std::vector<std::string> rows;
  for (const auto& [stageName, stage] : stages()) {
    for (const auto& [eventName, event] : events()) {
      DraftStage next = stage;
      std::string row = stageName + " + " + eventName + " -> ";
      const std::vector<DraftEffect> effects = react(next, event);
      row += describe(next) == describe(stage) ? "same" : describe(next);
      for (const DraftEffect& effect : effects) row += "; " + describe(effect);
      rows.push_back(row);
    }
  }
  test::expectWrittenLines(rows, HEADROOM_SOURCE_DIR "/tests/ui/chat/draft_stage_table.txt");
}

TEST(DraftStage, a_change_and_a_draft_go_only_when_they_are_sent_or_left_or_the_user_agrees) {
  for (const auto& [stageName, stage] : stages()) {
    for (const auto& [eventName, event] : events()) {
      namespace e = draft_event;
      if (std::holds_alternative<e::Typed>(event) || std::holds_alternative<e::Sent>(event) ||
          std::holds_alternative<e::Replaced>(event) || std::holds_alternative<e::DiscardAgreed>(event))
        continue;
      DraftStage next = stage;
      react(next, event);
      const Draft before = draftOf(stage), after = draftOf(next);
      const QString all = after.message.text + "|" + after.aside.text;
      const bool wasUnchanged = stageName == "Editing unchanged";
      EXPECT_TRUE(wasUnchanged || all.contains(before.message.text)) << stageName << ", " << eventName;
      EXPECT_TRUE(all.contains(before.aside.text)) << stageName << ", " << eventName;
    }
  }
}

TEST(DraftStage, no_row_of_esc_presses_throws_a_change_away) {
  DraftStage stage = editing("changed");
  for (int press = 0; press < 6; ++press) {
    react(stage, draft_event::EscapePressed{});
    EXPECT_EQ(shownMessage(stage).text, "changed");
  }
}

}  // namespace
}  // namespace headroom::ui
