// Writes a whole file or nothing.
#pragma once

#include <QByteArray>
#include <QString>

#include "base/message.h"

namespace headroom::ui {

// Writes a temporary file beside `path` and gives it that name when all is on disk: what stood there before stays whole
// until then, and when anything fails. Refuses to replace what is no ordinary file. No words when written; else why
// not, a clause without a full stop. On any thread.
Message writeWholeFile(const QString& path, const QByteArray& bytes);

}  // namespace headroom::ui
