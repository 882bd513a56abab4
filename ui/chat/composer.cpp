#include "ui/chat/composer.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "ui/chat/chat_rows.h"
#include "ui/format/literal_text.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

namespace {

constexpr int kMostLines = 9;

}  // namespace

MessageEdit::MessageEdit(QWidget* parent) : QPlainTextEdit(parent) {
  setObjectName(QStringLiteral("messageEdit"));
  setAccessibleName(tr("Your message"));
  setFrameShape(NoFrame);
  setTabChangesFocus(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setAutoFillBackground(false);
  document()->setDocumentMargin(4);
  connect(document(), &QTextDocument::contentsChanged, this, &MessageEdit::fitHeight);
  fitHeight();
}

// QPlainTextEdit measures its document in lines.
void MessageEdit::fitHeight() {
  const int lines = std::clamp(static_cast<int>(std::ceil(document()->size().height())), 1, kMostLines);
  setVerticalScrollBarPolicy(lines < kMostLines ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
  setFixedHeight(lines * fontMetrics().lineSpacing() + 2 * static_cast<int>(document()->documentMargin()) + 2);
}

void MessageEdit::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  fitHeight();
}

void MessageEdit::keyPressEvent(QKeyEvent* event) {
  const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (isEnter && !event->modifiers().testFlag(Qt::ShiftModifier)) {
    emit submitted();
  } else if (event->key() == Qt::Key_Escape) {
    emit escaped();
  } else if (event->key() == Qt::Key_Up && toPlainText().isEmpty()) {
    emit earlierWanted();
  } else {
    QPlainTextEdit::keyPressEvent(event);
  }
}

bool MessageEdit::canInsertFromMimeData(const QMimeData* source) const {
  return !source->hasUrls() && QPlainTextEdit::canInsertFromMimeData(source);
}

Composer::Composer(const Theme& theme, QWidget* parent, AttachmentReader::Read read)
    : QFrame(parent), m_theme(theme), m_reader(new AttachmentReader(std::move(read), this)) {
  setObjectName(QStringLiteral("composer"));
  setRole(this, "card");
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(10, 8, 8, 8);
  layout->setSpacing(4);

  m_editBar = new QWidget(this);
  auto* editLayout = new QHBoxLayout(m_editBar);
  editLayout->setContentsMargins(4, 0, 0, 0);
  auto* editing = new QLabel(tr("Editing your message; the version before stays."), m_editBar);
  setRole(editing, "muted");
  auto* cancel = new QToolButton(m_editBar);
  cancel->setText(tr("Cancel"));
  cancel->setObjectName(QStringLiteral("cancelEdit"));
  connect(cancel, &QToolButton::clicked, this, &Composer::cancelEditing);
  editLayout->addWidget(editing);
  editLayout->addStretch();
  editLayout->addWidget(cancel);
  layout->addWidget(m_editBar);

  m_chips = new QWidget(this);
  m_chipLayout = new QHBoxLayout(m_chips);
  m_chipLayout->setContentsMargins(0, 0, 0, 0);
  m_chipLayout->setSpacing(6);
  layout->addWidget(m_chips);

  m_text = new MessageEdit(this);
  layout->addWidget(m_text);

  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  m_attach = new QToolButton(this);
  m_attach->setText(tr("Attach…"));
  m_attach->setObjectName(QStringLiteral("attachButton"));
  m_attach->setToolTip(tr("Add a text file to the message"));
  setRole(m_attach, "chip");
  m_hint = new QLabel(this);
  m_hint->setObjectName(QStringLiteral("composerHint"));
  setRole(m_hint, "muted");
  m_action = new QPushButton(this);
  m_action->setObjectName(QStringLiteral("sendButton"));
  m_action->setMinimumWidth(88);
  m_action->setAutoDefault(true);
  row->addWidget(m_attach);
  row->addWidget(m_hint, 1);
  row->addWidget(m_action);
  layout->addLayout(row);

  setFocusProxy(m_text);
  m_text->installEventFilter(this);
  connect(m_text, &MessageEdit::submitted, this, &Composer::submit);
  connect(m_text, &MessageEdit::escaped, this,
          [this] { m_editedTurn.isEmpty() ? emit stopChosen() : cancelEditing(); });
  connect(m_text, &MessageEdit::earlierWanted, this, &Composer::editLastWanted);
  connect(m_text, &QPlainTextEdit::textChanged, this, &Composer::refresh);
  connect(m_attach, &QToolButton::clicked, this, &Composer::attachChosen);
  connect(&theme, &Theme::changed, this, &Composer::showAttachments);
  connect(m_reader, &AttachmentReader::arrived, this, &Composer::replacePending);
  connect(m_reader, &AttachmentReader::refused, this, [this](quint64 id, const QString& sentence) {
    removePending(id);
    emit attachmentRefused(sentence);
  });
  connect(m_reader, &AttachmentReader::folderFound, this, [this](quint64 id, const QString& path) {
    removePending(id);
    emit folderFound(id, path);
  });
  connect(m_action, &QPushButton::clicked, this, [this] { m_mode == Mode::Busy ? emit stopChosen() : submit(); });
  showAttachments();
}

// Shown as one field: the frame takes the focus colour.
bool Composer::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
    setProperty("focused", event->type() == QEvent::FocusIn);
    setRole(this, "composer");
  }
  return QFrame::eventFilter(object, event);
}

void Composer::setMode(Mode mode) {
  m_mode = mode;
  refresh();
}

