#include "ui/library/library_folders_dialog.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>

#include "tests/ui/library/library_window.h"

namespace headroom::ui {
namespace {

class LibraryFoldersDialogTest : public LibraryWindow {
 protected:
  LibraryFoldersDialog* open() {
    m_window->showLibrary(true);
    find<QPushButton>("libraryFolders")->click();
    return m_page->findChild<LibraryFoldersDialog*>();
  }
  template <class W>
  static W* in(const QWidget* dialog, const char* name) {
    auto* found = dialog->findChild<W*>(QLatin1String(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  static bool says(const QWidget* dialog, const QString& text) {
    const auto labels = dialog->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text().contains(text); });
  }
};

TEST_F(LibraryFoldersDialogTest, a_folder_is_added_and_removed_at_once) {
  QSignalSpy told(m_library.get(), &ModelLibrary::settingsChanged);
  const auto* dialog = open();
  ASSERT_NE(dialog, nullptr);
  auto* own = in<QListWidget>(dialog, "ownFolders");
  ASSERT_EQ(own->count(), 1);
  EXPECT_FALSE(in<QPushButton>(dialog, "removeFolder")->isEnabled()) << "none is selected";
  in<QPushButton>(dialog, "addFolder")->click();
  auto* chooser = dialog->findChild<QFileDialog*>();
  ASSERT_NE(chooser, nullptr);
  emit chooser->fileSelected(m_disk.text("more/"));
  EXPECT_EQ(m_library->settings().folders, (QStringList{m_disk.text("m"), m_disk.text("more")}));
  EXPECT_EQ(own->count(), 2);
  own->setCurrentRow(0);
  in<QPushButton>(dialog, "removeFolder")->click();
  EXPECT_EQ(m_library->settings().folders, QStringList(m_disk.text("more")));
  EXPECT_EQ(own->count(), 1);
  EXPECT_EQ(told.count(), 2);
  chooser->close();
}

TEST_F(LibraryFoldersDialogTest, what_other_programs_have_is_named_by_its_path_and_can_be_left_out) {
  m_disk.addModel("home/.lmstudio/models/a.gguf");
  const auto* dialog = open();
  EXPECT_TRUE(waitFor([&] { return says(dialog, m_disk.text("home/.lmstudio/models")); }));
  EXPECT_TRUE(waitFor([&] { return says(dialog, "not found"); })) << "of Hugging Face there is none";
  auto* box = in<QCheckBox>(dialog, "lmStudioBox");
  EXPECT_TRUE(box->isChecked());
  box->click();
  EXPECT_FALSE(m_library->settings().lmStudio);
  EXPECT_TRUE(says(dialog, "not looked for"));
  EXPECT_TRUE(waitFor([&] { return m_library->model().rowCount() == 0; }));
}

TEST_F(LibraryFoldersDialogTest, downloads_go_where_the_user_says_and_back_to_the_usual_place) {
  const auto* dialog = open();
  auto* path = in<QLabel>(dialog, "downloadFolder");
  auto* usual = in<QPushButton>(dialog, "usualDownloadFolder");
  EXPECT_EQ(path->text(), m_disk.text("data/models"));
  EXPECT_FALSE(usual->isEnabled());
  in<QPushButton>(dialog, "changeDownloadFolder")->click();
  auto* chooser = dialog->findChild<QFileDialog*>();
  ASSERT_NE(chooser, nullptr);
  emit chooser->fileSelected(m_disk.text("big"));
  EXPECT_EQ(m_library->settings().downloadFolder, m_disk.text("big"));
  EXPECT_EQ(path->text(), m_disk.text("big"));
  EXPECT_EQ(m_library->settings().earlierDownloadFolders, QStringList{m_disk.text("data/models")});
  usual->click();
  EXPECT_TRUE(m_library->settings().downloadFolder.isEmpty());
  EXPECT_EQ(m_library->settings().earlierDownloadFolders, QStringList{m_disk.text("big")});
  chooser->close();
}

}  // namespace
}  // namespace headroom::ui
