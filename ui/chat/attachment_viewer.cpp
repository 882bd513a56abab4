#include "ui/chat/attachment_viewer.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QShortcut>
#include <QStringMatcher>
#include <QTextCursor>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/format/format_bytes.h"
#include "ui/keys/view_keys.h"
#include "ui/theme/roles.h"
#include "ui/theme/text_scale.h"

namespace headroom::ui {

namespace {

constexpr QSize kViewerSize{760, 560};
constexpr std::size_t kMostHits = 10'000;  // nobody steps through more

}  // namespace

bool isCodeName(const QString& name) {
  static const QStringList kProse{QStringLiteral("txt"), QStringLiteral("md"),  QStringLiteral("markdown"),
                                  QStringLiteral("pdf"), QStringLiteral("rst"), QStringLiteral("adoc")};
  const qsizetype dot = name.lastIndexOf(u'.');
  return dot >= 0 && !kProse.contains(name.mid(dot + 1).toLower());
}

AttachmentViewer::AttachmentViewer(const Attachment& attachment, QWidget* parent)
    : QDialog(parent), m_attachment(attachment) {
  setObjectName(QStringLiteral("attachmentViewer"));
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(attachment.name);
  auto* layout = new QVBoxLayout(this);
  m_facts = new QLabel(this);
  m_facts->setObjectName(QStringLiteral("attachmentFacts"));
  m_facts->setTextFormat(Qt::PlainText);
  m_facts->setWordWrap(true);
  setRole(m_facts, "muted");
  layout->addWidget(m_facts);
  layout->addWidget(makeFindRow());
  m_text = new QPlainTextEdit(this);
  m_text->setObjectName(QStringLiteral("attachmentText"));
  m_text->setReadOnly(true);
  m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  m_text->setTabChangesFocus(true);
  if (isCodeName(attachment.name)) {
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(font().pointSizeF());
    m_text->setFont(fixed);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
  }
  m_text->setPlainText(attachment.text);
  layout->addWidget(m_text, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_copy = buttons->addButton(QString(), QDialogButtonBox::ActionRole);
  m_saveAs = buttons->addButton(QString(), QDialogButtonBox::ActionRole);
  m_copy->setObjectName(QStringLiteral("copyAttachment"));
  m_saveAs->setObjectName(QStringLiteral("saveAttachment"));
  connect(m_copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_attachment.text); });
  connect(m_saveAs, &QPushButton::clicked, this, &AttachmentViewer::chooseFile);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(buttons);
  find();
  writeTexts();
  m_text->setFocus();
  resizeToText(*this, kViewerSize);
}

QWidget* AttachmentViewer::makeFindRow() {
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  m_field = new QLineEdit(row);
  m_field->setObjectName(QStringLiteral("attachmentFind"));
  m_count = new QLabel(row);
  m_count->setObjectName(QStringLiteral("attachmentHits"));
  setRole(m_count, "muted");
  const auto makeButton = [&](const char* name, ViewKey key) {
    auto* button = new QToolButton(row);
    button->setObjectName(QLatin1String(name));
    button->setFocusPolicy(Qt::StrongFocus);
    connect(makeShortcut(key, this), &QShortcut::activated, button, [button] { button->click(); });
    return button;
  };
  m_previous = makeButton("attachmentPrevious", ViewKey::PreviousHit);
  m_next = makeButton("attachmentNext", ViewKey::NextHit);
  layout->addWidget(m_field, 1);
  layout->addWidget(m_count);
  layout->addWidget(m_previous);
  layout->addWidget(m_next);
  connect(m_field, &QLineEdit::textChanged, this, &AttachmentViewer::find);
  connect(m_field, &QLineEdit::returnPressed, this, [this] { step(1); });
  connect(m_previous, &QToolButton::clicked, this, [this] { step(-1); });
  connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
  connect(makeShortcut(ViewKey::FindText, this), &QShortcut::activated, m_field, [this] {
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
  });
  return row;
}

