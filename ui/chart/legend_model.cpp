#include "ui/chart/legend_model.h"

#include <QPainter>
#include <QPixmap>

#include "ui/format/account_text.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

// A plan has the others of now, and a share of the driver of its own.
bool isKnown(Segment segment, int column, const MemoryAccount& account) {
  if (segment == Segment::Driver) return account.driver.has_value() || column == LegendModel::PlanColumn;
  return segment != Segment::Others || account.confidence != MemoryConfidence::kAssumed;
}

QString bytesText(Segment segment, Bytes bytes, const MemoryAccount& account) {
  switch (segment) {
    case Segment::Others: return othersBytesText(bytes, account);
    case Segment::Free: return freeBytesText(bytes, account);
    case Segment::Weights:
    case Segment::KvUsed:
    case Segment::KvReserved:
    case Segment::State:
    case Segment::Checkpoints:
    case Segment::Activations:
    case Segment::Program:
    case Segment::Driver:
    case Segment::Headroom: break;
  }
  return formatBytes(bytes);
}

QVariant spokenText(Segment segment, Bytes bytes, const MemoryAccount& account) {
  switch (segment) {
    case Segment::Others: return othersSpokenText(bytes, account);
    case Segment::Free: return freeSpokenText(bytes, account);
    case Segment::Weights:
    case Segment::KvUsed:
    case Segment::KvReserved:
    case Segment::State:
    case Segment::Checkpoints:
    case Segment::Activations:
    case Segment::Program:
    case Segment::Driver:
    case Segment::Headroom: break;
  }
  return {};
}

// Twice the size it is shown at, for screens with small pixels.
QPixmap swatch(const ThemeTokens& tokens, Segment segment) {
  QPixmap pixmap(28, 28);
  pixmap.setDevicePixelRatio(2);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(tokens.border, 1));
  painter.setBrush(tokens.segmentBrush(segment));
  painter.drawRoundedRect(QRectF(0.5, 0.5, 13, 13), 3, 3);
  return pixmap;
}

}  // namespace

LegendModel::LegendModel(const Theme& theme, QObject* parent) : QAbstractTableModel(parent), m_theme(theme) {
  connect(&theme, &Theme::changed, this,
          [this] { emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1)); });
}

void LegendModel::setDevice(const QString& name) {
  if (name == m_device) return;
  m_device = name;
  emit headerDataChanged(Qt::Horizontal, NameColumn, NameColumn);
}

void LegendModel::setNow(const std::optional<MemoryFrame>& now, const MemoryAccount& account) {
  m_now = now;
  m_account = account;
  tellChanged();
}

void LegendModel::setPlan(const std::optional<MemoryFrame>& plan) {
  m_plan = plan;
  tellChanged();
}

void LegendModel::tellChanged() {
  for (const Segment segment : kSegments) {
    for (const int column : {NowColumn, PlanColumn}) {
      QString& told = m_told[segmentIndex(segment)][column == NowColumn ? 0 : 1];
      QString figure = figureOf(segment, column);
      if (figure == told) continue;
      told = std::move(figure);
      const QModelIndex cell = index(static_cast<int>(segmentIndex(segment)), column);
      emit dataChanged(cell, cell);
    }
  }
}

bool LegendModel::holds(Segment segment) const {
  return (m_now && m_now->of(segment) > 0) || (m_plan && m_plan->of(segment) > 0);
}

int LegendModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(kSegments.size());
}
int LegendModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString LegendModel::toolTipOf(Segment segment, int column) const {
  const auto& frame = column == NowColumn ? m_now : m_plan;
  const bool isFigure = column != NameColumn && frame && isKnown(segment, column, m_account);
  QStringList lines{isFigure ? formatExactBytes(frame->of(segment)) : segmentExplanation(segment)};
  if (segment != Segment::Others || column == PlanColumn || !m_now) return lines.first();
  if (const QString doubt = doubtText(m_account); !doubt.isEmpty()) lines << doubt;
  if (m_now->withheld > 0)
    lines << tr("%1 of it nobody holds: the driver does not offer it.").arg(formatBytes(m_now->withheld));
  return lines.join(QLatin1Char('\n'));
}

QString LegendModel::figureOf(Segment segment, int column) const {
  const auto& frame = column == NowColumn ? m_now : m_plan;
  if (!frame) return QStringLiteral("\u2013");
  if (!isKnown(segment, column, m_account)) return tr("not known");
  return bytesText(segment, frame->of(segment), m_account);
}

QVariant LegendModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Segment segment = kSegments[static_cast<std::size_t>(index.row())];
  const auto& frame = index.column() == NowColumn ? m_now : m_plan;
  switch (role) {
    case SegmentRole: return static_cast<int>(segment);
    case Qt::DecorationRole:
      return index.column() == NameColumn ? QVariant(swatch(m_theme.tokens(), segment)) : QVariant();
    case Qt::TextAlignmentRole:
      return QVariant((index.column() == NameColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ToolTipRole: return toolTipOf(segment, index.column());
    case Qt::DisplayRole:
      return index.column() == NameColumn ? segmentName(segment) : figureOf(segment, index.column());
    case Qt::AccessibleTextRole:
      return frame && index.column() != NameColumn ? spokenText(segment, frame->of(segment), m_account) : QVariant();
    default: return {};
  }
}

QVariant LegendModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant((section == NameColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case NameColumn: return m_device.isEmpty() ? tr("Segment") : m_device;
    case NowColumn: return tr("Now");
    case PlanColumn: return tr("Plan");
    default: return {};
  }
}

}  // namespace headroom::ui
