// Colours, style sheet and icons of the window in light and dark; everything that paints asks here.
#pragma once

#include <QColor>
#include <QIcon>
#include <QObject>
#include <QString>
#include <array>

#include "ui/theme/segment.h"

namespace headroom::ui {

enum class ThemeChoice { System, Light, Dark };
enum class Tone { Neutral, Good, Warning, Bad };

struct ToneColors {
  QColor text, surface, border;
};

// Contrast of text on its surface is at least 4.5 in both sets (tested).
struct ThemeTokens {
  bool isDark = false;
  QColor window, surface, sunken, border, text, muted, accent, onAccent, accentSurface, link, plan;
  ToneColors neutral, good, warning, bad;
  std::array<QColor, kSegments.size()> segments;  // of Okabe and Ito's set: told apart by colour-blind people

  const ToneColors& tone(Tone tone) const;
  const QColor& segment(Segment segment) const { return segments[segmentIndex(segment)]; }
};
ThemeTokens lightTokens();
ThemeTokens darkTokens();

inline constexpr int kGrid = 8;  // spacing between things is this or a simple fraction or multiple of it

// Owned by the application, borrowed by the window. GUI thread.
class Theme : public QObject {
  Q_OBJECT
 public:
  explicit Theme(ThemeChoice choice, QObject* parent = nullptr);

  ThemeChoice choice() const { return m_choice; }
  void setChoice(ThemeChoice choice);
  const ThemeTokens& tokens() const { return m_tokens; }

  // An icon of resources/icons in the given colour (text's when invalid); crisp at every scale.
  QIcon icon(const QString& name, QColor color = {}) const;
  static QString toneIconName(Tone tone);

 signals:
  void changed();

 private:
  void apply();

  ThemeChoice m_choice;
  bool m_systemIsDark;
  ThemeTokens m_tokens;
};

}  // namespace headroom::ui
