#include "ui/theme/style_sheet.h"

#include <utility>
#include <vector>

namespace headroom::ui {
namespace {

// $name stands for a token.
constexpr const char* kTemplate = R"(
QMainWindow, QDialog { background: $window; }
QMainWindow::separator { background: $window; width: 8px; height: 8px; }
QMainWindow::separator:hover, QSplitter::handle:hover { background: $accentSurface; }
QToolTip { background: $surface; color: $text; border: 1px solid $border; padding: 4px 6px; }

QDockWidget { font-weight: 600; color: $text; }
QDockWidget::close-button, QDockWidget::float-button { border: none; border-radius: 4px; padding: 1px; }
QDockWidget::close-button:hover, QDockWidget::float-button:hover { background: $accentSurface; }
QDockWidget::close-button { subcontrol-origin: margin; subcontrol-position: center right; right: 10px; }
QDockWidget::float-button { subcontrol-origin: margin; subcontrol-position: center right; right: 30px; }
QDockWidget::title { background: $window; padding: 8px 12px; text-align: left; }
QMenuBar { background: $window; padding: 2px 4px; }
QMenuBar::item { padding: 4px 8px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: $accentSurface; }
QMenu { background: $surface; border: 1px solid $border; padding: 4px; menu-scrollable: 1; }
QMenu::item { padding: 5px 28px 5px 24px; border-radius: 4px; }
QMenu::item:selected { background: $accentSurface; color: $text; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $border; margin: 4px 8px; }
QStatusBar { background: $window; color: $muted; }
QStatusBar::item { border: none; }

QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget[role="page"] { background: $window; }
QWidget#conversationPane, QScrollArea#chatSettingsArea { background: $window; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar::handle:vertical { background: $border; border-radius: 4px; min-height: 28px; margin: 2px; }
QScrollBar::handle:vertical:hover { background: $muted; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle:horizontal { background: $border; border-radius: 4px; min-width: 28px; margin: 2px; }
QScrollBar::handle:horizontal:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page { background: none; width: 0; height: 0; }

QFrame[role="card"] { background: $surface; border: 1px solid $border; border-radius: 8px; }
QFrame[role="drop"] { background: $sunken; border: 1px dashed $muted; border-radius: 8px; }
QFrame[role="drop"][focused="true"] { border-color: $accent; }
QFrame[role="drop"][active="true"] { background: $accentSurface; border: 2px dashed $accent; }
QFrame[role="line"] { background: $border; border: none; max-height: 1px; min-height: 1px; }
QFrame[role="banner"] { border-radius: 8px; border: 1px solid $border; background: $neutralSurface; }
QFrame[role="banner"][tone="good"] { background: $goodSurface; border-color: $goodBorder; }
QFrame[role="banner"][tone="warning"] { background: $warningSurface; border-color: $warningBorder; }
QFrame[role="banner"][tone="bad"] { background: $badSurface; border-color: $badBorder; }
QFrame[role="banner"] QLabel { background: transparent; }
QFrame[tone="good"] QLabel[role="sentence"] { color: $goodText; }
QFrame[tone="warning"] QLabel[role="sentence"] { color: $warningText; }
QFrame[tone="bad"] QLabel[role="sentence"] { color: $badText; }

QLabel[role="title"] { font-weight: 600; font-size: $figureSize; }
QFrame[role="heading"] { font-weight: 600; }
QFrame[role="muted"] { color: $muted; }
QLabel[role="sentence"] { font-weight: 600; }
QLabel[role="figure"] { font-weight: 600; font-size: $figureSize; }

QPushButton { background: $surface; border: 1px solid $border; border-radius: 6px; padding: 6px 12px; min-height: 18px; }
QPushButton:hover { background: $accentSurface; border-color: $accent; }
QPushButton:pressed { background: $sunken; }
QPushButton:focus { border: 2px solid $accent; padding: 5px 11px; }
QPushButton:disabled { color: $muted; background: $window; border-color: $border; }
QPushButton[role="primary"] { background: $accent; color: $onAccent; border-color: $accent; font-weight: 600; }
QPushButton[role="primary"]:hover { background: $accentHover; }
QPushButton[role="primary"]:focus { border: 2px solid $text; }
QPushButton[role="primary"]:disabled { background: $sunken; color: $muted; border-color: $border; }
QPushButton[role="fix"] { text-align: left; padding: 6px 10px; }
QPushButton[role="fix"]:focus { padding: 5px 9px; }
QToolButton { border: 1px solid transparent; border-radius: 6px; padding: 4px 6px; background: transparent; }
QToolButton:hover { background: $accentSurface; }
QToolButton:focus { border: 1px solid $accent; }
QToolButton:checked { background: $accentSurface; color: $accent; }
QToolButton:disabled { color: $border; }
QToolButton[role="quiet"] { color: $muted; padding: 3px 4px; }
QToolButton[role="quiet"]:hover { color: $text; }
QToolButton[role="quiet"]:disabled { color: $border; }
QToolButton[role="fold"] { color: $muted; padding: 3px 6px 3px 2px; }
QToolButton[role="fold"]:checked { background: transparent; color: $muted; }
QToolButton[role="fold"]:hover { background: $accentSurface; color: $text; }
QListView::item { padding: 6px; border-radius: 4px; margin: 1px 2px; }
QListView::item:selected { background: $accentSurface; color: $text; }
QListView::item:hover:!selected { background: $window; }
QLineEdit, QPlainTextEdit { background: $surface; border: 1px solid $border; border-radius: 6px; padding: 4px 6px; selection-background-color: $accent; }
QLineEdit:focus, QPlainTextEdit:focus { border-color: $accent; }
QToolButton[role="chip"] { background: $sunken; border: 1px solid $border; }
QToolButton[role="verdictChip"] { border: 1px solid $border; font-weight: 600; }
QToolButton[role="verdictChip"][tone="good"] { background: $goodSurface; border-color: $goodBorder; color: $goodText; }
QToolButton[role="verdictChip"][tone="warning"] { background: $warningSurface; border-color: $warningBorder;
  color: $warningText; }
QToolButton[role="verdictChip"][tone="bad"] { background: $badSurface; border-color: $badBorder; color: $badText; }
QToolButton[role="verdictChip"]:hover { border-color: $accent; }
QToolButton[role="verdictChip"]:focus { border-color: $accent; }
QToolButton[role="help"] { color: $muted; border: 1px solid $border; border-radius: $helpRadius; padding: 0;
  min-width: $helpSide; max-width: $helpSide; min-height: $helpSide; max-height: $helpSide; font-size: $helpSize; }
QToolButton[role="help"]:hover { color: $accent; border-color: $accent; background: $accentSurface; }
QToolButton[role="modelName"] { font-weight: 600; }
QToolBar { border: 0; padding: 0 8px; spacing: 6px; background: $window; }
QToolButton[role="chip"]:hover { background: $accentSurface; border-color: $accent; }
QToolButton[role="chip"]:focus { border-color: $accent; }
QToolButton[role="chip"]:disabled { color: $muted; }
QFrame[role="composer"] { background: $surface; border: 1px solid $border; border-radius: 8px; }
QFrame[role="composer"][focused="true"] { border-color: $accent; }
QFrame#composer QPlainTextEdit, QPlainTextEdit[role="code"] { background: transparent; border: none; padding: 0; }
QCheckBox::indicator:unchecked { border: 1px solid $muted; border-radius: 3px; background: $sunken; width: 12px; height: 12px; }
QToolButton::menu-indicator { image: none; width: 0; }
QToolButton[popupMode="2"] { padding-right: 0; }

QTableView, QTreeView, QListView { background: $surface; alternate-background-color: $window; border: 1px solid $border; border-radius: 6px;
  gridline-color: $border; selection-background-color: $accentSurface; selection-color: $text; }
QTableView[role="flat"] { border: none; border-radius: 0; }
QTableView::item { padding: 2px 6px; }
QTableView[sorts="true"] QHeaderView::down-arrow { image: url(:/headroom/icons/sort-down.svg); width: 10px; height: 8px; subcontrol-position: top center; }
QTableView[sorts="true"] QHeaderView::up-arrow { image: url(:/headroom/icons/sort-up.svg); width: 10px; height: 8px; subcontrol-position: top center; }
QHeaderView { background: transparent; }
QHeaderView::section { background: $surface; color: $muted; border: none; border-bottom: 1px solid $border; padding: 5px 6px; font-weight: 600; }

QProgressBar { background: $sunken; border: none; border-radius: 6px; text-align: center; min-height: 20px; color: $text; }
QProgressBar::chunk { background: $progress; border-radius: 6px; }
QTabWidget::pane { border: none; border-top: 1px solid $border; }
QTabBar { background: transparent; }
QTabBar::tab { padding: 6px 12px; color: $muted; border: none; border-bottom: 2px solid transparent; background: transparent; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:focus { color: $accent; }

QLabel[tone="good"] { color: $goodText; }
QLabel[tone="warning"] { color: $warningText; }
QLabel[tone="bad"] { color: $badText; }
QLineEdit[tone="bad"] { color: $badText; border: 1px solid $badText; }
)";

// Fusion draws its edges in a shade of the window, which black and white have not.
constexpr const char* kHighContrast = R"(
QComboBox, QAbstractSpinBox { border: 1px solid $border; border-radius: 4px; padding: 2px 4px; background: $surface; }
QComboBox:focus, QAbstractSpinBox:focus { border: 2px solid $accent; padding: 1px 3px; }
QSlider::groove:horizontal { height: 4px; background: $border; border-radius: 2px; }
QSlider::handle:horizontal { width: 12px; margin: -5px 0; border: 2px solid $border; border-radius: 6px; background: $surface; }
QSlider::handle:horizontal:focus { border-color: $accent; background: $accent; }
)";

// In pixels, at the desktop's own size of text.
constexpr std::pair<const char*, int> kSizes[] = {
    {"$figureSize", 15}, {"$helpSize", 11}, {"$helpSide", 13}, {"$helpRadius", 7}};

}  // namespace

QPalette paletteOf(const ThemeTokens& t) {
  QPalette palette;
  palette.setColor(QPalette::Window, t.window);
  palette.setColor(QPalette::WindowText, t.text);
  palette.setColor(QPalette::Base, t.surface);
  palette.setColor(QPalette::AlternateBase, t.window);
  palette.setColor(QPalette::ToolTipBase, t.surface);
  palette.setColor(QPalette::ToolTipText, t.text);
  palette.setColor(QPalette::PlaceholderText, t.muted);
  palette.setColor(QPalette::Text, t.text);
  palette.setColor(QPalette::Button, t.surface);
  palette.setColor(QPalette::ButtonText, t.text);
  palette.setColor(QPalette::BrightText, t.bad.text);
  palette.setColor(QPalette::Link, t.link);
  palette.setColor(QPalette::Highlight, t.accent);
  palette.setColor(QPalette::HighlightedText, t.onAccent);
  palette.setColor(QPalette::Light, t.surface.lighter(t.isDark ? 130 : 105));
  palette.setColor(QPalette::Midlight, t.border.lighter(110));
  palette.setColor(QPalette::Mid, t.border);
  palette.setColor(QPalette::Dark, t.border.darker(120));
  palette.setColor(QPalette::Shadow, t.isDark ? QColor(Qt::black) : t.muted);
  for (const QPalette::ColorRole role :
       {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText}) {
    palette.setColor(QPalette::Disabled, role, t.muted);
  }
  return palette;
}

QString styleSheetOf(const ThemeTokens& t, int textPercent) {
  // Longer names first, so that $accent does not eat the start of $accentSurface.
  const std::vector<std::pair<const char*, QColor>> values{
      {"$accentSurface", t.accentSurface},
      {"$accentHover", t.isDark ? t.accent.lighter(112) : t.accent.darker(115)},
      {"$accent", t.accent},
      {"$onAccent", t.onAccent},
      {"$progress", t.isDark ? QColor("#2c6fb3") : QColor("#9cc8f0")},
      {"$window", t.window},
      {"$surface", t.surface},
      {"$sunken", t.sunken},
      {"$border", t.border},
      {"$text", t.text},
      {"$muted", t.muted},
      {"$neutralSurface", t.neutral.surface},
      {"$goodSurface", t.good.surface},
      {"$goodBorder", t.good.border},
      {"$goodText", t.good.text},
      {"$warningSurface", t.warning.surface},
      {"$warningBorder", t.warning.border},
      {"$warningText", t.warning.text},
      {"$badSurface", t.bad.surface},
      {"$badBorder", t.bad.border},
      {"$badText", t.bad.text},
  };
  QString sheet = QString::fromLatin1(kTemplate);
  if (t.isHighContrast) sheet += QString::fromLatin1(kHighContrast);
  for (const auto& [name, color] : values) sheet.replace(QLatin1String(name), color.name());
  for (const auto& [name, px] : kSizes)
    sheet.replace(QLatin1String(name), QStringLiteral("%1px").arg(qRound(px * textPercent / 100.0)));
  return sheet;
}

}  // namespace headroom::ui
