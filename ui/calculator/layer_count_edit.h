// A number of layers: automatic, by a slider that says what each of its positions means, or exact.
#pragma once

#include <QObject>
#include <QStringList>

class QCheckBox;
class QGridLayout;
class QSlider;
class QSpinBox;
class QWidget;

namespace headroom::ui {

struct LayerCountWords {
  const char* prefix;  // of the object names: "layers" makes "layersSlider", "layersSpin", "layersAuto"
  QString label, help, sliderName, spinName, autoText, autoTip, autoName;
};

// GUI thread. Shows a number and asks for another; keeps none.
class LayerCountEdit : public QObject {
  Q_OBJECT
 public:
  // Label, slider with its box, and field are children of `parent` and stand in one row of `grid`: columns 0, 1 and 2.
  LayerCountEdit(const LayerCountWords& words, QGridLayout& grid, int row, QWidget* parent);

  // `shown` of 0..`most`, which is what was asked for or, when `automatic`, what we chose.
  void show(int shown, int most, bool automatic);
  // What each position means, from 0 on: told over the slider and to screen readers; fewer than positions: unknown.
  void setMeanings(const QStringList& meanings);
  void setVisible(bool visible);

 signals:
  void chosen(int nLayers);  // or kAutoLayers

 private:
  void tellMeaning();

  QStringList m_meanings;
  QSlider* m_slider;
  QCheckBox* m_auto;
  QSpinBox* m_spin;
  QWidget* m_label;
};

}  // namespace headroom::ui
