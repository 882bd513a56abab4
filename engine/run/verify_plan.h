// Uses a loaded plan to its end, and measures what it takes: see plan/verification.h for what is told.
#pragma once

#include <functional>

#include "base/stop.h"
#include "plan/verification.h"
#include "run/session.h"

namespace headroom {

// Called behind every step of the session, on its thread.
using OnVerifyProgress = std::function<void(const VerifyProgress&)>;

// Three stages, each token computed once:
// 1. Slot 0 alone is filled with fixed tokens up to its last kVerifyLastTokens positions, in batches as a prompt is;
//    kVerifyTimedTokens of them are decoded one by one at the beginning, at the half and at the end, and timed.
// 2. All other slots are filled as far in steps that they share, and then the last positions of all slots are decoded
//    together, with as many drafts as the plan has: the largest step that answers can need, on full caches.
// 3. All slots are emptied, and kVerifyAnswers short answers are written as the scheduler writes them.
//
// The session is idle when this is called. However it ends, its slots are empty afterwards: a conversation that goes on
// has its prompt read again. Errors: kUnsupported for a model without a tokenizer, kCancelled within a step of a stop,
// and those of a step.
Result<Verification> verify_plan(Session& session, const StopToken& stop, const OnVerifyProgress& on_progress);

}  // namespace headroom
