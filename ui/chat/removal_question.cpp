#include "ui/chat/removal_question.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>
#include <utility>

#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

struct RemovalQuestionWords {
  Q_DECLARE_TR_FUNCTIONS(RemovalQuestion)
};

}  // namespace

void askForRemoval(const RemovalQuestion& question, QWidget* parent, std::function<void(bool isAlone)> remove) {
  auto* box = new QMessageBox(QMessageBox::Question, RemovalQuestionWords::tr("Delete a message"),
                              RemovalQuestionWords::tr("Delete this message? It cannot be brought back."),
                              QMessageBox::Cancel, parent);
  box->setObjectName(QStringLiteral("removalQuestion"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  const auto add = [&](const QString& text, const char* name, bool isAlone) {
    auto* button = box->addButton(text, QMessageBox::DestructiveRole);
    button->setObjectName(QLatin1StringView(name));
    QObject::connect(button, &QPushButton::clicked, parent, [remove, isAlone] { remove(isAlone); });
  };
  if (question.nBelow == 0) {
    add(RemovalQuestionWords::tr("&Delete"), "deleteAll", false);
  } else {
    box->setInformativeText(question.canGoAlone
                                ? RemovalQuestionWords::tr("What was said after it (%1) can stay, or go with it.")
                                      .arg(formatCount(static_cast<quint64>(question.nBelow)))
                                : RemovalQuestionWords::tr("What was said after it (%1) goes with it.")
                                      .arg(formatCount(static_cast<quint64>(question.nBelow))));
    if (question.canGoAlone) add(RemovalQuestionWords::tr("Delete &this one"), "deleteAlone", true);
    add(RemovalQuestionWords::tr("&Delete it and what follows"), "deleteAll", false);
  }
  box->setDefaultButton(QMessageBox::Cancel);
  box->open();
}

}  // namespace headroom::ui
