// Reads a file that the user gives to the model as text.
#pragma once

#include <QString>
#include <variant>

#include "base/bytes.h"
#include "base/result.h"
#include "ui/chat/conversation.h"

namespace headroom::ui {

inline constexpr Bytes kMaxAttachmentBytes = kMiB;

struct IsFolder {};  // perhaps a model, for the window to open

// What stands at a path. Errors are whole sentences that name the file: kBadFile when it is absent, no ordinary file or
// not readable, kUsage when it is larger than kMaxAttachmentBytes or not text (text_encoding.h).
using ReadAttachment = std::variant<Attachment, IsFolder, Error>;

// On any thread; as slow as the disk, or the network that it is behind.
ReadAttachment readAttachment(const QString& path);

}  // namespace headroom::ui
