// Holds a thread of the test between two points.
#pragma once

#include <QSemaphore>

namespace headroom::ui {

struct Gates {
  QSemaphore begun, open;
};

}  // namespace headroom::ui
