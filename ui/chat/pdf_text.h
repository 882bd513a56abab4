// What came of reading a PDF. The window links no reader of PDFs: app/read_pdf_in_child is one, tests have others.
#pragma once

#include <QString>
#include <functional>

#include "base/bytes.h"
#include "base/stop.h"

namespace headroom::ui {

struct PdfText {
  enum class End : quint8 {
    Read,
    Locked,        // it wants a password
    Damaged,       // no page can be found in it
    TooManyPages,  // more than kMostPdfPages
    TooLong,       // its text is longer than what was asked for; `page` is where that was
    Crashed,       // the reader did, at `page`
    Slow,          // `page` took longer than kPdfPatience
    NoReader,      // the reader cannot be started
    Stopped,       // as was asked
  };
  End end = End::Read;
  QString text{};      // of Read: of each page that has some, behind a line "[page 3]"
  quint32 nPages = 0;  // 0: not known
  quint32 page = 0;    // the last that was begun, from 1; 0: none was
  QString problem{};   // of NoReader: why
};

inline constexpr quint32 kMostPdfPages = 20'000;
inline constexpr int kPdfPatienceMs = 60'000;  // for one page

// On any thread, for as long as the file takes; `stop` ends it within a tenth of a second.
using ReadPdf = std::function<PdfText(const QString& path, Bytes mostTextBytes, const StopToken& stop)>;

}  // namespace headroom::ui
