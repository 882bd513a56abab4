// What the user should decide on in a conversation, with a button for each way out.
#pragma once

#include <functional>

#include "ui/chat/chat_stage.h"
#include "ui/message/message_bar.h"

namespace headroom::ui {

// What the buttons do.
struct TroubleWaysOut {
  std::function<void()> dropOldest, summarise, planLarger, usePlainForm, loadAgain, loadWithout;
};

// `trouble` is one: its kind is not None.
BarMessage troubleMessage(const Trouble& trouble, const TroubleWaysOut& ways);

}  // namespace headroom::ui
