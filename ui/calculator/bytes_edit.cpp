#include "ui/calculator/bytes_edit.h"

#include <QToolTip>

#include "ui/format/format_bytes.h"
#include "ui/format/typed_number.h"
#include "ui/theme/roles.h"

namespace headroom::ui {
namespace {

// Whole MiB where a unit with two decimals would not come back as the same number.
QString exactText(Bytes bytes) {
  const QString text = formatBytes(bytes);
  if (readBytes(text).bytes == bytes) return text;
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
  if (hasFocus() && readBytes(text()).bytes == bytes) return;
  setText(exactText(bytes));
  setTone(this, Tone::Neutral);
}

QSize BytesEdit::sizeHint() const {
  return {fontMetrics().horizontalAdvance(QStringLiteral("1023.99 MiB")) + 24, QLineEdit::sizeHint().height()};
}

void BytesEdit::commit() {
  if (!isModified()) return;
  const TypedBytes typed = readBytes(text());
  if (!typed.bytes) {
    setTone(this, Tone::Bad);
    const QString why = typed.readings.isEmpty()
                            ? tr("\u201c%1\u201d is not an amount of memory: write 1.5 GiB or 512 MiB.").arg(text())
                            //: An amount that two locales read differently: "1.500 GiB" as 1.500 GiB or as 1500 GiB
                            : tr("\u201c%1\u201d can mean two amounts: write %2 or %3.")
                                  .arg(text(), typed.readings.first(), typed.readings.last());
    QToolTip::showText(mapToGlobal(QPoint(0, height())), why.toHtmlEscaped(), this);
    return;
  }
  setModified(false);
  if (*typed.bytes == m_bytes) return;
  m_bytes = *typed.bytes;
  emit bytesEdited(m_bytes);
}

}  // namespace headroom::ui
