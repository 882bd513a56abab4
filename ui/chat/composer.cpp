#include "ui/chat/composer.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "ui/chat/chat_rows.h"
#include "ui/format/format_bytes.h"
#include "ui/format/literal_text.h"
#include "ui/keys/view_keys.h"
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

QString MessageEdit::text() const {
  QString raw = document()->toRawText();
  for (const QChar lineEnd : {QChar(QChar::ParagraphSeparator), QChar(QChar::LineSeparator)})
    raw.replace(lineEnd, u'\n');
  return raw;
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

void MessageEdit::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::FontChange) fitHeight();
}

void MessageEdit::keyPressEvent(QKeyEvent* event) {
  const bool isPage = isViewKey(*event, ViewKey::PageUp) || isViewKey(*event, ViewKey::PageDown);
  if (isViewKey(*event, ViewKey::SendMessage) || (m_enterSubmits && isViewKey(*event, ViewKey::SendByEnter))) {
    emit submitted();
  } else if (isViewKey(*event, ViewKey::NewLine)) {
    insertPlainText(QStringLiteral("\n"));
    ensureCursorVisible();
  } else if (isViewKey(*event, ViewKey::StopAnswer)) {
    emit escaped();
  } else if (isViewKey(*event, ViewKey::EditEarlier) && toPlainText().isEmpty()) {
    emit earlierWanted();
  } else if (isPage && verticalScrollBar()->maximum() == 0) {
    event->ignore();  // a message of one page leaves them to the conversation
  } else {
    QPlainTextEdit::keyPressEvent(event);
  }
}

bool MessageEdit::canInsertFromMimeData(const QMimeData* source) const {
  return !source->hasUrls() && QPlainTextEdit::canInsertFromMimeData(source);
}

Composer::Composer(const Theme& theme, ChatDraft& draft, QWidget* parent, AttachmentReader::Read read)
    : QFrame(parent), m_theme(theme), m_draft(&draft), m_reader(new AttachmentReader(std::move(read), this)) {
  setObjectName(QStringLiteral("composer"));
  setRole(this, "composer");
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(10, 8, 8, 8);
  layout->setSpacing(4);
  layout->addWidget(makeEditBar());
  m_chips = new QWidget(this);
  m_chipLayout = new QHBoxLayout(m_chips);
  m_chipLayout->setContentsMargins(0, 0, 0, 0);
  m_chipLayout->setSpacing(6);
  layout->addWidget(m_chips);
  m_text = new MessageEdit(this);
  layout->addWidget(m_text);
  layout->addWidget(makeWarning());

  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  m_attach = new QToolButton(this);
  m_attach->setText(tr("Attach…"));
  m_attach->setObjectName(QStringLiteral("attachButton"));
  m_attach->setToolTip(tr("Add text or PDF files to the message"));
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
  connect(m_text, &MessageEdit::escaped, this, &Composer::escape);
  connect(m_text, &MessageEdit::earlierWanted, this, &Composer::editLastWanted);
  connect(m_text, &QPlainTextEdit::textChanged, this, [this] {
    if (!m_isShowing) m_draft->handleEvent(draft_event::Typed{m_text->text()});
  });
  connect(m_attach, &QToolButton::clicked, this, &Composer::attachChosen);
  connect(m_action, &QPushButton::clicked, this, [this] { canStop() ? emit stopChosen() : submit(); });
  connect(&theme, &Theme::changed, this, &Composer::showFiles);
  connectReader();
  connectDraft();
  showMessage();
}

void Composer::connectDraft() {
  connect(m_draft, &ChatDraft::messageShown, this, &Composer::showMessage);
  connect(m_draft, &ChatDraft::changed, this, &Composer::refresh);
  connect(m_draft, &ChatDraft::readCancelled, m_reader, &AttachmentReader::cancel);
}

void Composer::showDraft(ChatDraft& draft) {
  if (m_draft == &draft) return showMessage();
  disconnect(m_draft, nullptr, this, nullptr);
  disconnect(m_draft, nullptr, m_reader, nullptr);
  const Draft before = m_draft->draft();
  for (const DraftMessage& message : {before.message, before.aside}) {
    for (const DraftFile& file : message.files) {
      if (file.readId == 0) continue;
      m_reader->cancel(file.readId);
      m_draft->handleEvent(draft_event::FileGone{file.readId});
    }
  }
  m_draft = &draft;
  connectDraft();
  showMessage();
}

