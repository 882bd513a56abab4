// What an empty conversation shows: which model answers, what it is good for, and something to start with.
#pragma once

#include <QStringList>
#include <QWidget>

#include "ui/theme/theme.h"

class QLabel;
class QVBoxLayout;

namespace headroom::ui {

class Welcome : public QWidget {
  Q_OBJECT
 public:
  explicit Welcome(QWidget* parent = nullptr);

  // `note` says plainly what the model is, or what there is to do; it and the questions may be empty.
  void showModel(const QString& title, const QString& note, const QStringList& questions);

 signals:
  void questionChosen(const QString& question);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* m_column;
  QLabel* m_title;
  QLabel* m_note;
  QStringList m_shown;  // the questions that have a button
  QWidget* m_questions;
  QVBoxLayout* m_questionLayout;
};

}  // namespace headroom::ui
