#include "ui/main_window/context_question.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>
#include <utility>

#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

struct ContextQuestionWords {
  Q_DECLARE_TR_FUNCTIONS(ContextQuestion)
};

}  // namespace

void askForContext(const ContextQuestion& question, QWidget* parent, std::function<void(quint32)> plan) {
  auto* box = new QMessageBox(
      QMessageBox::Warning, ContextQuestionWords::tr("Plan a larger context"),
      ContextQuestionWords::tr("The model was trained with a context of %1 tokens, and %2 are asked for.")
          .arg(formatCount(question.trained), formatCount(question.wanted)),
      QMessageBox::Cancel, parent);
  box->setObjectName(QStringLiteral("contextQuestion"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  box->setInformativeText(
      ContextQuestionWords::tr("Beyond what it was trained with, a model's answers often lose their sense."));
  const auto add = [&](quint32 nCtx, const char* name) {
    auto* button =
        box->addButton(ContextQuestionWords::tr("Plan %1 tokens").arg(formatCount(nCtx)), QMessageBox::AcceptRole);
    button->setObjectName(QLatin1String(name));
    QObject::connect(button, &QPushButton::clicked, parent, [plan, nCtx] { plan(nCtx); });
    return button;
  };
  QPushButton* safest = box->defaultButton();
  if (question.trained > question.now) safest = add(question.trained, "planTrained");
  add(question.wanted, "planWanted");
  box->setDefaultButton(safest != nullptr ? safest : static_cast<QPushButton*>(box->button(QMessageBox::Cancel)));
  box->open();
}

}  // namespace headroom::ui