Composer::Kept Composer::release() {
  m_reader->disconnect(this);
  disconnect(m_draft, nullptr, m_reader, nullptr);
  m_reader->setParent(nullptr);
  const QTextCursor cursor = m_text->textCursor();
  return {std::unique_ptr<AttachmentReader>(std::exchange(m_reader, nullptr)), cursor.anchor(), cursor.position(),
          m_text->verticalScrollBar()->value()};
}

void Composer::takeOver(Kept kept) {
  delete m_reader;
  m_reader = kept.reader.release();
  m_reader->setParent(this);
  connectReader();
  connect(m_draft, &ChatDraft::readCancelled, m_reader, &AttachmentReader::cancel);
  QTextCursor cursor = m_text->textCursor();
  cursor.setPosition(kept.anchor);
  cursor.setPosition(kept.cursor, QTextCursor::KeepAnchor);
  m_text->setTextCursor(cursor);
  m_text->verticalScrollBar()->setValue(kept.scroll);
}

void Composer::connectReader() {
  connect(m_reader, &AttachmentReader::arrived, this, [this](quint64 id, const Attachment& read) {
    m_draft->handleEvent(draft_event::FileRead{id, read});
  });
  connect(m_reader, &AttachmentReader::refused, this, [this](quint64 id, const Sentence& sentence) {
    m_draft->handleEvent(draft_event::FileGone{id});
    emit attachmentRefused(sentence);
  });
  connect(m_reader, &AttachmentReader::folderFound, this, [this](quint64 id, const QString& path) {
    m_draft->handleEvent(draft_event::FileGone{id});
    emit folderFound(id, path);
  });
}

// What is edited, or whether the change may be thrown away.
QWidget* Composer::makeEditBar() {
  m_editBar = new QWidget(this);
  m_editBar->setObjectName(QStringLiteral("editBar"));
  auto* layout = new QHBoxLayout(m_editBar);
  layout->setContentsMargins(4, 0, 0, 0);
  m_editText = new QLabel(m_editBar);
  m_editText->setObjectName(QStringLiteral("editText"));
  m_editText->setWordWrap(true);
  setRole(m_editText, "muted");
  layout->addWidget(m_editText, 1);
  m_cancel = addEditButton("cancelEdit", tr("Cancel"), draft_event::EscapePressed{});
  m_discard = addEditButton("discardEdit", tr("Throw away"), draft_event::DiscardAgreed{});
  m_keep = addEditButton("keepEdit", tr("Keep editing"), draft_event::KeepChosen{});
  return m_editBar;
}

QToolButton* Composer::addEditButton(const char* name, const QString& text, const DraftEvent& event) {
  auto* button = new QToolButton(m_editBar);
  button->setText(text);
  button->setObjectName(QLatin1String(name));
  button->setFocusPolicy(Qt::StrongFocus);
  connect(button, &QToolButton::clicked, this, [this, event] {
    m_draft->handleEvent(event);
    focusText();
  });
  m_editBar->layout()->addWidget(button);
  return button;
}

// Shown as one field: the frame takes the focus colour.
bool Composer::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
    setState(this, "focused", event->type() == QEvent::FocusIn);
  return QFrame::eventFilter(object, event);
}

void Composer::keyPressEvent(QKeyEvent* event) {
  isViewKey(*event, ViewKey::StopAnswer) ? escape() : QFrame::keyPressEvent(event);
}

void Composer::escape() {
  if (m_mode == Mode::Held || m_draft->editedTurn().isEmpty()) return emit stopChosen();
  m_draft->handleEvent(draft_event::EscapePressed{});
  focusText();
}

void Composer::setMode(Mode mode) {
  m_mode = mode;
  refresh();
}

void Composer::setEditsAnswer(bool on) {
  if (std::exchange(m_editsAnswer, on) != on) refresh();
}

void Composer::setEditHidden(bool isHidden) {
  m_isEditHidden = isHidden;
  showEditBar();
}

void Composer::showMessage() {
  const DraftMessage message = m_draft->message();
  if (m_text->text() != message.text) {
    m_isShowing = true;
    m_text->setPlainText(message.text);
    m_text->moveCursor(QTextCursor::End);
    m_isShowing = false;
  }
  if (m_shownFiles != message.files || m_chipLayout->count() == 0) showFiles();
  refresh();
}