void AttachmentViewer::setTokens(quint32 tokens) {
  m_tokens = tokens;
  writeFacts();
}

void AttachmentViewer::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) writeTexts();
  QDialog::changeEvent(event);
}

void AttachmentViewer::writeTexts() {
  m_text->setAccessibleName(tr("Text of %1").arg(m_attachment.name));
  m_copy->setText(tr("Copy all"));
  m_saveAs->setText(tr("Save as…"));
  m_field->setPlaceholderText(tr("Find in this file"));
  m_field->setAccessibleName(m_field->placeholderText());
  m_previous->setText(tr("Previous"));
  m_next->setText(tr("Next"));
  m_previous->setToolTip(withKey(m_previous->text(), ViewKey::PreviousHit));
  m_next->setToolTip(withKey(m_next->text(), ViewKey::NextHit));
  writeFacts();
  writeCount();
}

void AttachmentViewer::writeFacts() {
  const auto bytes = static_cast<Bytes>(m_attachment.text.toUtf8().size());
  const auto nLines = static_cast<quint64>(m_attachment.text.count(u'\n') + 1);
  QStringList facts{m_attachment.name, formatBytes(bytes),
                    tr("%1 lines", nullptr, static_cast<int>(nLines)).arg(formatCount(nLines))};
  if (m_tokens > 0) facts.append(tr("%1 tokens", nullptr, static_cast<int>(m_tokens)).arg(formatCount(m_tokens)));
  m_facts->setText(facts.join(QStringLiteral(" · ")));
}

// The positions in the text are those in the document: each of its line ends is one block's.
void AttachmentViewer::find() {
  m_hits.clear();
  m_current = 0;
  const QStringMatcher matcher(m_field->text(), Qt::CaseInsensitive);
  const qsizetype length = matcher.pattern().size();
  for (qsizetype at = length == 0 ? -1 : matcher.indexIn(m_attachment.text); at >= 0 && m_hits.size() < kMostHits;
       at = matcher.indexIn(m_attachment.text, at + length))
    m_hits.push_back(at);
  m_previous->setEnabled(!m_hits.empty());
  m_next->setEnabled(!m_hits.empty());
  if (!m_hits.empty()) return showHit();
  writeCount();
  QTextCursor cursor = m_text->textCursor();
  cursor.clearSelection();
  m_text->setTextCursor(cursor);
}

void AttachmentViewer::step(int by) {
  if (m_hits.empty()) return;
  const std::size_t n = m_hits.size();
  m_current = (m_current + n + static_cast<std::size_t>(by)) % n;
  showHit();
}

void AttachmentViewer::showHit() {
  QTextCursor cursor(m_text->document());
  cursor.setPosition(static_cast<int>(m_hits[m_current]));
  cursor.setPosition(cursor.position() + static_cast<int>(m_field->text().size()), QTextCursor::KeepAnchor);
  m_text->setTextCursor(cursor);
  m_text->ensureCursorVisible();
  writeCount();
}

void AttachmentViewer::writeCount() {
  if (m_hits.empty()) return m_count->setText(m_field->text().isEmpty() ? QString() : tr("Nothing found"));
  const QString text = m_hits.size() < kMostHits ? tr("%1 of %2") : tr("%1 of at least %2");
  m_count->setText(text.arg(formatCount(m_current + 1), formatCount(m_hits.size())));
}

// What was read of a PDF is text.
void AttachmentViewer::chooseFile() {
  auto* dialog = new QFileDialog(this, tr("Save the text"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  const bool isPdf = m_attachment.name.endsWith(QLatin1StringView(".pdf"), Qt::CaseInsensitive);
  dialog->selectFile(isPdf ? m_attachment.name + QStringLiteral(".txt") : m_attachment.name);
  connect(dialog, &QFileDialog::fileSelected, this,
          [this](const QString& path) { emit saveChosen(path, m_attachment.text); });
  dialog->open();
}

}  // namespace headroom::ui
