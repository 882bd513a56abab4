#include "ui/chat/draft_stage.h"

#include <algorithm>
#include <utility>

#include "base/overloaded.h"

namespace headroom::ui {

namespace {

using namespace draft_stage;
using namespace draft_event;

DraftMessage& shown(DraftStage& stage) {
  return std::visit(Overloaded{[](Writing& writing) -> DraftMessage& { return writing.message; },
                               [](Editing& edit) -> DraftMessage& { return edit.message; },
                               [](Asking& asking) -> DraftMessage& { return asking.edit.message; }},
                    stage);
}

// Every message that a file may belong to.
std::vector<DraftMessage*> messagesOf(DraftStage& stage) {
  return std::visit(Overloaded{[](Writing& writing) { return std::vector{&writing.message}; },
                               [](Editing& edit) {
                                 return std::vector{&edit.message, &edit.aside};
                               },
                               [](Asking& asking) {
                                 return std::vector{&asking.edit.message, &asking.edit.aside};
                               }},
                    stage);
}

// Who goes on writing has answered the question.
void keepEditing(DraftStage& stage) {
  if (auto* asking = std::get_if<Asking>(&stage)) stage = Editing(std::move(asking->edit));
}

DraftMessage joined(const DraftMessage& first, const DraftMessage& second) {
  const QString between = first.text.isEmpty() || second.text.isEmpty() ? QString() : QStringLiteral("\n");
  return {first.text + between + second.text, first.files + second.files};
}

void on(DraftStage& stage, const Typed& event) {
  keepEditing(stage);
  shown(stage).text = event.text;
}

void on(DraftStage& stage, const FileAdded& event) {
  keepEditing(stage);
  shown(stage).files.append({{event.name, {}}, event.readId});
}

void on(DraftStage& stage, const FileRead& event) {
  for (DraftMessage* message : messagesOf(stage)) {
    for (DraftFile& file : message->files) {
      if (file.readId == event.readId) file = {event.attachment, 0};
    }
  }
}

void on(DraftStage& stage, const FileGone& event) {
  for (DraftMessage* message : messagesOf(stage))
    message->files.removeIf([&](const DraftFile& file) { return file.readId == event.readId; });
}

void on(DraftStage& stage, const FileRemoved& event) {
  keepEditing(stage);
  QVector<DraftFile>& files = shown(stage).files;
  if (event.index >= 0 && event.index < files.size()) files.removeAt(event.index);
}

void on(DraftStage& stage, const EditAsked& event) {
  stage =
      std::visit(Overloaded{[&](Writing& writing) -> DraftStage {
                              return Editing{event.turnId, event.original, event.original, std::move(writing.message)};
                            },
                            [&](Editing& edit) -> DraftStage {
                              if (edit.turnId == event.turnId) return edit;
                              if (edit.message != edit.original) return Asking{std::move(edit), event};
                              return Editing{event.turnId, event.original, event.original, std::move(edit.aside)};
                            },
                            [&](Asking& asking) -> DraftStage {
                              if (asking.edit.turnId == event.turnId) return std::move(asking.edit);
                              return Asking{std::move(asking.edit), event};
                            }},
                 stage);
}

// A second Esc takes the question back, so that no row of presses throws text away.
void on(DraftStage& stage, const EscapePressed&) {
  if (std::holds_alternative<Asking>(stage)) return keepEditing(stage);
  auto* edit = std::get_if<Editing>(&stage);
  if (edit == nullptr) return;
  if (edit->message != edit->original) {
    stage = Asking{Editing(std::move(*edit)), std::nullopt};
  } else {
    stage = Writing{DraftMessage(std::move(edit->aside))};
  }
}

void on(DraftStage& stage, const DiscardAgreed&) {
  const auto* asked = std::get_if<Asking>(&stage);
  if (asked == nullptr) return;
  const Asking asking = *asked;
  if (asking.next) {
    stage = Editing{asking.next->turnId, asking.next->original, asking.next->original, asking.edit.aside};
  } else {
    stage = Writing{asking.edit.aside};
  }
}

void on(DraftStage& stage, const KeepChosen&) { keepEditing(stage); }

void on(DraftStage& stage, const Sent&) {
  keepEditing(stage);
  auto* edit = std::get_if<Editing>(&stage);
  stage = Writing{edit == nullptr ? DraftMessage() : DraftMessage(std::move(edit->aside))};
}

void on(DraftStage& stage, const Replaced& event) {
  const Draft& draft = event.draft;
  if (!draft.editedTurn.isEmpty() && event.original) {
    stage = Editing{draft.editedTurn, *event.original, draft.message, draft.aside};
  } else {
    stage = Writing{joined(draft.aside, draft.message)};
  }
}

// What was typed before the store answered stands behind.
void on(DraftStage& stage, const OlderFound& event) {
  if (auto* writing = std::get_if<Writing>(&stage)) writing->message = joined(event.draft.message, writing->message);
}

std::vector<quint64> readsOf(DraftStage stage) {
  std::vector<quint64> reads;
  for (const DraftMessage* message : messagesOf(stage)) {
    for (const DraftFile& file : message->files) {
      if (file.readId != 0) reads.push_back(file.readId);
    }
  }
  return reads;
}

}  // namespace

const DraftMessage& shownMessage(const DraftStage& stage) { return shown(const_cast<DraftStage&>(stage)); }

Draft draftOf(const DraftStage& stage) {
  const auto ofEdit = [](const Editing& edit) { return Draft{edit.message, edit.turnId, edit.aside}; };
  return std::visit(Overloaded{[](const Writing& writing) {
                                 return Draft{writing.message, {}, {}};
                               },
                               ofEdit, [&](const Asking& asking) { return ofEdit(asking.edit); }},
                    stage);
}

std::vector<DraftEffect> react(DraftStage& stage, const DraftEvent& event) {
  const DraftStage before = stage;
  std::visit([&stage](const auto& happened) { on(stage, happened); }, event);
  std::vector<DraftEffect> effects;
  const std::vector<quint64> reads = readsOf(stage);
  for (const quint64 read : readsOf(before)) {
    const bool hasEnded = std::holds_alternative<FileRead>(event) || std::holds_alternative<FileGone>(event);
    if (!hasEnded && std::find(reads.begin(), reads.end(), read) == reads.end())
      effects.emplace_back(draft_effect::CancelRead{read});
  }
  const bool isOther = std::holds_alternative<Replaced>(event);  // the store has that one already
  if (!isOther && draftOf(before) != draftOf(stage)) effects.emplace_back(draft_effect::Keep{});
  const bool isTyped = std::holds_alternative<Typed>(event);  // the field has it already
  if (before.index() != stage.index() || (!isTyped && shownMessage(before) != shownMessage(stage)))
    effects.emplace_back(draft_effect::ShowMessage{});
  return effects;
}

}  // namespace headroom::ui