void Composer::showEditBar() {
  const bool isEditing = !m_draft->editedTurn().isEmpty(), asks = m_draft->asksToDiscard();
  m_editText->setText(asks             ? tr("Throw away what you changed in this message?")
                      : m_isEditHidden ? tr("Editing a message that another version hides; sending shows it again.")
                      : m_editsAnswer  ? tr("Editing this answer; the version before stays.")
                                       : tr("Editing your message; the version before stays."));
  setRole(m_editText, asks ? "" : "muted");
  m_cancel->setVisible(!asks);
  m_discard->setVisible(asks);
  m_keep->setVisible(asks);
  m_editBar->setVisible(isEditing);
}

QString Composer::hintText() const {
  if (m_mode == Mode::Busy) return tr("Esc stops");
  if (m_mode == Mode::Held) return tr("Esc takes it back");
  if (const QString pending = pendingName(); !pending.isEmpty())
    return tr("Reading %1; remove it to send without it").arg(pending);
  const DraftMessage& message = m_draft->message();
  if (message.text.trimmed().isEmpty() && message.files.isEmpty()) return {};
  if (m_figures.promptTokens > 0 && !m_figures.isTooLong()) {
    return tr("With this message %1 of %2 tokens")
        .arg(formatCount(m_figures.promptTokens), formatCount(m_figures.contextLength));
  }
  return m_enterSends ? tr("Shift+Enter for a new line") : tr("Ctrl+Enter sends");
}

QWidget* Composer::makeWarning() {
  m_warning = new QFrame(this);
  m_warning->setObjectName(QStringLiteral("tooLongWarning"));
  setRole(m_warning, "banner");
  setTone(m_warning, Tone::Warning);
  auto* layout = new QVBoxLayout(m_warning);
  layout->setContentsMargins(10, 6, 10, 8);
  layout->setSpacing(6);
  m_warningText = new QLabel(m_warning);
  m_warningText->setObjectName(QStringLiteral("tooLongText"));
  m_warningText->setTextFormat(Qt::PlainText);
  m_warningText->setWordWrap(true);
  setRole(m_warningText, "sentence");
  layout->addWidget(m_warningText);
  auto* larger = new QPushButton(tr("Plan a larger context…"), m_warning);
  larger->setObjectName(QStringLiteral("planForMessage"));
  larger->setToolTip(tr("Opens the calculator with a context that would do"));
  larger->setAutoDefault(true);
  setRole(larger, "fix");
  // Half as much again, for the answer.
  connect(larger, &QPushButton::clicked, this,
          [this] { emit largerContextWanted(m_figures.promptTokens + m_figures.promptTokens / 2); });
  layout->addWidget(larger);
  m_warning->hide();
  return m_warning;
}

void Composer::showWarning() {
  const bool isTooLong = m_figures.isTooLong() && m_mode != Mode::Busy && m_mode != Mode::NoModel;
  m_warning->setVisible(isTooLong);
  if (!isTooLong) return;
  const QString tokens =
      (m_figures.isAtLeast ? tr("at least %1") : QStringLiteral("%1")).arg(formatCount(m_figures.promptTokens));
  QString text = tr("Too long: with this message the model would read %1 tokens, and its context holds %2 with the "
                    "answer.")
                     .arg(tokens, formatCount(m_figures.contextLength));
  text += u' ';
  text += !m_shownFiles.isEmpty() ? tr("Remove a file, attach a part of it, or plan a larger context.")
                                  : tr("Shorten it, or plan a larger context.");
  if (m_figures.hasOlderTurns) text += u' ' + tr("Older turns can be left out once it is sent.");
  m_warningText->setText(text);
  m_warning->setAccessibleName(text);
}

quint32 Composer::tokensOf(qsizetype file) const {
  const auto at = static_cast<std::size_t>(file);
  return at < m_figures.files.size() ? m_figures.files[at] : 0;
}

void Composer::setFigures(const DraftFigures& figures) {
  const bool hasOtherFiles = figures.files != m_figures.files;
  m_figures = figures;
  hasOtherFiles ? showFiles() : refresh();
}

