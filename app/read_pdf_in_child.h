// Reads a PDF in a process of its own, which may crash, hang or be ended: see pdf_pages.h.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "ui/chat/pdf_text.h"

namespace headroom::app {

// `command` is started with the path and the most bytes of text behind it. On any thread, which waits.
ui::PdfText readPdfInChild(const std::vector<std::string>& command, const QString& path, Bytes mostTextBytes,
                           const StopToken& stop,
                           std::chrono::milliseconds patience = std::chrono::milliseconds(ui::kPdfPatienceMs));

}  // namespace headroom::app
