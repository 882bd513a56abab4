#include "ui/format/sentence.h"

#include "ui/format/message_words.h"

namespace headroom::ui {

Sentence::Sentence(const Message& message) {
  if (message.empty()) return;
  m_say = [message] { return wordsOf(message); };
}

Sentence Sentence::plain(const QString& words) {
  if (words.isEmpty()) return {};
  return [words] { return words; };
}

QString Sentence::text() const { return m_say ? m_say() : QString(); }

}  // namespace headroom::ui
