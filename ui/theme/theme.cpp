#include "ui/theme/theme.h"

#include <QApplication>
#include <QEvent>
#include <QFile>
#include <QStyleFactory>
#include <utility>

#include "base/check.h"

#include "ui/theme/icon_engine.h"
#include "ui/theme/style_sheet.h"
#include "ui/theme/text_scale.h"

namespace headroom::ui {

const ToneColors& ThemeTokens::tone(Tone tone) const {
  switch (tone) {
    case Tone::Good: return good;
    case Tone::Warning: return warning;
    case Tone::Bad: return bad;
    case Tone::Neutral: break;
  }
  return neutral;
}

ThemeTokens lightTokens() {
  ThemeTokens t;
  t.isDark = false;
  t.window = "#f3f5f8";
  t.surface = "#ffffff";
  t.sunken = "#e9ecf1";
  t.border = "#d3d8e0";
  t.text = "#1a1f29";
  t.muted = "#566072";
  t.accent = "#0a5fb4";
  t.onAccent = "#ffffff";
  t.accentSurface = "#e3eefb";
  t.link = "#0a5fb4";
  t.plan = "#1a1f29";
  t.found = "#ffe99a";
  t.foundNow = "#f08c2e";
  t.onFoundNow = "#1a1f29";
  t.neutral = {t.text, QColor("#e9ecf1"), QColor("#d3d8e0")};
  t.good = {QColor("#0a5c3a"), QColor("#e2f4ea"), QColor("#9fd3b8")};
  t.warning = {QColor("#744700"), QColor("#fff2d6"), QColor("#e8c478")};
  t.bad = {QColor("#9d1c14"), QColor("#fde9e6"), QColor("#eda9a2")};
  t.segments = {QColor("#0072b2"), QColor("#d55e00"), QColor("#f0b27a"), QColor("#8f6bb3"),
                QColor("#c9b3e0"), QColor("#009e73"), QColor("#56b4e9"), QColor("#cc79a7"),
                QColor("#6b7482"), QColor("#b89f00"), QColor("#e4e8ee")};
  return t;
}

ThemeTokens darkTokens() {
  ThemeTokens t;
  t.isDark = true;
  t.window = "#15181e";
  t.surface = "#1d2129";
  t.sunken = "#11141a";
  t.border = "#363d4a";
  t.text = "#e6eaf1";
  t.muted = "#9aa5b6";
  t.accent = "#5fa8f5";
  t.onAccent = "#0a1420";
  t.accentSurface = "#1c3048";
  t.link = "#7bb8f8";
  t.plan = "#ffffff";
  t.found = "#51460f";
  t.foundNow = "#f5b041";
  t.onFoundNow = "#0a1420";
  t.neutral = {t.text, QColor("#262c37"), QColor("#363d4a")};
  t.good = {QColor("#7fdcab"), QColor("#14301f"), QColor("#2c6445")};
  t.warning = {QColor("#f2c56b"), QColor("#35290f"), QColor("#6b5521")};
  t.bad = {QColor("#ff9d94"), QColor("#3b1715"), QColor("#7d3530")};
  t.segments = {QColor("#3d9bd8"), QColor("#e8792b"), QColor("#8a5a32"), QColor("#b39ae0"),
                QColor("#55407f"), QColor("#1fb58c"), QColor("#9fd3f0"), QColor("#cc79a7"),
                QColor("#667080"), QColor("#d9c93a"), QColor("#2a303b")};
  return t;
}

ThemeTokens highContrast(ThemeTokens t) {
  const bool dark = t.isDark;
  t.isHighContrast = true;
  const QColor paper = dark ? QColor(Qt::black) : QColor(Qt::white), ink = dark ? QColor(Qt::white) : QColor(Qt::black);
  t.window = t.surface = t.sunken = paper;
  t.text = t.plan = t.border = ink;
  t.muted = dark ? QColor("#dcdcdc") : QColor("#333333");
  t.accent = t.link = dark ? QColor("#8fd0ff") : QColor("#003c78");
  t.onAccent = paper;
  t.accentSurface = dark ? QColor("#003050") : QColor("#dcecff");
  t.found = dark ? QColor("#4a4000") : QColor("#fff2b0");
  t.foundNow = dark ? QColor("#ffc84a") : QColor("#ffb000");
  t.onFoundNow = Qt::black;
  const auto tone = [paper](const char* text) { return ToneColors{QColor(text), paper, QColor(text)}; };
  t.neutral = {ink, paper, ink};
  t.good = tone(dark ? "#8ff0bd" : "#00431f");
  t.warning = tone(dark ? "#ffd98a" : "#5a3500");
  t.bad = tone(dark ? "#ffb3ab" : "#7d0000");
  return t;
}

// Qt 6.4 does not say whether the desktop is dark; its palette does.
bool systemPaletteIsDark() {
  const QPalette ours = QGuiApplication::palette();
  QApplication::setPalette(QPalette());
  const bool isDark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
  QApplication::setPalette(ours);
  return isDark;
}

QBrush ThemeTokens::segmentBrush(Segment segment) const {
  return QBrush(this->segment(segment), segment == Segment::Headroom ? Qt::BDiagPattern : Qt::SolidPattern);
}

Theme::Theme(const AppearanceSettings& appearance, std::function<bool()> systemIsDark, QObject* parent)
    : QObject(parent),
      m_appearance(appearance),
      m_systemFont(QApplication::font()),
      m_readSystem(std::move(systemIsDark)),
      m_systemIsDark(m_readSystem()) {
  apply();
  m_follow.setSingleShot(true);
  connect(&m_follow, &QTimer::timeout, this, &Theme::followSystem);
  qApp->installEventFilter(this);
}

Theme::~Theme() {
  setTextPercent(100);
  if (m_appearance.textPercent != 100) QApplication::setFont(m_systemFont);
}

bool Theme::eventFilter(QObject* object, QEvent* event) {
  const bool isLooks =
      event->type() == QEvent::ThemeChange || (event->type() == QEvent::ApplicationPaletteChange && object == qApp);
  if (isLooks && !m_isApplying) m_follow.start(0);
  return QObject::eventFilter(object, event);
}

void Theme::followSystem() {
  m_isApplying = true;
  const bool isDark = m_readSystem();
  m_isApplying = false;
  if (isDark == m_systemIsDark) return;
  m_systemIsDark = isDark;
  if (m_appearance.theme != ThemeChoice::System) return;
  apply();
  emit changed();
}

void Theme::setAppearance(const AppearanceSettings& appearance) {
  if (appearance == m_appearance) return;
  m_appearance = appearance;
  apply();
  emit changed();
}

void Theme::setChoice(ThemeChoice choice) {
  AppearanceSettings appearance = m_appearance;
  appearance.theme = choice;
  setAppearance(appearance);
}

void Theme::apply() {
  const ThemeChoice choice = m_appearance.theme;
  const bool dark = choice == ThemeChoice::Dark || (choice == ThemeChoice::System && m_systemIsDark);
  m_tokens = dark ? darkTokens() : lightTokens();
  if (m_appearance.highContrast) m_tokens = highContrast(m_tokens);
  m_isApplying = true;
  QStyle* fusion = QStyleFactory::create(QStringLiteral("Fusion"));
  QApplication::setStyle(m_appearance.reduceMotion ? new StillStyle(fusion) : fusion);
  m_motion.setReduced(m_appearance.reduceMotion);
  QApplication::setPalette(paletteOf(m_tokens));
  applyTextSize();
  qApp->setStyleSheet(styleSheetOf(m_tokens, m_appearance.textPercent));
  m_isApplying = false;
}

void Theme::applyTextSize() {
  QFont font = m_systemFont;
  const double scale = m_appearance.textPercent / 100.0;
  if (font.pointSizeF() > 0) {
    font.setPointSizeF(font.pointSizeF() * scale);
  } else {
    font.setPixelSize(qRound(font.pixelSize() * scale));
  }
  // The scale before the font: widgets ask for it when they hear that the font has changed.
  setTextPercent(m_appearance.textPercent);
  if (font != QApplication::font()) QApplication::setFont(font);
}

QIcon Theme::icon(const QString& name, QColor color) const {
  QFile file(QStringLiteral(":/headroom/icons/%1.svg").arg(name));
  CHECK(file.open(QIODevice::ReadOnly), "an icon that is not in the resources");
  return QIcon(new SvgIconEngine(file.readAll(), color.isValid() ? color : m_tokens.text));
}

QString Theme::toneIconName(Tone tone) {
  switch (tone) {
    case Tone::Good: return QStringLiteral("check");
    case Tone::Warning: return QStringLiteral("warning");
    case Tone::Bad: return QStringLiteral("cross");
    case Tone::Neutral: break;
  }
  return QStringLiteral("info");
}

}  // namespace headroom::ui
