// Where models are looked for: the user's folders, what other programs have fetched, and where downloads go.
#pragma once

#include <QDialog>

#include "ui/library/model_library.h"

class QCheckBox;
class QLabel;
class QListWidget;
class QPushButton;
class QVBoxLayout;

namespace headroom::ui {

// Asks for a folder of the user's own, and adds it.
void chooseModelFolder(ModelLibrary& library, QWidget* parent);

// What is changed here holds at once.
class LibraryFoldersDialog : public QDialog {
  Q_OBJECT
 public:
  explicit LibraryFoldersDialog(ModelLibrary& library, QWidget* parent = nullptr);  // `library` outlives it
  ~LibraryFoldersDialog() override;

 private:
  struct Source {
    FolderKind kind;
    bool LibrarySettings::*isOn;
    QCheckBox* box;
    QLabel* found;
  };
  void addOwn(QVBoxLayout& layout);
  void addSources(QVBoxLayout& layout);
  void addDownloads(QVBoxLayout& layout);
  void refresh();
  void removeSelected();
  void chooseDownloadFolder();
  QString foundText(FolderKind kind, bool isOn) const;

  ModelLibrary& m_library;
  QListWidget* m_own;
  QPushButton* m_remove;
  std::vector<Source> m_sources;
  QLabel* m_downloads;
  QPushButton* m_usual;  // back to the program's own folder
};

}  // namespace headroom::ui
