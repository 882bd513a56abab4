// The models on disk, in the place of the chat: searched, sorted, loaded; and a second place for downloads.
#pragma once

#include <QTimer>
#include <QWidget>

#include "ui/library/model_library.h"
#include "ui/theme/theme.h"

class QComboBox;
class QFrame;
class QLabel;
class QLineEdit;
class QListView;
class QPushButton;
class QStackedWidget;
class QTabBar;

namespace headroom::ui {

class ElidedLabel;

class LibraryPage : public QWidget {
  Q_OBJECT
 public:
  LibraryPage(const Theme& theme, ModelLibrary& library, QWidget* parent = nullptr);  // both outlive it
  ~LibraryPage() override;

  // The second place of the page, behind a tab that is not shown without it; takes ownership.
  void setDownloads(QWidget* downloads);
  void showDownloads();
  void showModels();

  struct Kept {
    QString search;
    int order = 0, tab = 0;
    QString selected;  // the path of a model; empty: none is
    int scroll = 0;
  };
  // For a page of the same library that takes this one's place.
  Kept kept() const;
  void takeOver(const Kept& kept);

 signals:
  void loadWanted(const QString& path);
  void planWanted(const QString& path);
  void leaveWanted();                                         // back to the chat
  void problemFound(const headroom::ui::Sentence& sentence);  // of a file that could not be moved
  void statusTold(const QString& text);

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* makeTop();
  QWidget* makeModels();
  QWidget* makeTools();
  QFrame* makeEmpty();
  QFrame* makeChosen();
  void connectModel();
  void refresh();
  void refreshChosen();
  void refreshNotices();
  void tellVisible();
  void showMenu(const QPoint& at);
  void load(const QModelIndex& row);
  void askToTrash(const QModelIndex& row);
  void showFolders();
  void addFolder();
  QModelIndex selected() const;

  const Theme& m_theme;
  ModelLibrary& m_library;
  LibraryFilter* m_filter;
  QTabBar* m_tabs;
  QStackedWidget* m_places;
  QLabel* m_count;
  QLineEdit* m_search;
  QLabel* m_notices;
  QListView* m_list;
  QFrame* m_empty;  // in the place of the list when that has no row
  QLabel* m_emptyTitle;
  QLabel* m_emptyText;
  QPushButton* m_addFolder;
  QPushButton* m_toDownloads;
  QFrame* m_chosen;  // what is said of the selected model, and what can be done with it
  ElidedLabel* m_chosenName;
  QLabel* m_chosenText;
  QPushButton* m_plan;
  QPushButton* m_load;
  QTimer m_refreshTimer, m_visibleTimer;
};

}  // namespace headroom::ui
