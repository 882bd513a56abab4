#include "ui/chat/conversation_titler.h"

#include <algorithm>

#include "ui/chat/chat_sessions.h"
#include "ui/chat/conversation_titles.h"

namespace headroom::ui {

ConversationTitler::ConversationTitler(ChatSessions& sessions)
    : QObject(&sessions), m_sessions(sessions), m_pause(this) {
  m_pause.setSingleShot(true);
  m_pause.setInterval(kIdleMs);
  connect(&m_pause, &QTimer::timeout, this, &ConversationTitler::ask);
  const EnginePort* engine = &sessions.engine();
  connect(engine, &EnginePort::textArrived, this, [this](quint64 request, const QString& text) {
    if (request == m_request) m_text += text;
  });
  connect(engine, &EnginePort::generationFinished, this,
          [this](quint64 request, ChatEnd, const ChatFigures& figures) { take(request, figures); });
  const auto leave = [this](quint64 request) {
    if (request == 0 || request != m_request) return;
    m_request = 0;
    m_asked.insert(m_id);
    look();
  };
  connect(engine, &EnginePort::promptTooLong, this, leave);
  connect(engine, &EnginePort::failed, this, leave);
  connect(&sessions.settings(), &SettingsModel::generalChanged, this, &ConversationTitler::look);
}

bool ConversationTitler::mayAsk() const {
  const QVector<ChatSession*>& sessions = m_sessions.sessions();
  const bool isIdle = std::ranges::none_of(sessions, [](const ChatSession* session) { return session->isBusy(); });
  const ChatSession& current = m_sessions.current();
  return isIdle && m_sessions.settings().general().modelTitles && !m_asked.contains(current.head().id) &&
         current.canAskForTitle();
}

void ConversationTitler::look() {
  if (!mayAsk()) {
    m_pause.stop();
    giveUp();
  } else if (m_request == 0) {
    m_pause.start();
  }
}

void ConversationTitler::forgetModel() {
  m_asked.clear();
  look();
}

void ConversationTitler::ask() {
  if (!mayAsk()) return;
  const ChatSession& current = m_sessions.current();
  m_id = current.head().id;
  m_text.clear();
  m_request = m_sessions.engine().generate(current.titleRequest());
}

void ConversationTitler::giveUp() {
  if (m_request == 0) return;
  m_sessions.engine().stop(std::exchange(m_request, 0));
}

void ConversationTitler::take(quint64 request, const ChatFigures& figures) {
  if (request == 0 || request != m_request) return;
  m_request = 0;
  m_asked.insert(m_id);
  if (ChatSession* session = m_sessions.find(m_id)) session->takeTitle(titleFromModel(m_text), figures);
  look();
}

}  // namespace headroom::ui
