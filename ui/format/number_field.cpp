#include "ui/format/number_field.h"

#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QSpinBox>
#include <algorithm>

#include "ui/format/format_bytes.h"
#include "ui/format/typed_number.h"

namespace headroom::ui {
namespace {

// What may stand in a number of any locale; what is half typed is no number yet.
bool mayBecomeNumber(const QString& text) {
  return std::all_of(text.begin(), text.end(), [](QChar c) { return c.digitValue() >= 0 || !c.isLetter(); });
}

class CountField : public QSpinBox {
 public:
  using QSpinBox::QSpinBox;

 protected:
  QString textFromValue(int value) const override { return formatCount(static_cast<quint64>(value)); }
  int valueFromText(const QString& text) const override {
    if (text == specialValueText()) return minimum();
    return static_cast<int>(std::min<quint64>(readCount(text).value_or(0), static_cast<quint64>(maximum())));
  }
  QValidator::State validate(QString& text, int&) const override {
    if (!specialValueText().isEmpty() && text == specialValueText()) return QValidator::Acceptable;
    const auto count = readCount(text);
    if (!count) return mayBecomeNumber(text) ? QValidator::Intermediate : QValidator::Invalid;
    if (*count > static_cast<quint64>(maximum())) return QValidator::Invalid;
    return *count < static_cast<quint64>(minimum()) ? QValidator::Intermediate : QValidator::Acceptable;
  }
  // Qt's own takes group separators of the locale away, which makes "8.19" 819 under a German one.
  void fixup(QString&) const override {}
};

class DecimalField : public QDoubleSpinBox {
 public:
  using QDoubleSpinBox::QDoubleSpinBox;

 protected:
  QString textFromValue(double value) const override { return formatDecimal(value, decimals()); }
  double valueFromText(const QString& text) const override {
    const QList<double> readings = possible(text);
    return readings.isEmpty() ? value() : readings.first();
  }
  QValidator::State validate(QString& text, int&) const override {
    if (possible(text).size() == 1) return QValidator::Acceptable;
    return mayBecomeNumber(text) ? QValidator::Intermediate : QValidator::Invalid;
  }

 private:
  // Of "1.500" in a field that goes to 5 there is one.
  QList<double> possible(const QString& text) const {
    QList<double> inRange;
    for (const QString& reading : readDecimal(text)) {
      const double number = reading.toDouble();
      if (number >= minimum() && number <= maximum()) inRange << number;
    }
    return inRange;
  }
};

template <class Field>
void finish(Field* field) {
  field->setAlignment(Qt::AlignRight);
  field->setKeyboardTracking(false);
  auto* text = field->template findChild<QLineEdit*>();
  QObject::connect(field, &Field::editingFinished, text, [text] { text->setModified(false); });
}

}  // namespace

QSpinBox* makeNumberField(int from, int to, QWidget* parent) {
  auto* field = new CountField(parent);
  field->setRange(from, to);
  finish(field);
  return field;
}

QDoubleSpinBox* makeDecimalField(double from, double to, QWidget* parent) {
  auto* field = new DecimalField(parent);
  field->setDecimals(2);
  field->setRange(from, to);
  finish(field);
  return field;
}

void showNumber(QSpinBox& field, int value) {
  if (field.hasFocus() && field.findChild<QLineEdit*>()->isModified()) return;
  field.setValue(value);
}

}  // namespace headroom::ui
