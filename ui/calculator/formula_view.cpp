#include "ui/calculator/formula_view.h"

#include "plan/formulas.h"
#include "ui/format/format_bytes.h"
#include "ui/format/message_words.h"

namespace headroom::ui {

FormulaView::FormulaView(const Theme& theme, const CalculatorState& calculator, QWidget* parent)
    : QTextBrowser(parent), m_theme(theme), m_calculator(calculator) {
  setObjectName(QStringLiteral("formulaView"));
  setAccessibleName(tr("How each number came to be"));
  setFrameShape(QFrame::NoFrame);
  setOpenLinks(false);
  connect(&calculator, &CalculatorState::planned, this, &FormulaView::refresh);
  connect(&theme, &Theme::changed, this, &FormulaView::refresh);
  refresh();
}

void FormulaView::showEvent(QShowEvent* event) {
  QTextBrowser::showEvent(event);
  refresh();
}

void FormulaView::refresh() {
  // Rendered when it is seen: a slider that moves re-plans many times a second.
  if (!isVisible()) return;
  const auto& plan = m_calculator.plan();
  if (!plan) {
    clear();
    return;
  }
  const ThemeTokens& t = m_theme.tokens();
  QString html;
  DeviceIndex device = ~DeviceIndex{0};
  for (const Formula& formula : plan_formulas(*m_calculator.model(), *plan)) {
    if (formula.device != device) {
      device = formula.device;
      html += QStringLiteral("<p style='margin:8px 0 2px 0'><b>%1</b></p>")
                  .arg(QString::fromStdString(plan->devices[device].name).toHtmlEscaped());
    }
    html +=
        QStringLiteral(
            "<p style='margin:0 0 8px 0'><span style='color:%1'>%2</span><br>%3<br><b>= %4</b> <span "
            "style='color:%1'>(%5)</span></p>")
            .arg(t.muted.name(), wordsOf(formula.label).toHtmlEscaped(), wordsOf(formula.expression).toHtmlEscaped(),
                 formatBytes(formula.bytes), formatExactBytes(formula.bytes));
  }
  setHtml(html);
}

}  // namespace headroom::ui
