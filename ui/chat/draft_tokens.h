// How many tokens what is being written has: each attached file, and the whole prompt that it would become.
#pragma once

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QSet>
#include <QTimer>
#include <vector>

#include "ui/chat/chat_session.h"
#include "ui/engine_port.h"

namespace headroom::ui {

struct DraftFigures {
  std::vector<quint32> files;  // of each file of the message; 0: not counted yet, or there is no model
  quint32 promptTokens = 0;    // with this message, and all that is sent with it; 0: not counted
  quint32 contextLength = 0;
  bool isAtLeast = false;      // the prompt has more, and was not counted to its end
  bool hasOlderTurns = false;  // that could be left out
  bool operator==(const DraftFigures&) const = default;

  // An answer needs a place too.
  bool isTooLong() const { return promptTokens > 0 && promptTokens >= contextLength; }
};

// GUI thread. Asks the engine once typing pauses; one question is on its way at a time, and what it tells of a draft
// or a model of before is dropped.
class DraftTokens : public QObject {
  Q_OBJECT
 public:
  static constexpr int kPauseMs = 250;

  explicit DraftTokens(EnginePort& engine, QObject* parent = nullptr);  // which outlives it

  void watch(ChatSession& session);  // its draft, from now on
  void recount();                    // another model, or none, is there; nothing that was counted holds
  // Of a file that was sent: told by fileCounted(), unless there is no model. Returns an id.
  quint64 countFile(const Attachment& attachment);
  const DraftFigures& figures() const { return m_figures; }

 signals:
  void changed();
  void fileCounted(quint64 id, quint32 tokens);

 private:
  struct Counted {
    Attachment file;  // shares its text, which keeps the address that it is found by
    quint32 tokens = 0;
  };
  static const QChar* keyOf(const DraftFile& file) { return file.attachment.text.constData(); }
  void ask();
  void askSoon();
  void take(const TokenCounts& counts);
  void forgetOthers();
  void show(DraftFigures figures);
  DraftFigures withFiles(DraftFigures figures) const;

  EnginePort& m_engine;
  QPointer<ChatSession> m_session;
  QTimer m_pause;
  quint64 m_asked = 0;   // the question that is on its way; 0: none
  bool m_isOld = false;  // the draft has changed since it was asked
  std::vector<Attachment> m_askedFiles;
  bool m_askedPrompt = false, m_askedOlder = false;
  QHash<const QChar*, Counted> m_counted;
  QSet<quint64> m_sentFiles;  // questions of countFile()
  DraftFigures m_figures;
};

}  // namespace headroom::ui
