// A sentence of the window as what it is made of, so that it can be said again once the language has changed.
#pragma once

#include <QString>
#include <functional>
#include <type_traits>
#include <utility>

#include "base/message.h"

namespace headroom::ui {

// A value, made and copied on any thread. Whoever keeps one beyond a change of the language keeps no text of it.
class Sentence {
 public:
  Sentence() = default;              // no words
  Sentence(const Message& message);  // NOLINT(google-explicit-constructor): of the core, as wordsOf() says it
  template <class Say>               // [name] { return tr("%1 is open").arg(name); }
  requires std::is_same_v<std::invoke_result_t<const Say&>, QString> Sentence(
      Say say)  // NOLINT(google-explicit-constructor)
      : m_say(std::move(say)) {}
  // Words that are the same in every language: of a driver, a file, a server.
  static Sentence plain(const QString& words);

  QString text() const;  // in the language of now; on the GUI thread
  bool isEmpty() const { return !m_say; }

 private:
  std::function<QString()> m_say;
};

}  // namespace headroom::ui
