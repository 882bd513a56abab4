#include "tests/app/monkey/monkey.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDesktopServices>
#include <QDialog>
#include <QDir>
#include <QFileDialog>
#include <QInputMethodEvent>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPointer>
#include <QTest>
#include <QWheelEvent>
#include <QWindow>

#include "ui/settings/settings_dialog.h"
#include "ui/theme/appearance.h"

namespace headroom::test {
namespace {

constexpr int kCheckEvery = 50;
constexpr const char* kSchemes[] = {"http", "https", "file", "mailto"};
// Quit ends nothing here, but the window of a program that quits is closed.
const QStringList kLeftAlone{QStringLiteral("Quit"), QStringLiteral("Beenden")};

const QStringList& texts() {
  static const QStringList kTexts{
      QStringLiteral("What is the KV cache?"),
      QStringLiteral("a"),
      QString::fromUtf8("Grüße, 世界 🌍👩‍👩‍👧"),
      QString::fromUtf8("مرحبا \u202e reversed"),
      QStringLiteral("# heading\n\n```cpp\nint x;\n```\n| a | b |\n|--|--|\n| $x^2$ | \\(\\frac{1}{2}\\) |"),
      QStringLiteral("<b>markup</b> &amp; [link](https://example.org)"),
      QStringLiteral("   "),
      QString(3000, QLatin1Char('w')),
      QStringLiteral("e\u0301\u0301\u0301 \u200b\ufeff"),
      QStringLiteral("0"),
      QStringLiteral("-1e9"),
      QStringLiteral("4096")};
  return kTexts;
}

struct Press {
  Qt::Key key;
  Qt::KeyboardModifiers modifiers;
};

const std::vector<Press>& presses() {
  static const std::vector<Press> kPresses{{Qt::Key_Tab, {}},
                                           {Qt::Key_Backtab, Qt::ShiftModifier},
                                           {Qt::Key_Return, {}},
                                           {Qt::Key_Return, Qt::ControlModifier},
                                           {Qt::Key_Return, Qt::ShiftModifier},
                                           {Qt::Key_Escape, {}},
                                           {Qt::Key_Space, {}},
                                           {Qt::Key_Up, {}},
                                           {Qt::Key_Down, {}},
                                           {Qt::Key_Left, {}},
                                           {Qt::Key_Right, {}},
                                           {Qt::Key_PageUp, {}},
                                           {Qt::Key_PageDown, {}},
                                           {Qt::Key_Home, {}},
                                           {Qt::Key_End, Qt::ControlModifier},
                                           {Qt::Key_Delete, {}},
                                           {Qt::Key_Backspace, {}},
                                           {Qt::Key_F1, {}},
                                           {Qt::Key_F2, {}},
                                           {Qt::Key_F3, {}},
                                           {Qt::Key_F3, Qt::ShiftModifier},
                                           {Qt::Key_Menu, {}},
                                           {Qt::Key_A, Qt::ControlModifier},
                                           {Qt::Key_C, Qt::ControlModifier},
                                           {Qt::Key_V, Qt::ControlModifier},
                                           {Qt::Key_X, Qt::ControlModifier},
                                           {Qt::Key_Z, Qt::ControlModifier},
                                           {Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier},
                                           {Qt::Key_F, Qt::ControlModifier},
                                           {Qt::Key_N, Qt::ControlModifier},
                                           {Qt::Key_L, Qt::ControlModifier},
                                           {Qt::Key_1, Qt::ControlModifier},
                                           {Qt::Key_2, Qt::ControlModifier},
                                           {Qt::Key_3, Qt::ControlModifier},
                                           {Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier},
                                           {Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier},
                                           {Qt::Key_Comma, Qt::ControlModifier},
                                           {Qt::Key_W, Qt::ControlModifier | Qt::ShiftModifier},
                                           {Qt::Key_Plus, Qt::ControlModifier},
                                           {Qt::Key_Minus, Qt::ControlModifier},
                                           {Qt::Key_0, Qt::ControlModifier}};
  return kPresses;
}

// What a user could reach with the mouse now.
QList<QWidget*> reachable() {
  QList<QWidget*> tops;
  if (QWidget* popup = QApplication::activePopupWidget()) {
    tops = {popup};
  } else if (QWidget* modal = QApplication::activeModalWidget()) {
    tops = {modal};
  } else {
    tops = QApplication::topLevelWidgets();
  }
  QList<QWidget*> found;
  for (QWidget* top : tops) {
    if (!top->isVisible() || qobject_cast<QFileDialog*>(top) != nullptr) continue;
    for (QWidget* widget : top->findChildren<QWidget*>()) {
      const bool isInFileDialog = qobject_cast<QFileDialog*>(widget->window()) != nullptr;
      if (widget->isVisible() && widget->isEnabled() && !widget->size().isEmpty() && !isInFileDialog)
        found.append(widget);
    }
  }
  return found;
}

}  // namespace

const std::array<Monkey::Weighted, 18>& Monkey::acts() {
  static const std::array<Weighted, 18> kActs{{{14, "click", &Monkey::click},
                                               {6, "clickAnywhere", &Monkey::clickAnywhere},
                                               {2, "doubleClick", &Monkey::doubleClick},
                                               {12, "pressKey", &Monkey::pressKey},
                                               {6, "type", &Monkey::type},
                                               {10, "send", &Monkey::send},
                                               {3, "drag", &Monkey::drag},
                                               {2, "wheel", &Monkey::wheel},
                                               {2, "resize", &Monkey::resize},
                                               {4, "triggerAction", &Monkey::triggerAction},
                                               {2, "dropFile", &Monkey::dropFile},
                                               {5, "openConversation", &Monkey::openConversation},
                                               {3, "openModel", &Monkey::openModel},
                                               {1, "chooseTextSize", &Monkey::chooseTextSize},
                                               {1, "chooseLanguage", &Monkey::chooseLanguage},
                                               {1, "turnPages", &Monkey::turnPages},
                                               {16, "work", &Monkey::work},
                                               {1, "pause", &Monkey::pause}}};
  return kActs;
}

Monkey::Monkey(unsigned seed) : m_random(seed) {
  for (const char* scheme : kSchemes) QDesktopServices::setUrlHandler(QLatin1StringView(scheme), this, "ignoreUrl");
  QDir(m_folder.path()).mkdir(QStringLiteral("models"));
  for (const auto& [name, text] : {std::pair("notes.txt", "some notes\nof two lines"), std::pair("broken.json", "{"),
                                   std::pair("bytes.bin", "\xff\xfe\x01")}) {
    QFile file(m_folder.filePath(QLatin1StringView(name)));
    if (file.open(QIODevice::WriteOnly)) file.write(text);
  }
  ui::Settings settings;
  settings.library.huggingFace = settings.library.lmStudio = settings.library.ollama = false;
  m_world = std::make_unique<MonkeyWorld>(m_folder.path(), m_random, m_kept, settings);
  m_rescue.setInterval(20);
  connect(&m_rescue, &QTimer::timeout, this, &Monkey::leaveNestedLoop);
}

Monkey::~Monkey() {
  for (const char* scheme : kSchemes) QDesktopServices::unsetUrlHandler(QLatin1StringView(scheme));
}

bool Monkey::play(int nActions) {
  std::vector<unsigned> weights;
  for (const Weighted& each : acts()) weights.push_back(each.weight);
  std::discrete_distribution<std::size_t> which(weights.begin(), weights.end());
  for (int i = 0; i < nActions && m_why.isEmpty(); ++i) {
    const Weighted& next = acts()[which(m_random)];
    ++m_nActions;
    m_last = QLatin1StringView(next.name);
    m_rescue.start();
    (this->*next.act)();
    see();
    answerDialogs();
    m_rescue.stop();
    m_world->step();
    if (!m_world->window().isVisible()) m_world->window().show();
    see();
    if (i % kCheckEvery == kCheckEvery - 1) check();
  }
  return m_why.isEmpty() && check();
}

QString Monkey::figures() const {
  return QStringLiteral("%1 actions, %2 questions answered, %3 restarts, %4 texts kept")
      .arg(m_nActions)
      .arg(m_nAsked)
      .arg(m_nRestarts)
      .arg(m_kept.nTexts());
}

bool Monkey::fail(const QString& why) {
  if (m_why.isEmpty()) m_why = QStringLiteral("after action %1 (%2): %3").arg(m_nActions).arg(m_last, why);
  return false;
}

QWidget* Monkey::anyWidget(const char* kind) {
  QList<QWidget*> found;
  for (QWidget* widget : reachable()) {
    if (widget->inherits(kind)) found.append(widget);
  }
  return found.isEmpty() ? nullptr : anyOf(found);
}

QString Monkey::anyText() { return anyOf(texts()) + QString::number(m_random() % 1000); }

void Monkey::click() {
  if (QWidget* button = anyWidget("QAbstractButton")) {
    m_last += QStringLiteral(" ") + button->objectName();
    QTest::mouseClick(button, Qt::LeftButton);
  }
}

void Monkey::clickAnywhere() {
  QWidget* widget = anyWidget("QWidget");
  if (widget == nullptr) return;
  m_last += QStringLiteral(" ") + QLatin1StringView(widget->metaObject()->className()) + widget->objectName();
  const QPoint at(static_cast<int>(m_random() % static_cast<unsigned>(widget->width())),
                  static_cast<int>(m_random() % static_cast<unsigned>(widget->height())));
  const bool isRight = m_random() % 4 == 0;
  QTest::mouseClick(widget, isRight ? Qt::RightButton : Qt::LeftButton, {}, at);
}

void Monkey::doubleClick() {
  if (QWidget* widget = anyWidget("QWidget")) {
    m_last += QStringLiteral(" ") + QLatin1StringView(widget->metaObject()->className());
    QTest::mouseDClick(widget, Qt::LeftButton);
  }
}

void Monkey::pressKey() {
  QWidget* to = QApplication::activePopupWidget();
  if (to == nullptr) to = QApplication::focusWidget();
  if (to == nullptr) to = &m_world->window();
  const Press press = anyOf(presses());
  m_last += QStringLiteral(" ") + QKeySequence(press.key | press.modifiers).toString();
  QTest::keyClick(to, press.key, press.modifiers);
}

void Monkey::type() {
  QWidget* to = QApplication::focusWidget();
  if (to == nullptr || m_random() % 2 == 0) {
    to = m_world->chat().findChild<QWidget*>(QStringLiteral("messageEdit"));
    if (QApplication::activeModalWidget() != nullptr || !to->isVisible()) return;
    to->setFocus();
  }
  const QString text = anyText();
  // As from an input method: letters that no key has.
  QInputMethodEvent event;
  event.setCommitString(text);
  QApplication::sendEvent(to, &event);
}

void Monkey::send() {
  auto* edit = m_world->chat().findChild<QWidget*>(QStringLiteral("messageEdit"));
  if (QApplication::activeModalWidget() != nullptr || !edit->isVisible()) return;
  edit->setFocus();
  QInputMethodEvent event;
  event.setCommitString(anyText());
  QApplication::sendEvent(edit, &event);
  QTest::keyClick(edit, Qt::Key_Return, Qt::ControlModifier);
}

void Monkey::drag() {
  QWidget* widget = anyWidget("QWidget");
  if (widget == nullptr) return;
  m_last += QStringLiteral(" ") + QLatin1StringView(widget->metaObject()->className());
  const auto point = [&] {
    return QPoint(static_cast<int>(m_random() % static_cast<unsigned>(widget->width())),
                  static_cast<int>(m_random() % static_cast<unsigned>(widget->height())));
  };
  const QPointer<QWidget> alive = widget;
  QTest::mousePress(widget, Qt::LeftButton, {}, point());
  for (int i = 0; i < 3 && alive != nullptr; ++i) QTest::mouseMove(widget, point());
  if (alive != nullptr) QTest::mouseRelease(widget, Qt::LeftButton, {}, point());
}

void Monkey::wheel() {
  QWidget* widget = anyWidget("QWidget");
  if (widget == nullptr) return;
  const QPointF at = QRectF(widget->rect()).center();
  QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, m_random() % 2 == 0 ? 120 : -120}, Qt::NoButton,
                    Qt::NoModifier, Qt::NoScrollPhase, false);
  QApplication::sendEvent(widget, &event);
}

