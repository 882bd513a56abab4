#include "ui/chat/conversation_row.h"

#include <QCoreApplication>
#include <QListWidgetItem>

#include "ui/format/format_bytes.h"

namespace headroom::ui {

namespace {

constexpr int kMarkPx = 14;

QString tr(const char* text) { return QCoreApplication::translate("ConversationRow", text); }

QIcon iconOf(const ConversationMark& mark, const Theme& theme) {
  switch (mark.kind) {
    case ConversationMark::Kind::Writing: return theme.icon(QStringLiteral("writing"), theme.tokens().accent);
    case ConversationMark::Kind::Waiting: return theme.icon(QStringLiteral("waiting"), theme.tokens().muted);
    case ConversationMark::Kind::Unread: return theme.icon(QStringLiteral("unread"), theme.tokens().accent);
    case ConversationMark::Kind::Trouble:
      return theme.icon(QStringLiteral("warning"), theme.tokens().tone(Tone::Warning).text);
  }
  return {};
}

}  // namespace

QString waitingText(int answersBefore) {
  return tr("Waiting: %1 before it").arg(formatCount(static_cast<quint64>(answersBefore)));
}

QString markText(const ConversationMark& mark) {
  switch (mark.kind) {
    case ConversationMark::Kind::Writing: return tr("Answering");
    case ConversationMark::Kind::Waiting: return waitingText(mark.answersBefore);
    case ConversationMark::Kind::Unread: return tr("Answered; not read yet");
    case ConversationMark::Kind::Trouble: return tr("Needs your attention");
  }
  return {};
}

void showHead(QListWidgetItem& item, const ConversationHead& head) {
  const QString title = head.title.isEmpty() ? tr("Untitled") : head.title;
  item.setText(title);
  item.setData(kConversationIdRole, head.id);
  item.setData(kConversationTitleRole, title);
  item.setData(kConversationUsedRole, head.updatedMs);
}

void showMark(QListWidgetItem& item, const ConversationMark* mark, const Theme& theme) {
  const QString title = item.data(kConversationTitleRole).toString();
  const QString used = tr("Last used %1").arg(formatMoment(item.data(kConversationUsedRole).toLongLong()));
  const QString said = mark == nullptr ? QString() : markText(*mark);
  item.setIcon(mark == nullptr ? QIcon() : iconOf(*mark, theme));
  item.setToolTip(mark == nullptr ? title + u'\n' + used : title + u'\n' + used + u'\n' + said);
  //: A title, and what the conversation's answer does: "Recipes, Answering"
  item.setData(Qt::AccessibleTextRole, mark == nullptr ? title : tr("%1, %2").arg(title, said));
}

void ConversationRowDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  static const char* const kHasTitle = "hasTitle";
  if (editor->property(kHasTitle).toBool()) return;
  editor->setProperty(kHasTitle, true);
  QStyledItemDelegate::setEditorData(editor, index);
}

void ConversationRowDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  option->decorationPosition = QStyleOptionViewItem::Right;
  option->decorationSize = {kMarkPx, kMarkPx};
}

}  // namespace headroom::ui
