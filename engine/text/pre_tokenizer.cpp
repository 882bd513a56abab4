#include "text/pre_tokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "text/utf8.h"

namespace headroom {

namespace {

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatch {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};
using Code = std::unique_ptr<pcre2_code, FreeCode>;
using Match = std::unique_ptr<pcre2_match_data, FreeMatch>;

PCRE2_SPTR as_units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

// `piece` is UTF-8, so PCRE2 need not look again. When the compiled matcher runs out of stack the interpreter, which
// uses the heap, decides.
int find_match(const pcre2_code* code, std::string_view piece, std::size_t from, pcre2_match_data* match) {
  const int found = pcre2_match(code, as_units(piece), piece.size(), from, PCRE2_NO_UTF_CHECK, match, nullptr);
  if (found >= 0 || found == PCRE2_ERROR_NOMATCH) return found;
  return pcre2_match(code, as_units(piece), piece.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, match, nullptr);
}

using TakeWord = std::function<bool(std::string_view)>;

// Cuts a piece by the first pattern, into matches and what lies between them, and each of these by the patterns that
// follow. Should a search hit PCRE2's own limits, the rest stays one piece. False once `take` said so.
bool cut_piece(std::span<const Code> patterns, std::string_view piece, pcre2_match_data* match, const TakeWord& take) {
  if (patterns.empty()) return take(piece);
  const auto pass_on = [&](std::size_t from, std::size_t to) {
    return from == to || cut_piece(patterns.subspan(1), piece.substr(from, to - from), match, take);
  };
  std::size_t done = 0;
  while (done < piece.size()) {
    if (find_match(patterns.front().get(), piece, done, match) < 0) break;
    const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(match);
    const std::size_t from = bounds[0], to = bounds[1];
    if (to <= from) break;  // no pattern of ours matches the empty text
    if (!pass_on(done, from) || !pass_on(from, to)) return false;
    done = to;
  }
  return pass_on(done, piece.size());
}

// The end of the run that starts at `from` and is all UTF-8, or all not.
std::size_t end_of_run(std::string_view text, std::size_t from, bool valid) {
  std::size_t pos = from;
  while (pos < text.size()) {
    const CodePoint point = read_code_point(text, pos);
    if (point.valid != valid) break;
    pos += point.n_bytes;
  }
  return pos;
}

}  // namespace

struct PreTokenizer::Impl {
  std::vector<Code> patterns;
};

PreTokenizer::PreTokenizer(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
PreTokenizer::PreTokenizer(PreTokenizer&&) noexcept = default;
PreTokenizer& PreTokenizer::operator=(PreTokenizer&&) noexcept = default;
PreTokenizer::~PreTokenizer() = default;

Result<PreTokenizer> PreTokenizer::create(const PreTokenizerRow& row) {
  auto impl = std::make_unique<Impl>();
  for (const std::string_view pattern : row.patterns) {
    int error = 0;
    PCRE2_SIZE at = 0;
    Code code(pcre2_compile(as_units(pattern), pattern.size(), PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error,
                            &at, nullptr));
    if (!code)
      return Error{ErrorCode::kUnsupported,
                   Message::say("pre-tokenizer pattern '{}': PCRE2 error {} at byte {}", pattern, error, at)};
    pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);  // where there is no JIT, the interpreter does the same, slower
    impl->patterns.push_back(std::move(code));
  }
  return PreTokenizer(std::move(impl));
}

void PreTokenizer::split(std::string_view text, const std::function<bool(std::string_view)>& take) const {
  const Match match(pcre2_match_data_create(1, nullptr));
  for (std::size_t pos = 0; pos < text.size();) {
    const bool valid = read_code_point(text, pos).valid;
    const std::size_t end = end_of_run(text, pos, valid);
    const std::string_view run = text.substr(pos, end - pos);
    pos = end;
    const bool goes_on = valid && match ? cut_piece(impl_->patterns, run, match.get(), take) : take(run);
    if (!goes_on) return;
  }
}

}  // namespace headroom
