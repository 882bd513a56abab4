// The chat pane and files: what is attached, opened, dropped, imported and exported.
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QRegularExpression>
#include <utility>

#include "ui/chat/attachment_viewer.h"
#include "ui/chat/chat_widget.h"
#include "ui/chat/composer.h"
#include "ui/chat/conversation_files.h"
#include "ui/chat/conversation_list.h"
#include "ui/chat/draft_tokens.h"
#include "ui/theme/save_dialog.h"

namespace headroom::ui {
namespace {

// By its name alone: what a file is would have to be asked of the disk.
bool isModelFile(const QString& path) { return path.endsWith(QLatin1StringView(".gguf"), Qt::CaseInsensitive); }

}  // namespace

void ChatWidget::chooseAttachment() {
  auto* dialog = new QFileDialog(this, tr("Attach text or PDF files"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& paths) {
    for (const QString& path : paths) attachPath(path);
  });
  dialog->open();
}

void ChatWidget::setRead(AttachmentReader::Read read) { m_composer->setRead(std::move(read)); }

// The viewer belongs to the window, where it stays when the pane is built anew.
void ChatWidget::openAttachment(const Attachment& attachment, quint32 tokens) {
  auto* viewer = new AttachmentViewer(attachment, window());
  viewer->setTokens(tokens);
  connect(viewer, &AttachmentViewer::saveChosen, m_files.get(), &ConversationFiles::saveText);
  if (tokens == 0) countTokens(*viewer);
  viewer->show();
}

// Those of one that was sent are counted now.
void ChatWidget::countTokens(AttachmentViewer& viewer) {
  const quint64 id = m_tokens->countFile(viewer.attachment());
  if (id == 0) return;
  connect(m_tokens, &DraftTokens::fileCounted, &viewer, [&viewer, id](quint64 counted, quint32 n) {
    if (counted == id) viewer.setTokens(n);
  });
}

void ChatWidget::connectFiles() {
  connect(m_files.get(), &ConversationFiles::problemFound, this, &ChatWidget::problemFound);
  connect(m_files.get(), &ConversationFiles::imported, this, [this] {
    m_sides->uncover();
    m_list->refresh();
  });
}

void ChatWidget::attachPath(const QString& path) {
  const Turn* edited = session().tree().find(session().draft().editedTurn());
  if (edited != nullptr && edited->role == Role::Assistant)
    return emit problemFound(
        [name = QFileInfo(path).fileName()] { return tr("An answer has no files: %1 was not attached.").arg(name); });
  m_newestAttached = m_composer->attachFile(path);
  m_composer->focusText();
}

void ChatWidget::chooseImport() {
  auto* dialog = new QFileDialog(this, tr("Import a conversation"), {}, tr("Conversations (*.json);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, m_files.get(), &ConversationFiles::import);
  dialog->open();
}

void ChatWidget::exportConversation(const QString& id, const QString& title, bool asJson) {
  const QString suffix = asJson ? QStringLiteral("json") : QStringLiteral("md");
  QString name = title;
  name.replace(QRegularExpression(QStringLiteral("[/\\\\:*?\"<>|]")), QStringLiteral("-"));
  openSaveDialog(this, {tr("Export the conversation"), name + u'.' + suffix, suffix, {}},
                 [this, id, title, asJson](const QString& path) {
                   m_files->exportTo({id, title, path, asJson});
                 });
}

void ChatWidget::dragEnterEvent(QDragEnterEvent* event) {
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) event->acceptProposedAction();
  }
}

void ChatWidget::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  for (const QUrl& url : event->mimeData()->urls()) {
    if (!url.isLocalFile()) continue;
    const QString path = url.toLocalFile();
    if (isModelFile(path)) {
      m_newestModelDrop = m_newestAttached;
      emit modelDropped(path);
    } else {
      attachPath(path);
    }
  }
}

}  // namespace headroom::ui
