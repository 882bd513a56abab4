#include "ui/calculator/layer_count_edit.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLineEdit>
#include <QSlider>
#include <QSpinBox>
#include <QStyleOptionSlider>
#include <QToolTip>

#include "plan/memory_plan.h"
#include "ui/calculator/help_label.h"
#include "ui/format/number_field.h"
#include "ui/theme/theme.h"

namespace headroom::ui {
namespace {

// Says over each of its positions what that would mean.
class MeaningSlider : public QSlider {
 public:
  MeaningSlider(const QStringList& meanings, QWidget* parent) : QSlider(Qt::Horizontal, parent), m_meanings(meanings) {}

 protected:
  bool event(QEvent* event) override {
    if (event->type() != QEvent::ToolTip) return QSlider::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = m_meanings.value(valueAt(help->pos().x()));
    if (text.isEmpty()) {
      QToolTip::hideText();
    } else {
      QToolTip::showText(help->globalPos(), text, this);
    }
    return true;
  }

 private:
  int valueAt(int x) const {
    QStyleOptionSlider option;
    initStyleOption(&option);
    const QRect groove = style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderGroove, this);
    const int handle = style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, this).width();
    return QStyle::sliderValueFromPosition(minimum(), maximum(), x - groove.left() - handle / 2,
                                           groove.width() - handle, option.upsideDown);
  }
  const QStringList& m_meanings;
};

}  // namespace

LayerCountEdit::LayerCountEdit(const LayerCountWords& words, QGridLayout& grid, int row, QWidget* parent)
    : QObject(parent),
      m_slider(new MeaningSlider(m_meanings, parent)),
      m_auto(new QCheckBox(words.autoText, parent)),
      m_spin(makeNumberField(0, 0, parent)),
      m_label(new HelpLabel(words.label, words.help, m_spin, parent)) {
  const auto name = [&](QWidget* widget, const char* part, const QString& accessible) {
    widget->setObjectName(QLatin1String(words.prefix) + QLatin1String(part));
    widget->setAccessibleName(accessible);
  };
  name(m_slider, "Slider", words.sliderName);
  name(m_spin, "Spin", words.spinName);
  name(m_auto, "Auto", words.autoName);
  m_auto->setToolTip(words.autoTip);
  auto* line = new QHBoxLayout;
  line->setSpacing(kGrid);
  line->addWidget(m_slider, 1);
  line->addWidget(m_auto);
  grid.addWidget(m_label, row, 0);
  grid.addLayout(line, row, 1);
  grid.addWidget(m_spin, row, 2);
  connect(m_slider, &QSlider::valueChanged, this, &LayerCountEdit::chosen);
  connect(m_spin, &QSpinBox::valueChanged, this, &LayerCountEdit::chosen);
  connect(m_auto, &QCheckBox::toggled, this,
          [this](bool automatic) { emit chosen(automatic ? kAutoLayers : m_spin->value()); });
}

void LayerCountEdit::show(int shown, int most, bool automatic) {
  const QSignalBlocker quietSlider(m_slider), quietSpin(m_spin), quietAuto(m_auto);
  m_slider->setRange(0, most);
  m_slider->setPageStep(std::max(1, most / 8));
  m_spin->setRange(0, most);
  m_slider->setValue(shown);
  showNumber(*m_spin, shown);
  m_auto->setChecked(automatic);
  tellMeaning();
}

void LayerCountEdit::setMeanings(const QStringList& meanings) {
  m_meanings = meanings;
  tellMeaning();
}

void LayerCountEdit::tellMeaning() { m_slider->setAccessibleDescription(m_meanings.value(m_slider->value())); }

void LayerCountEdit::setVisible(bool visible) {
  for (QWidget* widget : std::initializer_list<QWidget*>{m_label, m_slider, m_auto, m_spin})
    widget->setVisible(visible);
}

}  // namespace headroom::ui
