// Lets the loaded model name conversations while it has nothing to answer. No widgets.
#pragma once

#include <QObject>
#include <QSet>
#include <QTimer>

#include "ui/engine_port.h"

namespace headroom::ui {

class ChatSession;
class ChatSessions;

// GUI thread. The open conversation is named, once for each model, where the user wants that and has not named it
// himself. The request is the conversation's own with a question behind it, so that its cache is what it is made from
// and stays good for what comes next. Any answer goes before it: a title that is being written is given up for one.
class ConversationTitler : public QObject {
  Q_OBJECT
 public:
  // Nothing is asked before there has been no answer to write for so long.
  static constexpr int kIdleMs = 2000;

  explicit ConversationTitler(ChatSessions& sessions);  // its parent
  void look();                                          // something began or ended
  void forgetModel();                                   // another one is loaded, or none

 private:
  bool mayAsk() const;
  void ask();
  void giveUp();
  void take(quint64 request, const ChatFigures& figures);

  ChatSessions& m_sessions;
  QTimer m_pause;
  quint64 m_request = 0;  // that it waits for; 0: none
  QString m_id, m_text;   // of the conversation that it is for, and what came
  QSet<QString> m_asked;  // those that this model has named, or has found no name for
};

}  // namespace headroom::ui
