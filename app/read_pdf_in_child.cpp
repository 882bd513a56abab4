#include "app/read_pdf_in_child.h"

#include <algorithm>
#include <semaphore>
#include <utility>

#include "app/native_path.h"
#include "app/pdf_pages.h"
#include "app/prove/child_process.h"
#include "ui/format/message_words.h"

namespace headroom::app {

namespace {

using End = ui::PdfText::End;
constexpr std::chrono::milliseconds kBetweenStops{100};

End endOf(const std::string& word) {
  return word == "read"     ? End::Read
         : word == "locked" ? End::Locked
         : word == "pages"  ? End::TooManyPages
         : word == "long"   ? End::TooLong
                            : End::Damaged;
}

// Puts the lines of a child together.
class Listener {
 public:
  explicit Listener(Bytes mostTextBytes) : m_most(mostTextBytes) {}

  // Whether that was the last one. What says it is no end but has too much of something is not believed.
  bool hear(const std::string& line) {
    if (line.empty()) return false;
    const QString rest = QString::fromUtf8(line.data() + 1, static_cast<qsizetype>(line.size()) - 1);
    switch (static_cast<PdfLine>(line.front())) {
      case PdfLine::kPages: m_pdf.nPages = rest.toUInt(); break;
      case PdfLine::kPage:
        m_pdf.page = rest.toUInt();
        m_hasText = false;
        break;
      case PdfLine::kText: addLine(rest, static_cast<Bytes>(line.size())); break;
      case PdfLine::kEnd: m_pdf.end = endOf(line.substr(1)); return m_isEnded = true;
    }
    if (m_told <= m_most + kSlack) return false;
    m_pdf.end = End::TooLong;
    return m_isEnded = true;
  }
  bool isEnded() const { return m_isEnded; }

  ui::PdfText take(End end) {
    m_pdf.end = end;
    while (m_pdf.text.endsWith(u'\n')) m_pdf.text.chop(1);
    if (end != End::Read) m_pdf.text.clear();
    return std::move(m_pdf);
  }
  ui::PdfText take() { return take(m_pdf.end); }

 private:
  static constexpr Bytes kSlack = kMiB;  // the child itself stops before

  // No empty lines at the start of a page, and no page without text.
  void addLine(const QString& text, Bytes bytes) {
    m_told += bytes;
    if (!m_hasText && text.trimmed().isEmpty()) return;
    if (!m_hasText) {
      while (m_pdf.text.endsWith(u'\n')) m_pdf.text.chop(1);
      if (!m_pdf.text.isEmpty()) m_pdf.text += QStringLiteral("\n\n");
      m_pdf.text += QStringLiteral("[page %1]\n").arg(m_pdf.page);
    }
    m_hasText = true;
    m_pdf.text += text;
    m_pdf.text += u'\n';
  }

  Bytes m_most, m_told = 0;
  ui::PdfText m_pdf;
  bool m_hasText = false, m_isEnded = false;
};

// Each child may take gigabytes beside a model that is planned into the same memory: a few at a time.
class Place {
 public:
  explicit Place(const StopToken& stop) {
    while (!stop.stop_requested() && !m_isTaken) m_isTaken = places().try_acquire_for(kBetweenStops);
  }
  ~Place() {
    if (m_isTaken) places().release();
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  bool isTaken() const { return m_isTaken; }

 private:
  static constexpr int kMostChildren = 2;
  static std::counting_semaphore<kMostChildren>& places() {
    static std::counting_semaphore<kMostChildren> all(kMostChildren);
    return all;
  }
  bool m_isTaken = false;
};

}  // namespace

ui::PdfText readPdfInChild(const std::vector<std::string>& command, const QString& path, Bytes mostTextBytes,
                           const StopToken& stop, std::chrono::milliseconds patience) {
  const Place place(stop);
  if (!place.isTaken()) return {End::Stopped, {}, 0, 0, {}};
  std::vector<std::string> words = command;
  words.push_back(bytesOfPath(path).toStdString());
  words.push_back(std::to_string(mostTextBytes));
  Result<ChildProcess> child = ChildProcess::start(words);
  if (!child) return {End::NoReader, {}, 0, 0, ui::wordsOf(child.error().message)};
  Listener listener(mostTextBytes);
  std::chrono::milliseconds silent{0};
  for (;;) {
    const std::chrono::milliseconds wait = std::min(kBetweenStops, patience);
    const ChildProcess::Event event = child->wait(wait);
    if (stop.stop_requested()) return listener.take(End::Stopped);
    if (const auto* line = std::get_if<ChildProcess::Line>(&event)) {
      silent = std::chrono::milliseconds(0);
      if (listener.hear(line->text)) return listener.take();
    } else if (std::holds_alternative<ChildProcess::Silence>(event)) {
      silent += wait;
      if (silent >= patience) return listener.take(End::Slow);
    } else {
      return listener.take(End::Crashed);
    }
  }
}

}  // namespace headroom::app
