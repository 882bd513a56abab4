// From the turns on the screen to the messages that the model reads, and what to leave out when they are too many.
#pragma once

#include <vector>

#include "text/chat_message.h"
#include "ui/chat/chat_tree.h"

namespace headroom::ui {

// An attached file as the model reads it: in a fence that its own text cannot close.
QString fileText(const Attachment& attachment);

// A turn as the model reads it: its text, then each attached file.
QString sentText(const Turn& turn);

// The system prompt (with the summary of what was cut), then the turns of the active path from the newest cut up to and
// with `lastId`; to its end where that is empty.
std::vector<ChatMessage> requestMessages(const ChatTree& tree, const QString& systemPrompt, const QString& lastId = {});

// The turns that are still sent, oldest first.
QStringList sentPath(const ChatTree& tree);

// Where to cut so that about `targetTokens` of the sent turns remain: the user's turn that then comes first. Empty when
// nothing older can go, because the newest question stands alone. `tokensPerChar` is what was measured on this
// conversation.
QString cutPoint(const ChatTree& tree, double tokensPerChar, double targetTokens);

// Of the contents, not of roles and thoughts.
qsizetype charsOf(const std::vector<ChatMessage>& messages);

// Asks for a summary of the sent turns before `cutId`.
std::vector<ChatMessage> summaryMessages(const ChatTree& tree, const QString& cutId);

// Asks for a title of what was said, behind all that is sent of it.
std::vector<ChatMessage> titleMessages(const ChatTree& tree, const QString& systemPrompt);

}  // namespace headroom::ui