void Composer::refresh() {
  const bool hasText = !m_text->toPlainText().trimmed().isEmpty() || !m_attachments.isEmpty();
  m_editBar->setVisible(!m_editedTurn.isEmpty());
  m_chips->setVisible(!m_attachments.isEmpty());
  const bool busy = m_mode == Mode::Busy;
  m_action->setText(busy ? tr("Stop") : tr("Send"));
  m_action->setToolTip(busy ? tr("Stop this answer (Esc)") : tr("Send (Enter)"));
  m_action->setAccessibleName(busy ? tr("Stop this answer") : tr("Send"));
  const QString pending = pendingName();
  m_action->setEnabled(busy || (m_mode == Mode::Ready && hasText && pending.isEmpty()));
  const char* role = busy ? "" : "primary";
  if (m_action->property("role").toString() != QLatin1StringView(role)) setRole(m_action, role);
  m_hint->setText(busy                 ? tr("Esc stops")
                  : !pending.isEmpty() ? tr("Reading %1; remove it to send without it").arg(pending)
                  : hasText            ? tr("Shift+Enter for a new line")
                                       : QString());
  const QString placeholder = m_mode == Mode::NoModel ? tr("Load a model to chat") : tr("Write a message");
  if (m_text->placeholderText() == placeholder) return;
  m_text->setPlaceholderText(placeholder);
  // Qt repaints when a placeholder comes or goes, not when one takes the other's place.
  m_text->viewport()->update();
}

void Composer::showAttachments() {
  while (QLayoutItem* item = m_chipLayout->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  for (qsizetype i = 0; i < m_attachments.size(); ++i) {
    QToolButton* chip = makeChip(m_attachments[i]);
    connect(chip, &QToolButton::clicked, this, [this, i] {
      cancelReads({m_attachments.takeAt(i)});
      showAttachments();
    });
    m_chipLayout->addWidget(chip);
  }
  m_chipLayout->addStretch();
  refresh();
}

QToolButton* Composer::makeChip(const Attached& attached) {
  auto* chip = new QToolButton(m_chips);
  chip->setObjectName(QStringLiteral("attachmentChip"));
  chip->setIcon(m_theme.icon(QStringLiteral("close")));
  chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  setRole(chip, "chip");
  if (const auto* pending = std::get_if<Pending>(&attached)) {
    chip->setText(literalText(tr("Reading %1\u2026").arg(pending->name)));
    chip->setToolTip(tr("Stop reading %1 and leave it out").arg(pending->name));
  } else {
    const Attachment& read = std::get<Attachment>(attached);
    chip->setText(literalText(attachmentText(read)));
    chip->setToolTip(tr("Remove %1").arg(read.name));
  }
  chip->setAccessibleName(chip->toolTip());
  return chip;
}

quint64 Composer::attachFile(const QString& path) {
  const quint64 id = m_reader->read(path);
  m_attachments.append(Pending{id, QFileInfo(path).fileName()});
  showAttachments();
  return id;
}

// In its place, also in a draft that is put aside while a message is edited.
void Composer::replacePending(quint64 id, const Attachment& read) {
  for (QVector<Attached>* list : {&m_attachments, &m_draftAttachments}) {
    for (Attached& attached : *list) {
      const auto* pending = std::get_if<Pending>(&attached);
      if (pending != nullptr && pending->id == id) attached = read;
    }
  }
  showAttachments();
}

void Composer::removePending(quint64 id) {
  const auto isIt = [id](const Attached& attached) {
    const auto* pending = std::get_if<Pending>(&attached);
    return pending != nullptr && pending->id == id;
  };
  m_attachments.removeIf(isIt);
  m_draftAttachments.removeIf(isIt);
  showAttachments();
}

QString Composer::pendingName() const {
  for (const Attached& attached : m_attachments) {
    if (const auto* pending = std::get_if<Pending>(&attached)) return pending->name;
  }
  return {};
}

void Composer::cancelReads(const QVector<Attached>& attachments) {
  for (const Attached& attached : attachments) {
    if (const auto* pending = std::get_if<Pending>(&attached)) m_reader->cancel(pending->id);
  }
}

void Composer::startEditing(const QString& turnId, const QString& text, const QVector<Attachment>& attachments) {
  if (m_editedTurn.isEmpty()) {
    m_draft = m_text->toPlainText();
    m_draftAttachments = m_attachments;
  } else {
    cancelReads(m_attachments);
  }
  m_editedTurn = turnId;
  m_attachments = QVector<Attached>(attachments.begin(), attachments.end());
  m_text->setPlainText(text);
  m_text->moveCursor(QTextCursor::End);
  showAttachments();
  focusText();
}

void Composer::cancelEditing() {
  if (m_editedTurn.isEmpty()) return;
  m_editedTurn.clear();
  cancelReads(m_attachments);
  m_attachments = std::exchange(m_draftAttachments, {});
  m_text->setPlainText(std::exchange(m_draft, {}));
  m_text->moveCursor(QTextCursor::End);
  showAttachments();
}

void Composer::takeSent() {
  if (!m_editedTurn.isEmpty()) return cancelEditing();
  m_attachments.clear();
  m_text->clear();
  showAttachments();
}

void Composer::focusText() { m_text->setFocus(Qt::OtherFocusReason); }

void Composer::submit() {
  if (m_mode != Mode::Ready || !pendingName().isEmpty()) return;
  const QString text = m_text->toPlainText();
  if (text.trimmed().isEmpty() && m_attachments.isEmpty()) return;
  QVector<Attachment> attachments;  // a copy: whoever takes it clears ours
  for (const Attached& attached : m_attachments) attachments.append(std::get<Attachment>(attached));
  emit sendChosen(text, attachments);
}

}  // namespace headroom::ui
