// Asks before a context is planned that is longer than what the model was trained with.
#pragma once

#include <QtGlobal>
#include <functional>

class QWidget;

namespace headroom::ui {

struct ContextQuestion {
  quint32 wanted = 0, trained = 0, now = 0;  // tokens; `wanted` is above `trained`
};

// Does not wait. `plan` is called with what is chosen: `wanted`, or `trained` where that is more than there is now. Not
// where nothing is chosen, or when `parent` goes.
void askForContext(const ContextQuestion& question, QWidget* parent, std::function<void(quint32)> plan);

}  // namespace headroom::ui
