// What the core says, in the language of the window.
#pragma once

#include <QString>

#include "base/message.h"

namespace headroom::ui {

// Names and paths as they are, figures as this language writes them. A form that has no translation is in English.
QString wordsOf(const Message& message);

struct MessageInParts {
  QString sentence, details;  // details: below the sentence, smaller; empty where it is a sentence alone
};
// See base/message_parts.h.
MessageInParts partsOf(const Message& message);

}  // namespace headroom::ui
