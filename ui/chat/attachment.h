// Reads a file that the user gives to the model as text.
#pragma once

#include <QString>

#include "base/bytes.h"
#include "base/result.h"
#include "ui/chat/conversation.h"

namespace headroom::ui {

inline constexpr Bytes kMaxAttachmentBytes = kMiB;

// kBadFile when it is not a readable file, kUsage when it is larger than kMaxAttachmentBytes or not text (UTF-8 without
// NUL bytes). Whole sentences.
Result<Attachment> readAttachment(const QString& path);

}  // namespace headroom::ui
