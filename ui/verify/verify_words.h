// What a verification found, in the window's words.
#pragma once

#include <QString>
#include <QStringList>

#include "base/result.h"
#include "plan/verification.h"

namespace headroom::ui {

// "As planned: 6.31 GiB planned, 6.31 GiB mapped, nothing allocated since load".
QString verifyVerdict(const Verification& found);
// A sentence for each thing that is not as planned; none: all is.
QStringList verifyDifferences(const Verification& found);
// "Step 2 of 3: filling all slots".
QString verifyStep(const VerifyProgress& progress);
// How a verification ended that did not find anything: stopped by the user, or what went wrong.
QString verifyEnd(const Error& error);

}  // namespace headroom::ui
