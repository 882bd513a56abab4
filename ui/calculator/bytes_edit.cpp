#include "ui/calculator/bytes_edit.h"

#include <QToolTip>

#include "ui/format/format_bytes.h"
#include "ui/theme/roles.h"

namespace headroom::ui {
namespace {

// Whole MiB where a unit with two decimals would not come back as the same number.
QString exactText(Bytes bytes) {
  const QString text = formatBytes(bytes);
  if (parse_bytes(text.toStdString()) == bytes) return text;
  if (bytes % kMiB == 0) return QStringLiteral("%1 MiB").arg(bytes / kMiB);
  return QStringLiteral("%1 B").arg(bytes);
}

}  // namespace

BytesEdit::BytesEdit(QWidget* parent) : QLineEdit(parent) {
  setAlignment(Qt::AlignRight);
  connect(this, &QLineEdit::editingFinished, this, &BytesEdit::commit);
  connect(this, &QLineEdit::textEdited, this, [this] { setTone(this, Tone::Neutral); });
}

void BytesEdit::setBytes(Bytes bytes) {
  m_bytes = bytes;
  // Plans are made anew whenever free memory moves: what is being typed stays.
  if (hasFocus() && isModified()) return;
  if (hasFocus() && parse_bytes(text().trimmed().toStdString()) == bytes) return;
  setText(exactText(bytes));
  setTone(this, Tone::Neutral);
}

QSize BytesEdit::sizeHint() const {
  return {fontMetrics().horizontalAdvance(QStringLiteral("1023.99 MiB")) + 24, QLineEdit::sizeHint().height()};
}

void BytesEdit::commit() {
  if (!isModified()) return;
  const auto bytes = parse_bytes(text().trimmed().toStdString());
  if (!bytes) {
    setTone(this, Tone::Bad);
    QToolTip::showText(mapToGlobal(QPoint(0, height())),
                       tr("\u201c%1\u201d is not an amount of memory: write 1.5 GiB or 512 MiB.").arg(text()), this);
    return;
  }
  setModified(false);
  if (*bytes == m_bytes) return;
  m_bytes = *bytes;
  emit bytesEdited(m_bytes);
}

}  // namespace headroom::ui
