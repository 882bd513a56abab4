// An exact amount of memory as text: "1.5 GiB", "512 MiB".
#pragma once

#include <QLineEdit>

#include "base/bytes.h"

namespace headroom::ui {

class BytesEdit : public QLineEdit {
  Q_OBJECT
 public:
  explicit BytesEdit(QWidget* parent = nullptr);

  Bytes bytes() const { return m_bytes; }
  void setBytes(Bytes bytes);  // silent; leaves a text that is being typed, or that already means it

  QSize sizeHint() const override;

 signals:
  void bytesEdited(Bytes bytes);  // a text that means an amount, at Enter or when the focus leaves

 private:
  void commit();

  Bytes m_bytes = 0;
};

}  // namespace headroom::ui
