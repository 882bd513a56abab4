// A conversation of any length, with prose and code.
#pragma once

#include "ui/chat/chat_tree.h"

namespace headroom::ui {

// `pairs` questions and answers after turn `last`; the id of the newest.
inline QString appendPairs(ChatTree& tree, QString last, int pairs) {
  for (int i = 0; i < pairs; ++i) {
    last = tree.append(last, Role::User, QStringLiteral("Question %1").arg(i), 0);
    last = tree.append(last, Role::Assistant,
                       QStringLiteral("Answer **%1**\n\n```cpp\nint x = %1;\n```\n\nDone.").arg(i), 0);
  }
  return last;
}

}  // namespace headroom::ui