void Composer::refresh() {
  showEditBar();
  m_chips->setVisible(!m_shownFiles.isEmpty());
  const bool busy = canStop(), isHeld = m_mode == Mode::Held;
  const QString send = m_editsAnswer ? tr("Save") : tr("Send");
  m_action->setText(isHeld ? tr("Take back") : busy ? tr("Stop") : send);
  m_action->setToolTip(isHeld          ? tr("Do not send this message (Esc)")
                       : busy          ? tr("Stop this answer (Esc)")
                       : m_editsAnswer ? tr("Keep this version of the answer; nothing is sent")
                       : m_enterSends  ? tr("Send (Enter)")
                                       : tr("Send (Ctrl+Enter)"));
  m_action->setAccessibleName(isHeld ? tr("Do not send this message") : busy ? tr("Stop this answer") : send);
  m_action->setEnabled(busy || canSubmit());
  m_attach->setDisabled(m_editsAnswer);
  setRole(m_action, busy ? "" : "primary");
  m_hint->setText(hintText());
  // Screen readers say what changes about the field that has the keyboard: so one hears that an answer has ended.
  const QString state = isHeld                  ? tr("Your message waits for the model")
                        : busy                  ? tr("The model is answering")
                        : m_mode == Mode::Ready ? tr("Ready for your message")
                                                : QString();
  if (m_text->accessibleDescription() != state) m_text->setAccessibleDescription(state);
  showWarning();
  const QString placeholder = m_mode == Mode::NoModel ? tr("Load a model to chat") : tr("Write a message");
  if (m_text->placeholderText() == placeholder) return;
  m_text->setPlaceholderText(placeholder);
  // Qt repaints when a placeholder comes or goes, not when one takes the other's place.
  m_text->viewport()->update();
}

void Composer::showFiles() {
  m_shownFiles = m_draft->message().files;
  while (QLayoutItem* item = m_chipLayout->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  for (qsizetype i = 0; i < m_shownFiles.size(); ++i) {
    m_chipLayout->addWidget(makeChip(m_shownFiles[i], i));
  }
  m_chipLayout->addStretch();
  refresh();
}

// Its name opens the file, and the cross beside it takes it away.
QWidget* Composer::makeChip(const DraftFile& file, qsizetype index) {
  auto* both = new QWidget(m_chips);
  auto* layout = new QHBoxLayout(both);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* chip = new QToolButton(both);
  chip->setObjectName(QStringLiteral("attachmentChip"));
  chip->setFocusPolicy(Qt::StrongFocus);
  setRole(chip, "chip");
  auto* remove = new QToolButton(both);
  remove->setObjectName(QStringLiteral("removeAttachment"));
  remove->setIcon(m_theme.icon(QStringLiteral("close")));
  remove->setFocusPolicy(Qt::StrongFocus);
  setRole(remove, "quiet");
  const Attachment& attachment = file.attachment;
  const bool isReading = file.readId != 0;
  const quint32 tokens = tokensOf(index);
  chip->setText(
      literalText(isReading ? tr("Reading %1\u2026").arg(attachment.name) : attachmentText(attachment, tokens)));
  chip->setDisabled(isReading);
  if (!isReading) chip->setToolTip(tr("Open what the model reads of %1").arg(attachmentText(attachment)));
  chip->setAccessibleName(isReading ? chip->text() : tr("Open %1").arg(attachmentText(attachment, tokens)));
  remove->setToolTip(isReading ? tr("Stop reading %1 and leave it out").arg(attachment.name)
                               : tr("Remove %1").arg(attachment.name));
  remove->setAccessibleName(remove->toolTip());
  connect(chip, &QToolButton::clicked, this, [this, attachment, tokens] { emit openChosen(attachment, tokens); });
  connect(remove, &QToolButton::clicked, this,
          [this, index] { m_draft->handleEvent(draft_event::FileRemoved{index}); });
  layout->addWidget(chip);
  layout->addWidget(remove);
  return both;
}

quint64 Composer::attachFile(const QString& path) {
  const quint64 id = m_reader->read(path);
  m_draft->handleEvent(draft_event::FileAdded{id, QFileInfo(path).fileName()});
  return id;
}

QString Composer::pendingName() const {
  for (const DraftFile& file : m_draft->message().files) {
    if (file.readId != 0) return file.attachment.name;
  }
  return {};
}

void Composer::setEnterSends(bool on) {
  m_enterSends = on;
  m_text->setEnterSubmits(on);
  refresh();
}

void Composer::focusText() { m_text->setFocus(Qt::OtherFocusReason); }

bool Composer::canStop() const { return m_mode == Mode::Busy || m_mode == Mode::Held; }

// An answer that is changed by hand needs no model.
bool Composer::canSubmit() const {
  const bool isTaken = m_mode == Mode::Ready || m_mode == Mode::Loading || (m_editsAnswer && m_mode == Mode::NoModel);
  return isTaken && m_draft->canSend();
}

void Composer::submit() {
  if (canSubmit()) emit sendChosen();
}

}  // namespace headroom::ui
