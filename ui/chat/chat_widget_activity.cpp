// What the pane says of the model and of what goes on: the page of an empty conversation, the line of the state, and
// what can be done now.
#include <QLabel>
#include <utility>

#include "ui/chat/chat_view.h"
#include "ui/chat/chat_widget.h"
#include "ui/chat/composer.h"
#include "ui/chat/conversation_list.h"
#include "ui/chat/conversation_list_model.h"
#include "ui/chat/welcome.h"

namespace headroom::ui {

namespace {

Composer::Mode composerMode(const ChatSession& session, bool isOpening, bool isLoading) {
  if (session.activity() == Activity::NoModel) {
    return isOpening                   ? Composer::Mode::NoModel
           : session.sendsOnceLoaded() ? Composer::Mode::Held
           : isLoading                 ? Composer::Mode::Loading
                                       : Composer::Mode::NoModel;
  }
  return isOpening ? Composer::Mode::Waiting : session.isBusy() ? Composer::Mode::Busy : Composer::Mode::Ready;
}

ChatView::Actions rowActions(const ChatSession& session, bool isOpening) {
  return {session.isBusy() || isOpening, session.canStart() && !isOpening};
}

}  // namespace

void ChatWidget::setModelNote(const QString& note, const QStringList& questions) {
  m_note = note;
  m_questions = questions;
  showWelcome();
}

void ChatWidget::setOpenModel(const QString& name, bool isLoading) {
  if (name == m_openModel && isLoading == m_isLoading) return;
  if (name != m_openModel) m_newestModelDrop = m_newestAttached;
  m_openModel = name;
  const bool hasEnded = std::exchange(m_isLoading, isLoading) && !isLoading;
  showActivity();
  if (!hasEnded) return;
  // Behind all who hear of it: a model that came has taken the message.
  QMetaObject::invokeMethod(
      this, [this] { m_isLoading ? void() : session().takeBackDraft(); }, Qt::QueuedConnection);
}

void ChatWidget::showWelcome() {
  if (!m_sessions.modelName().isEmpty()) return m_welcome->showModel(m_sessions.modelName(), m_note, m_questions);
  if (m_openModel.isEmpty()) {
    return m_welcome->showModel(tr("No model is loaded"), tr("Drop a .gguf file on the window, or choose File > Open."),
                                {});
  }
  m_welcome->showModel(
      m_openModel,
      m_isLoading ? tr("Loading\u2026") : tr("Open, and not loaded yet. Load it in the Memory pane to chat."), {});
}

QString ChatWidget::statusText() const {
  if (m_sessions.isOpening()) return tr("Opening…");
  if (const int nBefore = m_sessions.answersBefore(session()); nBefore > 0) return waitingText(nBefore);
  switch (session().activity()) {
    case Activity::NoModel: return session().sendsOnceLoaded() ? tr("Sent once a model is loaded…") : QString();
    case Activity::Idle:
    case Activity::Writing: return {};
    case Activity::Stopping: return tr("Stopping…");
    case Activity::Summarising: return tr("Summarising…");
    case Activity::Reading: break;
  }
  return session().readPercent() > 0 ? tr("Reading %1 %").arg(session().readPercent())
         : m_isLoading               ? tr("Waiting for the model to be loaded…")
                                     : tr("Reading…");
}

// With what can be done in it already, so that its rows are made once.
void ChatWidget::showTree() { m_view->showTree(session().tree(), rowActions(session(), m_sessions.isOpening())); }

// While another conversation is opened, this one takes no message: it would be sent where the user no longer is.
void ChatWidget::showActivity() {
  const bool isOpening = m_sessions.isOpening();
  m_composer->setMode(composerMode(session(), isOpening, m_isLoading));
  m_view->setActions(rowActions(session(), isOpening));
  const QString text = statusText();
  m_status->setText(text);
  m_status->setVisible(!text.isEmpty());
  m_list->setMarks(m_sessions.marks());
  showWelcome();
}

}  // namespace headroom::ui
