// The chat pane and files: what is attached, opened, dropped, imported and exported.
#include <QDragEnterEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QRegularExpression>
#include <utility>

#include "ui/background/background.h"
#include "ui/chat/attachment_viewer.h"
#include "ui/chat/chat_import.h"
#include "ui/chat/chat_widget.h"
#include "ui/chat/composer.h"
#include "ui/chat/conversation_export.h"
#include "ui/chat/conversation_list.h"
#include "ui/chat/draft_tokens.h"
#include "ui/format/format_bytes.h"
#include "ui/format/message_words.h"

namespace headroom::ui {
namespace {

constexpr qint64 kMostImportBytes = 256 * 1024 * 1024;

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

// The tokens of one that was sent are counted now.
void ChatWidget::openAttachment(const Attachment& attachment, quint32 tokens) {
  auto* viewer = new AttachmentViewer(attachment, this);
  viewer->setTokens(tokens);
  connect(viewer, &AttachmentViewer::problemFound, this, &ChatWidget::problemFound);
  if (const quint64 id = tokens > 0 ? 0 : m_tokens->countFile(attachment); id != 0) {
    connect(m_tokens, &DraftTokens::fileCounted, viewer, [viewer, id](quint64 counted, quint32 n) {
      if (counted == id) viewer->setTokens(n);
    });
  }
  viewer->show();
}

void ChatWidget::attachPath(const QString& path) {
  const Turn* edited = session().tree().find(session().draft().editedTurn());
  if (edited != nullptr && edited->role == Role::Assistant)
    return emit problemFound(tr("An answer has no files: %1 was not attached.").arg(QFileInfo(path).fileName()));
  m_newestAttached = m_composer->attachFile(path);
  m_composer->focusText();
}

void ChatWidget::chooseImport() {
  auto* dialog = new QFileDialog(this, tr("Import a conversation"), {}, tr("Conversations (*.json);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &ChatWidget::importConversation);
  dialog->open();
}

void ChatWidget::importConversation(const QString& path) {
  const auto read = [path]() -> Result<Conversation> {
    if (const QFileInfo info(path); info.exists() && (!info.isFile() || info.size() > kMostImportBytes)) {
      return Error{ErrorCode::kBadFile, Message::plain(tr("A file of at most %1 was expected.")
                                                           .arg(formatBytes(static_cast<Bytes>(kMostImportBytes)))
                                                           .toStdString())};
    }
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
      return Error{ErrorCode::kBadFile, Message::plain(file.errorString().toStdString() + '.')};
    return conversationFromJson(file.read(kMostImportBytes));
  };
  runInBackground(readingThreads(), this, read, [this, path](const Result<Conversation>& conversation) {
    if (!conversation) {
      emit problemFound(
          tr("%1 was not imported. %2").arg(QFileInfo(path).fileName(), wordsOf(conversation.error().message)));
      return;
    }
    m_sides->uncover();
    m_sessions.importConversation(*conversation);
    m_list->refresh();
  });
}

void ChatWidget::exportConversation(const QString& id, const QString& title, bool asJson) {
  const QString suffix = asJson ? QStringLiteral("json") : QStringLiteral("md");
  auto* dialog = new QFileDialog(this, tr("Export the conversation"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(suffix);
  QString name = title;
  name.replace(QRegularExpression(QStringLiteral("[/\\\\:*?\"<>|]")), QStringLiteral("-"));
  dialog->selectFile(name + u'.' + suffix);
  connect(dialog, &QFileDialog::fileSelected, this, [=, this](const QString& path) {
    const ConversationExport::Wanted wanted{id, title, path, asJson};
    const ChatSession* alive = m_sessions.find(id);
    auto* started = alive != nullptr ? new ConversationExport(wanted, alive->head(), alive->tree(), this)
                                     : new ConversationExport(wanted, m_store, this);
    connect(started, &ConversationExport::finished, this, [this](const QString& problem) {
      if (!problem.isEmpty()) emit problemFound(problem);
    });
  });
  dialog->open();
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
