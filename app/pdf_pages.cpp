#include "app/pdf_pages.h"

#include <poppler-document.h>
#include <poppler-page.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "ui/chat/pdf_text.h"

namespace headroom::app {

namespace {

constexpr rlim_t kMostMemory = 3 * kGiB;  // the program itself has some hundred MiB of addresses before it begins
constexpr rlim_t kMostSeconds = 600;      // of a processor

// Tells the lines of one page; how many bytes they had.
std::size_t tell_page(const poppler::document& document, int index, const TellPdfLine& tell, bool& is_heard) {
  const std::unique_ptr<poppler::page> page(document.create_page(index));
  if (page == nullptr) return 0;
  // In the order in which one reads: columns one after the other.
  const poppler::byte_array utf8 = page->text({}, poppler::page::non_raw_non_physical_layout).to_utf8();
  std::string_view text(utf8.data(), utf8.size());
  std::size_t n_bytes = 0;
  while (!text.empty() && is_heard) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    std::erase_if(line, [](char c) { return c == '\f' || c == '\r' || c == '\0'; });  // a page ends with a form feed
    n_bytes += line.size() + 1;
    is_heard = tell(PdfLine::kText, line);
  }
  return n_bytes;
}

void limit(int what, rlim_t most) {
  rlimit bounds{};
  if (::getrlimit(what, &bounds) != 0) return;
  bounds.rlim_cur = bounds.rlim_max = std::min(most, bounds.rlim_max);
  (void)::setrlimit(what, &bounds);
}

}  // namespace

void tell_pdf(const std::string& path, Bytes most_bytes, std::uint32_t most_pages, const TellPdfLine& tell) {
  poppler::set_debug_error_function([](const std::string&, void*) {}, nullptr);
  const std::unique_ptr<poppler::document> document(poppler::document::load_from_file(path));
  if (document == nullptr) return (void)tell(PdfLine::kEnd, "damaged");
  if (document->is_locked()) return (void)tell(PdfLine::kEnd, "locked");
  const int n_pages = document->pages();
  if (n_pages <= 0) return (void)tell(PdfLine::kEnd, "damaged");
  bool is_heard = tell(PdfLine::kPages, std::to_string(n_pages));
  if (static_cast<std::uint32_t>(n_pages) > most_pages) return (void)tell(PdfLine::kEnd, "pages");
  Bytes n_bytes = 0;
  for (int i = 0; i < n_pages && is_heard; ++i) {
    is_heard = tell(PdfLine::kPage, std::to_string(i + 1));
    n_bytes += tell_page(*document, i, tell, is_heard);
    if (n_bytes > most_bytes) return (void)tell(PdfLine::kEnd, "long");
  }
  if (is_heard) (void)tell(PdfLine::kEnd, "read");
}

int read_pdf_and_tell(const char* path, const char* most_bytes) {
  std::signal(SIGPIPE, SIG_IGN);  // who started it went away: that is an error of a write
#ifdef __linux__
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);  // and it goes too
#endif
  limit(RLIMIT_AS, kMostMemory);
  limit(RLIMIT_CPU, kMostSeconds);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);  // it writes no file
  Bytes most = 0;
  std::from_chars(most_bytes, most_bytes + std::strlen(most_bytes), most);
  tell_pdf(path, most, ui::kMostPdfPages, [](PdfLine kind, std::string_view text) {
    std::string line(1, static_cast<char>(kind));
    line.append(text).push_back('\n');
    const bool is_written = std::fwrite(line.data(), 1, line.size(), stdout) == line.size();
    // Whoever waits hears of each page when it begins.
    return is_written && (kind == PdfLine::kText || std::fflush(stdout) == 0);
  });
  return 0;
}

}  // namespace headroom::app
