// How full the context is, and how fast text comes: a bar and its numbers.
#pragma once

#include <QWidget>

#include "ui/chat/context_meter.h"
#include "ui/theme/theme.h"

namespace headroom::ui {

class ContextGauge : public QWidget {
  Q_OBJECT
 public:
  explicit ContextGauge(const Theme& theme, QWidget* parent = nullptr);
  void setFigures(const ContextFigures& figures);
  const QString& text() const { return m_text; }
  // The longest of its wordings that fits: in a narrow pane only the numbers stay.
  QString textFor(int widthPx) const;
  // How fast the last answer came, beside what was predicted where both find room with the shortest wording.
  QString speedFor(int widthPx) const;
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme& m_theme;
  ContextFigures m_figures;
  QString m_text, m_speed;
  QString m_speeds;       // m_speed beside what was predicted; where there is room
  QStringList m_shorter;  // m_text, then ever shorter
};

}  // namespace headroom::ui
