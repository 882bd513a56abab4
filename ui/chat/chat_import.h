// A conversation of a file that chat_export wrote.
#pragma once

#include <QByteArray>
#include <array>

#include "base/result.h"
#include "ui/chat/conversation.h"

namespace headroom::ui {

inline constexpr const char* kConversationFormat = "headroom-conversation";
inline constexpr int kConversationVersion = 1;
// By the order of TurnState.
inline constexpr std::array<const char*, 6> kTurnStateKeys = {"done",         "writing",      "stopped",
                                                              "length_limit", "context_full", "interrupted"};

// With ids of its own, so that one that is here already stays what it is. Numbers that make no sense are read as none;
// kBadFile names what is not a conversation of ours, and what was expected.
Result<Conversation> conversationFromJson(const QByteArray& json);

}  // namespace headroom::ui
