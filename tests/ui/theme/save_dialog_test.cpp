#include "ui/theme/save_dialog.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QTemporaryDir>

namespace headroom::ui {
namespace {

class SaveDialogTest : public testing::Test {
 protected:
  void choose(const QString& name) {
    QFileDialog* dialog =
        openSaveDialog(&m_parent, {"Save a report", path("suggested.zip"), "zip", "Zip files (*.zip)"},
                       [this](const QString& path) { m_saved << path; });
    emit dialog->fileSelected(path(name));
    dialog->close();
  }
  QString path(const QString& name) const { return m_folder.filePath(name); }
  void press(const char* button) {
    auto* box = m_parent.findChild<QMessageBox*>("overwriteQuestion");
    ASSERT_NE(box, nullptr);
    if (QString(button).isEmpty()) return box->reject();
    box->findChild<QPushButton*>(QLatin1StringView(button))->click();
  }

  QTemporaryDir m_folder;
  QWidget m_parent;
  QStringList m_saved;
};

TEST_F(SaveDialogTest, a_name_with_a_dot_gets_the_ending_and_one_that_has_it_stays) {
  for (const char* name : {"plain", "report of v1.2", "done.zip", "LOUD.ZIP"}) choose(name);
  EXPECT_EQ(m_saved, (QStringList{path("plain.zip"), path("report of v1.2.zip"), path("done.zip"), path("LOUD.ZIP")}));
}

TEST_F(SaveDialogTest, what_the_ending_makes_of_a_name_is_overwritten_only_when_the_user_says_so) {
  QFile file(path("v1.2.zip"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  choose("v1.2");
  EXPECT_TRUE(m_saved.isEmpty());
  press("");
  EXPECT_TRUE(m_saved.isEmpty());
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  auto* again = m_parent.findChild<QFileDialog*>();
  ASSERT_NE(again, nullptr) << "the question is put once more";
  EXPECT_EQ(again->selectedFiles(), QStringList{path("v1.2")}) << "with the folder and the name that were chosen";
  again->close();
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  choose("v1.2");
  press("overwrite");
  EXPECT_EQ(m_saved, QStringList{path("v1.2.zip")});
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  EXPECT_EQ(m_parent.findChild<QFileDialog*>(), nullptr);
}

}  // namespace
}  // namespace headroom::ui
