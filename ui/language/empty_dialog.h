// A dialog that builds itself anew in another language.
#pragma once

class QDialog;

namespace headroom::ui {

// Takes away all that the dialog shows, its layout too; dialogs of its own that are open above it stay. Not for a call
// from something that stands in it.
void emptyDialog(QDialog& dialog);

}  // namespace headroom::ui