void Monkey::resize() {
  m_world->window().resize(640 + static_cast<int>(m_random() % 1300), 360 + static_cast<int>(m_random() % 800));
}

void Monkey::triggerAction() {
  if (QApplication::activeModalWidget() != nullptr) return;
  QList<QAction*> actions;
  for (QAction* action : m_world->window().findChildren<QAction*>()) {
    QString name = action->text();
    const bool isLeftAlone = kLeftAlone.contains(name.remove(QLatin1Char('&')));
    if (action->isEnabled() && action->isVisible() && !action->isSeparator() && !isLeftAlone) actions.append(action);
  }
  QAction* action = anyOf(actions);
  m_last += QStringLiteral(" ") + action->text();
  action->trigger();
}

void Monkey::dropFile() {
  if (QApplication::activeModalWidget() != nullptr) return;
  QMimeData mime;
  const QStringList paths = MonkeyWorld::modelPaths() + QStringList{m_folder.filePath(QStringLiteral("notes.txt"))};
  mime.setUrls({QUrl::fromLocalFile(anyOf(paths))});
  QWidget* on = m_random() % 2 == 0 ? static_cast<QWidget*>(&m_world->window()) : &m_world->chat();
  QDragEnterEvent enter({20, 10}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(on, &enter);
  QDropEvent event({20, 10}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(on, &event);
}

void Monkey::openConversation() {
  auto* list = m_world->chat().findChild<QListView*>(QStringLiteral("conversationList"));
  const int nRows = list->model()->rowCount();
  if (nRows == 0 || QApplication::activeModalWidget() != nullptr) return;
  const QModelIndex index = list->model()->index(static_cast<int>(m_random() % static_cast<unsigned>(nRows)), 0);
  list->setCurrentIndex(index);
  emit list->activated(index);
}

void Monkey::openModel() {
  if (QApplication::activeModalWidget() != nullptr) return;
  m_world->models().open(anyOf(MonkeyWorld::modelPaths()), static_cast<ui::AfterOpen>(m_random() % 2));
}

void Monkey::chooseTextSize() {
  ui::AppearanceSettings appearance = m_world->settings().appearance();
  appearance.textPercent = ui::kTextPercents[m_random() % std::size(ui::kTextPercents)];
  appearance.theme = static_cast<ui::ThemeChoice>(m_random() % 3);
  appearance.highContrast = m_random() % 4 == 0;
  appearance.reduceMotion = m_random() % 2 == 0;
  m_world->settings().setAppearance(appearance);
}

// Nothing else is reached while a dialog asks something, but the settings.
void Monkey::chooseLanguage() {
  QWidget* modal = QApplication::activeModalWidget();
  if (modal != nullptr && qobject_cast<ui::SettingsDialog*>(modal) == nullptr) return;
  ui::GeneralSettings general = m_world->settings().general();
  general.language = static_cast<ui::LanguageChoice>(m_random() % 3);
  general.modelTitles = m_random() % 2 == 0;
  m_world->settings().setGeneral(general);
}

void Monkey::turnPages() { m_world->showSettings(); }

void Monkey::work() {
  for (unsigned i = m_random() % 20; i > 0; --i) m_world->step();
}

// Long enough for what waits until typing pauses.
void Monkey::pause() { QTest::qWait(static_cast<int>(m_random() % 300)); }

// What is in the field is what is kept, or it would be lost.
void Monkey::see() {
  const auto* edit = m_world->chat().findChild<QPlainTextEdit*>(QStringLiteral("messageEdit"));
  const QString kept = m_world->sessions().current().draft().message().text;
  if (edit->toPlainText() != kept)
    fail(QStringLiteral("the field has \"%1\" and the draft \"%2\"").arg(edit->toPlainText(), kept));
  if (const QString why = m_kept.see(m_world->sessions()); !why.isEmpty()) fail(why);
}

}  // namespace headroom::test
