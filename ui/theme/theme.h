// Colours, style sheet and icons of the window in light and dark; everything that paints asks here.
#pragma once

#include <QBrush>
#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QString>
#include <QTimer>
#include <array>
#include <functional>

#include "ui/theme/appearance.h"
#include "ui/theme/motion.h"
#include "ui/theme/segment.h"
#include "ui/theme/tone.h"

namespace headroom::ui {

struct ToneColors {
  QColor text, surface, border;
};

// Contrast of text on its surface is at least 4.5 in both sets (tested).
struct ThemeTokens {
  bool isDark = false, isHighContrast = false;
  QColor window, surface, sunken, border, text, muted, accent, onAccent, accentSurface, link, plan;
  QColor found, foundNow, onFoundNow;  // behind hits of a search, behind the current one, and the text of that
  ToneColors neutral, good, warning, bad;
  std::array<QColor, kSegments.size()> segments;  // of Okabe and Ito's set: told apart by colour-blind people

  const ToneColors& tone(Tone tone) const;
  const QColor& segment(Segment segment) const { return segments[segmentIndex(segment)]; }
  // How it is filled beside its colour, so that neighbours differ without colour too.
  QBrush segmentBrush(Segment segment) const;
};
ThemeTokens lightTokens();
ThemeTokens darkTokens();
// The same set with more contrast: text and borders stand out from what they are drawn on by 7:1, level AAA of WCAG.
ThemeTokens highContrast(ThemeTokens tokens);

// Of the desktop's own palette, with the application's put aside for the moment.
bool systemPaletteIsDark();

inline constexpr int kGrid = 8;  // spacing between things is this or a simple fraction or multiple of it

// Owned by the application, borrowed by the window. GUI thread. As System it follows the desktop while the program
// runs.
class Theme : public QObject {
  Q_OBJECT
 public:
  // `systemIsDark` is asked now and whenever the desktop says that its looks have changed.
  explicit Theme(const AppearanceSettings& appearance, std::function<bool()> systemIsDark = systemPaletteIsDark,
                 QObject* parent = nullptr);
  explicit Theme(ThemeChoice choice) : Theme(AppearanceSettings{.theme = choice}) {}
  ~Theme() override;  // the text of the application has the desktop's size again

  const AppearanceSettings& appearance() const { return m_appearance; }
  void setAppearance(const AppearanceSettings& appearance);
  void setChoice(ThemeChoice choice);
  const ThemeTokens& tokens() const { return m_tokens; }

  // An icon of resources/icons in the given colour (text's when invalid); crisp at every scale.
  QIcon icon(const QString& name, QColor color = {}) const;
  static QString toneIconName(Tone tone);

 signals:
  void changed();

 private:
  bool eventFilter(QObject* object, QEvent* event) override;
  void followSystem();
  void apply();
  void applyTextSize();

  AppearanceSettings m_appearance;
  Motion m_motion;
  QFont m_systemFont;
  std::function<bool()> m_readSystem;
  bool m_systemIsDark;
  bool m_isApplying = false;  // what changes now is our own doing
  QTimer m_follow;            // one change is told to every window
  ThemeTokens m_tokens;
};

}  // namespace headroom::ui
