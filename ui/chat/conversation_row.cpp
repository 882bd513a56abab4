#include "ui/chat/conversation_row.h"

#include <QApplication>
#include <QPainter>
#include <utility>

#include "ui/chat/conversation_list_model.h"

namespace headroom::ui {

namespace {

constexpr int kIconPx = 14;
constexpr int kPaddingPx = 6, kMarginPx = 2;  // around the texts, and between what is selected and the edge
constexpr int kSmallerPt = 1;                 // the second line and headings, than the title

QFont smallFont(const QFont& font) {
  QFont small = font;
  if (font.pointSizeF() > 0) {
    small.setPointSizeF(font.pointSizeF() - kSmallerPt);
  } else {
    small.setPixelSize(font.pixelSize() - kSmallerPt);
  }
  return small;
}

// The rectangles of one item.
struct RowLayout {
  QRect heading, body, title, note, icons;
};
RowLayout layOut(const QStyleOptionViewItem& option, const QModelIndex& index) {
  RowLayout layout;
  const int heading = ConversationRowDelegate::headingHeight(option, index);
  layout.heading = option.rect.adjusted(kMarginPx + kPaddingPx, 0, -kMarginPx - kPaddingPx, 0);
  layout.heading.setHeight(heading);
  layout.body = option.rect.adjusted(0, heading, 0, 0);
  const QRect inner = layout.body.adjusted(kMarginPx + kPaddingPx, kPaddingPx, -kMarginPx - kPaddingPx, -kPaddingPx);
  layout.title = inner;
  layout.title.setHeight(option.fontMetrics.height());
  layout.icons = layout.title;
  layout.note = inner;
  layout.note.setTop(layout.title.bottom() + 1);
  return layout;
}

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

void drawText(QPainter& painter, const QRect& rect, const QString& text) {
  painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                   painter.fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
}

}  // namespace

int ConversationRowDelegate::headingHeight(const QStyleOptionViewItem& option, const QModelIndex& index) {
  const bool hasHeading = !index.data(ConversationListModel::GroupRole).toString().isEmpty();
  return hasHeading ? QFontMetrics(smallFont(option.font)).height() + 2 * kPaddingPx : 0;
}

void ConversationRowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                                    const QModelIndex& index) const {
  QStyleOptionViewItem body = option;
  initStyleOption(&body, index);
  RowLayout layout = layOut(option, index);
  // What the style paints of an item without text: that it is selected, or that the pointer is over it.
  const QString title = std::exchange(body.text, {});
  body.rect = layout.body;
  const QStyle* style = body.widget != nullptr ? body.widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &body, painter, body.widget);

  painter->save();
  const auto drawIcon = [&](const QIcon& icon) {
    QRect place(layout.icons.right() + 1 - kIconPx, 0, kIconPx, kIconPx);
    place.moveTop(layout.icons.center().y() - kIconPx / 2);
    icon.paint(painter, place);
    layout.icons.setRight(place.left() - kMarginPx - 1);
  };
  if (index.data(ConversationListModel::PinnedRole).toBool())
    drawIcon(m_theme.icon(QStringLiteral("pin"), m_theme.tokens().muted));
  const QVariant mark = index.data(ConversationListModel::MarkRole);
  if (mark.isValid()) drawIcon(iconOf(mark.value<ConversationMark>(), m_theme));
  layout.title.setRight(layout.icons.right());

  QFont titleFont = body.font;
  if (index.data(ConversationListModel::OpenRole).toBool()) titleFont.setWeight(QFont::DemiBold);
  painter->setFont(titleFont);
  painter->setPen(m_theme.tokens().text);
  drawText(*painter, layout.title, title);
  painter->setFont(smallFont(body.font));
  painter->setPen(m_theme.tokens().muted);
  QStringList note{index.data(ConversationListModel::WhenRole).toString()};
  const QString model = index.data(ConversationListModel::ModelNameRole).toString();
  if (!model.isEmpty()) note.append(model);
  drawText(*painter, layout.note, note.join(QStringLiteral(" · ")));
  QFont headingFont = smallFont(body.font);
  headingFont.setWeight(QFont::DemiBold);
  painter->setFont(headingFont);
  if (!layout.heading.isEmpty())
    drawText(*painter, layout.heading, index.data(ConversationListModel::GroupRole).toString());
  painter->restore();
}

// As narrow as the view makes it: titles are elided.
QSize ConversationRowDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const int texts = option.fontMetrics.height() + QFontMetrics(smallFont(option.font)).height();
  return {1, headingHeight(option, index) + texts + 2 * kPaddingPx};
}

void ConversationRowDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                                   const QModelIndex& index) const {
  editor->setGeometry(layOut(option, index).body);  // over both lines: half of the second one would be seen
}

void ConversationRowDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  static const char* const kHasTitle = "hasTitle";
  if (editor->property(kHasTitle).toBool()) return;
  editor->setProperty(kHasTitle, true);
  QStyledItemDelegate::setEditorData(editor, index);
}

}  // namespace headroom::ui
