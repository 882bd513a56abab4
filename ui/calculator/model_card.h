// What the open model is, from its header.
#pragma once

#include <QFrame>

#include "model/model_info.h"

class QLabel;

namespace headroom::ui {

class ModelCard : public QFrame {
  Q_OBJECT
 public:
  explicit ModelCard(QWidget* parent = nullptr);

  // `isStarter`: says plainly what the built-in model is.
  void setModel(const ModelInfo& model, const QString& path, bool isStarter);

 private:
  QLabel* m_name;
  QLabel* m_facts;
  QLabel* m_types;
  QLabel* m_note;
  QLabel* m_warning;
};

}  // namespace headroom::ui
