#include "ui/calculator/advice_view.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/format/literal_text.h"
#include "ui/format/message_words.h"
#include "ui/theme/layout_guard.h"
#include "ui/theme/roles.h"
#include "ui/theme/wrapping_button.h"

namespace headroom::ui {

AdviceView::AdviceView(const Theme& theme, CalculatorState& calculator, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_calculator(calculator),
      m_heading(new QLabel(this)),
      m_fixes(new QWidget(this)),
      m_fixColumn(new QVBoxLayout(m_fixes)),
      m_remarks(new QLabel(this)),
      m_detail(new QLabel(this)) {
  setRole(m_heading, "heading");
  m_fixColumn->setContentsMargins(0, 0, 0, 0);
  m_fixColumn->setSpacing(kGrid / 2);
  m_remarks->setObjectName(QStringLiteral("remarks"));
  m_detail->setObjectName(QStringLiteral("planDetail"));
  for (QLabel* label : {m_remarks, m_detail}) {
    setRole(label, "muted");
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(kGrid);
  column->addWidget(m_heading);
  column->addWidget(m_fixes);
  column->addWidget(m_remarks);
  column->addWidget(new LayoutGuard(m_detail, this));
  connect(&m_calculator, &CalculatorState::planned, this, [this] {
    refreshFixes();
    refreshRemarks();
    refreshDetail();
  });
  connect(&m_calculator, &CalculatorState::advised, this, &AdviceView::refreshFixes);
  connect(&m_calculator, &CalculatorState::othersChanged, this, &AdviceView::refreshDetail);
  connect(&theme, &Theme::changed, this, &AdviceView::refreshFixes);
  refreshFixes();
  refreshRemarks();
  refreshDetail();
}

void AdviceView::refreshFixes() {
  // Those of the plan before stay in their places, so that nothing jumps, and cannot be pressed.
  m_fixes->setEnabled(!m_calculator.isAdvising());
  if (m_calculator.isAdvising()) return;
  while (QLayoutItem* item = m_fixColumn->takeAt(0)) {
    // A button may be the sender of the click that led here.
    item->widget()->hide();
    item->widget()->deleteLater();
    delete item;
  }
  const std::vector<Fix>& fixes = m_calculator.fixes();
  const bool fits = m_calculator.plan() && m_calculator.plan()->fits();
  m_heading->setText(fits ? tr("What would make it faster") : tr("What would make it fit"));
  for (QWidget* widget : {static_cast<QWidget*>(m_heading), m_fixes}) widget->setVisible(!fixes.empty());
  for (std::size_t i = 0; i < fixes.size(); ++i) {
    QPushButton* button = makeFix(fixes[i]);
    button->setObjectName(QStringLiteral("fix%1").arg(i));
    m_fixColumn->addWidget(button);
  }
}

QPushButton* AdviceView::makeFix(const Fix& fix) {
  const ThemeTokens& t = m_theme.tokens();
  const QString text = literalText(wordsOf(fix.words));
  auto* button = new WrappingButton(text, m_fixes);
  setRole(button, "fix");
  QString icon = QStringLiteral("chevron-right"), means = tr("Helps, and does not suffice alone");
  if (fix.speedup) {
    icon = QStringLiteral("faster");
    means = tr("The plan fits as it is, and would be faster with this change");
  } else if (fix.makes_it_fit) {
    icon = QStringLiteral("check");
    means = tr("With this change it fits");
  }
  button->setIcon(m_theme.icon(icon, fix.makes_it_fit ? t.good.text : t.muted));
  button->setToolTip(means);
  button->setAccessibleDescription(means);
  button->setAutoDefault(true);
  connect(button, &QPushButton::clicked, this, [this, fix] { m_calculator.applyFix(fix); });
  return button;
}

void AdviceView::refreshRemarks() {
  const QStringList remarks = m_calculator.remarks();
  m_remarks->setText(remarks.join(QLatin1Char('\n')));
  m_remarks->setVisible(!remarks.isEmpty());
}

// A plan that does not fit is explained whole; of one that fits the rows of the verdict have said all but this.
void AdviceView::refreshDetail() {
  const Verdict verdict = m_calculator.verdict();
  const QString text = verdict.tone == Tone::Good ? verdict.detail : verdict.sentence;
  if (m_detail->text() != text) m_detail->setText(text);
  m_detail->setVisible(!text.isEmpty());
}

}  // namespace headroom::ui
