// How the monkey gets out of what it has opened, and what has to hold every so often: a question is answered, and no
// text is lost.
#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QFileDialog>
#include <QInputMethodEvent>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTest>
#include <QWindow>

#include "tests/app/monkey/monkey.h"

namespace headroom::test {

// A menu that a button opens, a drag, and what a file dialog asks wait in a loop of their own until somebody does
// something.
void Monkey::leaveNestedLoop() {
  QWidget* popup = QApplication::activePopupWidget();
  if (auto* menu = qobject_cast<QMenu*>(popup); menu != nullptr && m_random() % 2 == 0) {
    QList<QAction*> actions;
    for (QAction* action : menu->actions()) {
      if (action->isEnabled() && !action->isSeparator() && action->menu() == nullptr) actions.append(action);
    }
    if (!actions.isEmpty()) {
      menu->setActiveAction(anyOf(actions));
      QTest::keyClick(menu, Qt::Key_Return);
      return;
    }
  }
  if (popup != nullptr) {
    popup->close();
  } else if (QWindow* window = QGuiApplication::focusWindow()) {
    QTest::keyClick(window, Qt::Key_Escape);  // ends a drag
  }
}

void Monkey::answerDialogs() {
  for (QWidget* top : QApplication::topLevelWidgets()) {
    if (auto* dialog = qobject_cast<QFileDialog*>(top); dialog != nullptr && dialog->isVisible())
      answerFileDialog(*dialog);
  }
  // Some stay open for a while, so that what goes on meets them.
  if (m_random() % 6 == 0) closeDialogs();
}

void Monkey::answerFileDialog(QFileDialog& dialog) {
  dialog.setDirectory(m_folder.path());
  QString name;
  if (dialog.acceptMode() == QFileDialog::AcceptSave) {
    name = m_folder.filePath(QStringLiteral("saved-%1.json").arg(m_random() % 10));
    QFile::remove(name);  // it would ask whether to write over it
  } else if (dialog.fileMode() == QFileDialog::Directory) {
    name = m_folder.filePath(QStringLiteral("models"));
  } else {
    const QStringList files = QDir(m_folder.path()).entryList({"*.txt", "*.json", "*.bin", "*.md"}, QDir::Files);
    name = m_folder.filePath(anyOf(files));
  }
  dialog.selectFile(name);
  m_random() % 4 == 0 ? dialog.reject() : static_cast<QDialog&>(dialog).accept();
  if (dialog.isVisible()) dialog.reject();
}

void Monkey::closeDialogs() {
  for (int i = 0; i < 10 && QApplication::activePopupWidget() != nullptr; ++i)
    QApplication::activePopupWidget()->close();
  for (QWidget* top : QApplication::topLevelWidgets()) {
    if (auto* dialog = qobject_cast<QDialog*>(top); dialog != nullptr && dialog->isVisible()) dialog->reject();
  }
  QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
}

bool Monkey::check() { return m_why.isEmpty() && checkAsking() && checkStore(); }

// What was chosen for the model before may fit nowhere, or be for a device that is not here: then without that.
bool Monkey::loadToAsk() {
  ui::ModelController& models = m_world->models();
  for (const bool asPlanned : {false, true}) {
    if (asPlanned) {
      ui::ModelMemory memory = m_world->settings().models();
      memory.planned.clear();
      memory.devices.clear();
      m_world->settings().setModels(memory);
    }
    models.open(MonkeyWorld::modelPaths()[0], ui::AfterOpen::Load);
    if (!m_world->settle()) return fail(QStringLiteral("a load never comes to its end"));
    if (m_world->sessions().current().canStart() || models.calculator().isLoadable()) break;
  }
  if (m_world->sessions().current().canStart()) return true;
  const ui::LoadedModel* loaded = models.load().loaded();
  const bool isBusy = m_world->sessions().current().isBusy();
  return fail(QStringLiteral("no question can be asked: open is \"%1\", loaded \"%2\", an answer %3. %4")
                  .arg(models.path(), loaded != nullptr ? loaded->path : QString(),
                       isBusy ? QStringLiteral("runs") : QStringLiteral("does not run"),
                       models.calculator().whyNotLoadable().text()));
}

// From wherever it is, a user who goes to a new conversation and loads a model gets an answer.
bool Monkey::checkAsking() {
  closeDialogs();
  if (!m_world->settle()) return fail(QStringLiteral("the window never comes to rest"));
  see();
  m_world->engine().isReliable = true;
  m_world->window().showLibrary(false);
  m_world->sessions().newConversation();
  if (!loadToAsk()) return false;
  auto* edit = m_world->chat().findChild<QPlainTextEdit*>(QStringLiteral("messageEdit"));
  const QString question = QStringLiteral("question %1").arg(++m_nAsked);
  edit->setFocus();
  edit->selectAll();
  QInputMethodEvent event;
  event.setCommitString(question);
  QApplication::sendEvent(edit, &event);
  see();
  QTest::keyClick(edit, Qt::Key_Return, Qt::ControlModifier);
  see();
  if (!m_world->settle()) return fail(QStringLiteral("an answer never comes to its end"));
  see();
  m_world->engine().isReliable = false;
  const ui::ChatTree& tree = m_world->sessions().current().tree();
  const QStringList path = tree.path();
  if (path.size() != 2 || tree.find(path[0])->text.isEmpty())
    return fail(QStringLiteral("the question was not taken: %1 messages, field \"%2\"")
                    .arg(path.size())
                    .arg(edit->toPlainText()));
  if (tree.find(path[1])->state != ui::TurnState::Done) return fail(QStringLiteral("the answer is not done"));
  return m_why.isEmpty();
}

// What is alive is kept when typing pauses, and so it is all there when the window has closed: the check is behind a
// restart.
bool Monkey::checkStore() {
  QMap<QString, ui::Conversation> stored;
  QStringList ids;
  ui::Draft newDraft;
  const auto wait = [this](auto&& asks, const bool& isDone) {
    asks();
    return QTest::qWaitFor([&] { return isDone; }, 30'000);
  };
  const ui::Settings settings = m_world->settings().all();
  see();
  m_world.reset();
  {
    app::ConversationStore store(m_folder.filePath(QStringLiteral("conversations.sqlite")));
    bool isListed = false, isOpened = false;
    QObject::connect(&store, &ui::ConversationPort::listed, this, [&](const QString&, const auto& all) {
      for (const ui::ListedConversation& each : all) ids.append(each.id);
      isListed = true;
    });
    QObject::connect(&store, &ui::ConversationPort::opened, this,
                     [&](const ui::Conversation& each) { stored.insert(each.head.id, each); });
    QObject::connect(&store, &ui::ConversationPort::newDraftOpened, this, [&](const ui::Draft& draft) {
      newDraft = draft;
      isOpened = true;
    });
    if (!wait([&] { store.list({}); }, isListed)) return fail(QStringLiteral("the store does not answer"));
    for (const QString& id : ids) store.open(id);
    if (!wait([&] { store.openNewDraft(); }, isOpened)) return fail(QStringLiteral("the store does not answer"));
  }
  if (const QString why = m_kept.check(stored, newDraft); !why.isEmpty()) fail(why);
  m_world = std::make_unique<MonkeyWorld>(m_folder.path(), m_random, m_kept, settings);
  ++m_nRestarts;
  if (!m_world->settle()) return fail(QStringLiteral("the window never comes to rest after a start"));
  return m_why.isEmpty();
}

}  // namespace headroom::test
