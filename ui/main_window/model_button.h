// The name of the open model in the header; its menu changes to another one.
#pragma once

#include <QToolButton>

#include "ui/model/model_controller.h"

class QMenu;

namespace headroom::ui {

class ModelButton : public QToolButton {
  Q_OBJECT
 public:
  ModelButton(ModelController& models, QWidget* parent);  // `models` outlives it
  void addToMenu(QAction* action);                        // behind the models; outlives it

 signals:
  void openChosen();  // a file is to be chosen

 private:
  void refresh();
  void fillMenu();

  ModelController& m_models;
  QMenu* m_menu;
  QList<QAction*> m_more;
};

}  // namespace headroom::ui
