#include "ui/theme/save_dialog.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

namespace headroom::ui {
namespace {

struct SaveDialogWords {
  Q_DECLARE_TR_FUNCTIONS(SaveDialog)
};

// The dialog has asked about the name that was typed, not about the one with its suffix.
// Who does not want that names the file anew, from where he was.
void askToOverwrite(QWidget* parent, const QString& path, const SaveQuestion& again,
                    const std::function<void(const QString& path)>& save) {
  auto* box = new QMessageBox(QMessageBox::Question, SaveDialogWords::tr("Save"),
                              SaveDialogWords::tr("%1 is there already.").arg(QDir::toNativeSeparators(path)),
                              QMessageBox::Cancel, parent);
  box->setObjectName(QStringLiteral("overwriteQuestion"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  auto* overwrite = box->addButton(SaveDialogWords::tr("&Overwrite it"), QMessageBox::DestructiveRole);
  overwrite->setObjectName(QStringLiteral("overwrite"));
  QObject::connect(overwrite, &QPushButton::clicked, parent, [save, path] { save(path); });
  QObject::connect(box, &QDialog::finished, parent, [box, overwrite, parent, again, save] {
    if (box->clickedButton() != overwrite) openSaveDialog(parent, again, save);
  });
  box->setDefaultButton(QMessageBox::Cancel);
  box->open();
}

}  // namespace

QFileDialog* openSaveDialog(QWidget* parent, const SaveQuestion& question,
                            const std::function<void(const QString& path)>& save) {
  auto* dialog = new QFileDialog(parent, question.title, {}, question.filter);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(question.suffix);
  dialog->selectFile(question.name);
  QObject::connect(dialog, &QFileDialog::fileSelected, parent,
                   [parent, question, ending = QString(u'.' + question.suffix), save](const QString& chosen) {
                     if (chosen.endsWith(ending, Qt::CaseInsensitive)) return save(chosen);
                     const QString path = chosen + ending;
                     if (!QFileInfo::exists(path)) return save(path);
                     SaveQuestion again = question;
                     again.name = chosen;
                     askToOverwrite(parent, path, again, save);
                   });
  dialog->open();
  return dialog;
}

}  // namespace headroom::ui
