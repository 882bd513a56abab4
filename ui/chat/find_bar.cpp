#include "ui/chat/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>
#include <QToolButton>
#include <algorithm>

#include "ui/chat/chat_view.h"
#include "ui/format/format_bytes.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

namespace {

constexpr int kRefreshMs = 200;

}  // namespace

FindBar::FindBar(const Theme& theme, ChatView& view, QWidget* parent) : QFrame(parent), m_theme(theme), m_view(view) {
  setObjectName(QStringLiteral("findBar"));
  setRole(this, "banner");
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 4, 4, 4);
  layout->setSpacing(4);
  m_field = new QLineEdit(this);
  m_field->setObjectName(QStringLiteral("findField"));
  m_field->setPlaceholderText(tr("Find in this conversation"));
  m_field->setAccessibleName(tr("Find in this conversation"));
  layout->addWidget(m_field, 1);
  m_count = new QLabel(this);
  m_count->setObjectName(QStringLiteral("findCount"));
  setRole(m_count, "muted");
  layout->addWidget(m_count);
  m_previous = addButton("chevron-up", "findPrevious", tr("Previous hit"), ViewKey::PreviousHit);
  m_next = addButton("chevron-down", "findNext", tr("Next hit"), ViewKey::NextHit);
  QToolButton* close = addButton("close", "findClose", tr("Stop finding"), ViewKey::CloseFind);
  connect(m_previous, &QToolButton::clicked, this, [this] { step(-1); });
  connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
  connect(close, &QToolButton::clicked, this, &FindBar::close);
  connect(m_field, &QLineEdit::textChanged, this, [this] { find(m_view.firstSeenTurn()); });
  connect(&m_finder, &ChatFinder::changed, this, &FindBar::showFound);
  m_refresh.setSingleShot(true);
  m_refresh.setInterval(kRefreshMs);
  connect(&m_refresh, &QTimer::timeout, this, [this] {
    if (!m_sought) {
      m_sought = m_current < 0 ? FoundPlace() : m_finder.places()[static_cast<std::size_t>(m_current)];
      m_current = -1;
      m_scrolls = false;
    }
    m_finder.refresh();
  });
  setFocusProxy(m_field);
  hide();
}

QToolButton* FindBar::addButton(const char* icon, const char* name, const QString& text, ViewKey key) {
  auto* button = new QToolButton(this);
  button->setObjectName(QLatin1String(name));
  button->setText(text);
  button->setToolButtonStyle(Qt::ToolButtonIconOnly);
  button->setToolTip(withKey(text, key));
  button->setAccessibleName(text);
  button->setFocusPolicy(Qt::StrongFocus);
  // Not a shortcut of the button: that presses it for a moment, in which further keys are lost. Esc is pressed in the
  // bar alone; elsewhere it stops the answer.
  if (key != ViewKey::CloseFind)
    connect(makeShortcut(key, this), &QShortcut::activated, button, [button] { button->click(); });
  const auto showIcon = [this, button, icon = QString::fromLatin1(icon)] { button->setIcon(m_theme.icon(icon)); };
  connect(&m_theme, &Theme::changed, button, showIcon);
  showIcon();
  layout()->addWidget(button);
  return button;
}

void FindBar::showTree(const ChatTree& tree) {
  m_refresh.stop();
  m_current = -1;
  m_sought.reset();
  m_finder.showTree(&tree);
  m_view.markFound({}, {}, {});
  hide();
}

void FindBar::open() {
  const bool wasOpen = isOpen();
  show();
  m_field->setFocus(Qt::ShortcutFocusReason);
  m_field->selectAll();
  if (!wasOpen) find(m_view.firstSeenTurn());
}

void FindBar::openAtFirst(const QString& text) {
  const QSignalBlocker quiet(m_field);
  m_field->setText(text);
  show();
  find(0);
}

void FindBar::close() {
  m_refresh.stop();
  hide();
  m_current = -1;
  m_sought.reset();
  m_finder.find({});
  m_view.markFound({}, {}, {});
  emit closed();
}

void FindBar::refresh() {
  if (isOpen() && !m_refresh.isActive()) m_refresh.start();
}

FindBar::Kept FindBar::kept() const {
  std::optional<FoundPlace> hit = m_sought;
  if (!hit && m_current >= 0) hit = m_finder.places()[static_cast<std::size_t>(m_current)];
  return {isOpen(), m_field->text(), hit};
}

// The view is where it was: it does not go to the hit.
void FindBar::takeOver(const Kept& kept) {
  const QSignalBlocker quiet(m_field);
  m_field->setText(kept.text);
  if (!kept.isOpen) return;
  show();
  m_sought = kept.hit.value_or(FoundPlace());
  m_scrolls = false;
  m_finder.find(kept.text);
}

void FindBar::find(int fromTurn) {
  m_refresh.stop();
  m_current = -1;
  m_sought = FoundPlace{fromTurn, 0, 0};
  m_scrolls = true;
  m_finder.find(m_field->text());
}

// Until the search has come to where the next hit is wanted, none is the current one; behind the last it begins anew.
void FindBar::showFound() {
  const std::vector<FoundPlace>& places = m_finder.places();
  if (m_sought && !places.empty() && (!m_finder.isSearching() || places.back() >= *m_sought)) {
    const auto found = std::lower_bound(places.begin(), places.end(), *m_sought);
    m_sought.reset();
    return goTo(found == places.end() ? 0 : static_cast<std::size_t>(found - places.begin()), m_scrolls);
  }
  if (m_current < 0) m_view.markFound(m_finder.text(), {}, {});
  showCount();
}

void FindBar::step(int by) {
  const auto n = static_cast<int>(m_finder.places().size());
  if (n == 0) return;
  m_sought.reset();
  goTo(static_cast<std::size_t>(m_current < 0 ? 0 : (m_current + by + n) % n), true);
}

void FindBar::goTo(std::size_t index, bool scrolls) {
  const FoundPlace& place = m_finder.places()[index];
  m_current = static_cast<int>(index);
  m_view.markFound(m_finder.text(), m_finder.turnId(place), place);
  if (scrolls) m_view.scrollToFound();
  showCount();
}

void FindBar::showCount() {
  const std::size_t n = m_finder.places().size();
  QString text;
  if (n > 0) {
    text = tr("%1 of %2").arg(formatCount(static_cast<quint64>(m_current + 1)), formatCount(n));
  } else if (!m_finder.text().isEmpty() && !m_finder.isSearching()) {
    text = tr("Nothing found");
  }
  m_count->setText(m_finder.isSearching() ? text + QChar(0x2026) : text);
  m_previous->setEnabled(n > 0);
  m_next->setEnabled(n > 0);
}

void FindBar::keyPressEvent(QKeyEvent* event) {
  if (isViewKey(*event, ViewKey::CloseFind)) return close();
  if (m_field->hasFocus() && isViewKey(*event, ViewKey::NextHitHere)) return step(1);
  if (m_field->hasFocus() && isViewKey(*event, ViewKey::PreviousHitHere)) return step(-1);
  QFrame::keyPressEvent(event);
}

}  // namespace headroom::ui
