// The text of a PDF by Poppler, told line by line on the standard output of a process that does nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace headroom::app {

// What `headroom --read-pdf FILE BYTES` writes. A PDF is hostile input, and Poppler a large reader of it: it may crash,
// ask for all memory there is or never come back. So it runs in a child, which the window ends when it likes, and what
// it tells is lines that begin with one letter:
//   N12       the file has 12 pages
//   P3        page 3 begins
//   Tsome     a line of its text
//   Eread     the end: "read", "locked", "damaged", "pages" (too many) or "long" (more text than BYTES)
enum class PdfLine : char { kPages = 'N', kPage = 'P', kText = 'T', kEnd = 'E' };

// Tells of the file in lines without their ends, `most_bytes` of text at most. False: nobody listens any more.
using TellPdfLine = std::function<bool(PdfLine kind, std::string_view text)>;
void tell_pdf(const std::string& path, Bytes most_bytes, std::uint32_t most_pages, const TellPdfLine& tell);

// That process: gives up what it does not need of the system, then writes the lines. Returns its exit status.
int read_pdf_and_tell(const char* path, const char* most_bytes);

}  // namespace headroom::app
