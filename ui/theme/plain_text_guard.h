// No text of the program is guessed to be HTML: names of files, models and conversations are shown as they are.
#pragma once

#include <QObject>

namespace headroom::ui {

// For as long as it lives, over every label of the program, those of tool tips and message boxes included: Qt would
// format what looks like markup. A label that is meant to be formatted says Qt::RichText before it is first shown.
class PlainTextGuard : public QObject {
  Q_OBJECT
 public:
  explicit PlainTextGuard(QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;
};

}  // namespace headroom::ui
