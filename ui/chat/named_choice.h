// A row of names to choose from, some built in and some the user's own, which he keeps and deletes here.
#pragma once

#include <QStringList>
#include <QWidget>

class QComboBox;
class QToolButton;

namespace headroom::ui {

class NamedChoice : public QWidget {
  Q_OBJECT
 public:
  struct Words {
    const char* objectName;  // of the combo box
    QString name;            // for screen readers
    QString saveTip, saveTitle, removeTip;
    QString other;  // shown while what is set is none of them
  };
  NamedChoice(Words words, QStringList builtIn, QWidget* parent);

  // The user's own stand behind those that are built in. `current`: its place among all; -1: none of them.
  void show(const QStringList& own, int current);

 signals:
  void chosen(int index);           // among all, by the user
  void saved(const QString& name);  // no name of what is built in; what has this name already is replaced
  void removed(int ownIndex);

 private:
  void save();
  bool isTaken(const QString& name) const;

  Words m_words;
  QStringList m_builtIn, m_own;
  QComboBox* m_combo;
  QToolButton* m_remove;
};

}  // namespace headroom::ui
