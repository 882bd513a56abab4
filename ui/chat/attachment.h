// Reads a file that the user gives to the model as text.
#pragma once

#include <QString>
#include <variant>

#include "base/bytes.h"
#include "base/result.h"
#include "base/stop.h"
#include "ui/chat/conversation.h"
#include "ui/chat/pdf_text.h"
#include "ui/format/sentence.h"

namespace headroom::ui {

// Of any file: what a field and the store can still hold.
inline constexpr Bytes kMostAttachmentBytes = 64 * kMiB;

// How much text of one file is of use. `nCtx` is of the loaded model, and `textBytes` as much as a prompt of so many
// tokens can have, were each the longest of the vocabulary. 0: no model is loaded.
struct AttachmentLimit {
  Bytes textBytes = kMostAttachmentBytes;
  quint32 nCtx = 0;
};

struct AttachmentOrder {
  QString path;
  AttachmentLimit limit{};
  StopToken stop{};  // nobody wants it any more
};

struct IsFolder {};  // perhaps a model, for the window to open

// Why a file is not attached, in a whole sentence that names it: it is absent, no ordinary file, damaged or not
// readable; or it has more text than the limit, or none, or is neither text (text_encoding.h) nor PDF.
struct AttachmentRefusal {
  Sentence sentence;
};

// What stands at a path.
using ReadAttachment = std::variant<Attachment, IsFolder, AttachmentRefusal>;

// On any thread; as slow as the disk, or the network that it is behind. Without `readPdf` PDFs are refused.
ReadAttachment readAttachment(const AttachmentOrder& order, const ReadPdf& readPdf = {});

}  // namespace headroom::ui
