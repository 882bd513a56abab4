// A conversation as a file that others can read.
#pragma once

#include <QByteArray>

#include "ui/chat/chat_tree.h"

namespace headroom::ui {

// The active path: a heading, then each turn under the name of who speaks.
QString conversationAsMarkdown(const ConversationHead& head, const ChatTree& tree);

// All versions of all turns, with ids and parents; times in ISO 8601, UTC.
QByteArray conversationAsJson(const ConversationHead& head, const ChatTree& tree);

}  // namespace headroom::ui
