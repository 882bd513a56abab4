// The button in a field that empties it.
#pragma once

class QLineEdit;

namespace headroom::ui {

// Qt's own, with a name for screen readers, which Qt leaves out.
void addClearButton(QLineEdit* field);

}  // namespace headroom::ui
