#include "text/thinking_splitter.h"

#include <algorithm>
#include <utility>

namespace headroom {

namespace {

// A header of a channel is far shorter; what goes on without a mark is no header.
constexpr std::size_t kLongestHeader = 256;

std::size_t n_leading_space(std::string_view text) {
  return std::min(text.find_first_not_of(kWhiteSpace), text.size());
}

// Whether the text is the beginning of the mark, and more of it may come. An empty mark begins nowhere.
bool may_become(std::string_view text, std::string_view mark) {
  return text.size() < mark.size() && mark.starts_with(text);
}

// The longest end of the text that begins the mark.
std::size_t n_begun(std::string_view text, std::string_view mark) {
  for (std::size_t n = std::min(mark.empty() ? 0 : mark.size() - 1, text.size()); n > 0; --n) {
    if (text.ends_with(mark.substr(0, n))) return n;
  }
  return 0;
}

}  // namespace

ThinkingSplitter::ThinkingSplitter(const ThinkingMarks& marks, AnswerStart start)
    : marks_(marks), state_(State::kAsItIs) {
  using Kind = ThinkingMarks::Kind;
  if (marks.kind == Kind::kNone || start == AnswerStart::kUnmarked) return;
  const bool has_channels = marks.kind == Kind::kChannels;
  switch (start) {
    case AnswerStart::kUnmarked: break;
    case AnswerStart::kNew: enter(has_channels ? State::kHeader : State::kBefore, TextKind::kAnswer); break;
    case AnswerStart::kThinking:
    case AnswerStart::kGoesOnThinking:
      enter(has_channels ? State::kMessage : State::kThinking, TextKind::kThinking);
      skips_space_ = start == AnswerStart::kThinking;
      break;
    case AnswerStart::kGoesOnAnswering:
      enter(has_channels ? State::kMessage : State::kAnswering, TextKind::kAnswer);
      has_answer_tags_ = !has_channels && !marks.answer_close.empty();
      break;
  }
}

void ThinkingSplitter::enter(State state, TextKind kind) {
  state_ = state;
  kind_ = kind;
  is_apart_ = has_said_[static_cast<std::size_t>(kind)];
}

void ThinkingSplitter::tell(std::string_view text) {
  if (skips_space_) text.remove_prefix(n_leading_space(text));
  if (text.empty()) return;
  skips_space_ = false;
  has_said_[static_cast<std::size_t>(kind_)] = true;
  if (spans_.empty() || spans_.back().kind != kind_) spans_.push_back({kind_, {}});
  if (std::exchange(is_apart_, false)) spans_.back().text += "\n\n";
  spans_.back().text += text;
}

std::vector<TextSpan> ThinkingSplitter::push(std::string_view text, bool is_mark) {
  if (state_ == State::kAsItIs) {
    if (!is_mark) tell(text);
  } else if (marks_.kind == ThinkingMarks::Kind::kChannels) {
    is_mark ? read_token(text) : read_channel_text(text);
  } else {
    // A control token is no quotation: behind the beginning of an answer it may open another thought.
    if (is_mark && state_ == State::kAnswering && !has_answer_tags_) {
      tell(std::exchange(held_, {}));
      state_ = State::kBefore;
    }
    held_ += text;
    while (advance()) {
    }
  }
  return std::exchange(spans_, {});
}

std::vector<TextSpan> ThinkingSplitter::finish() {
  const bool is_header = state_ == State::kHeader && has_read_token_;
  const bool is_space = state_ != State::kBefore && n_leading_space(held_) == held_.size();
  if (!is_header && !is_space) tell(held_);
  held_.clear();
  return std::exchange(spans_, {});
}

std::string_view ThinkingSplitter::behind_space() const {
  return std::string_view(held_).substr(n_leading_space(held_));
}

void ThinkingSplitter::drop_mark(std::string_view mark) { held_.erase(0, n_leading_space(held_) + mark.size()); }

bool ThinkingSplitter::advance() {
  switch (state_) {
    case State::kBefore: return before();
    case State::kThinking: return inside(TextKind::kThinking, marks_.close);
    case State::kBehind: return behind();
    case State::kAnswering:
      return inside(TextKind::kAnswer, has_answer_tags_ ? std::string_view(marks_.answer_close) : std::string_view());
    case State::kAsItIs:
    case State::kHeader:
    case State::kMessage: break;
  }
  return false;
}

// Nothing was said since the last mark: a thought may be opened. A mark that closes none is taken out.
bool ThinkingSplitter::before() {
  const std::string_view rest = behind_space();
  if (may_become(rest, marks_.open) || may_become(rest, marks_.close)) return false;
  if (rest.starts_with(marks_.open)) {
    drop_mark(marks_.open);
    enter(State::kThinking, TextKind::kThinking);
    skips_space_ = true;
  } else if (rest.starts_with(marks_.close)) {
    drop_mark(marks_.close);
    enter(State::kBehind, TextKind::kAnswer);
    skips_space_ = true;
  } else {
    state_ = has_said_[0] || has_said_[1] ? State::kAnswering : State::kBehind;
    kind_ = TextKind::kAnswer;
  }
  return true;
}

// Text up to the mark that closes it, without the white space before that. Some models open a thought that the template
// has opened already.
bool ThinkingSplitter::inside(TextKind kind, std::string_view close) {
  if (kind == TextKind::kThinking && skips_space_) {
    const std::string_view rest = behind_space();
    if (may_become(rest, marks_.open)) return false;
    if (rest.starts_with(marks_.open)) {
      drop_mark(marks_.open);
      return true;
    }
  }
  const std::size_t found = close.empty() ? std::string::npos : held_.find(close);
  if (found != std::string::npos) {
    tell(without_trailing_space(std::string_view(held_).substr(0, found)));
    held_.erase(0, found + close.size());
    if (kind == TextKind::kAnswer) has_answer_tags_ = false;
    skips_space_ = true;
    if (kind == TextKind::kThinking) enter(State::kBehind, TextKind::kAnswer);
    return true;
  }
  if (close.empty()) {
    tell(std::exchange(held_, {}));
    return false;
  }
  const std::string_view safe = std::string_view(held_).substr(0, held_.size() - n_begun(held_, close));
  const std::size_t n_safe = without_trailing_space(safe).size();
  tell(std::string_view(held_).substr(0, n_safe));
  held_.erase(0, n_safe);
  return false;
}

// Before the first word of the answer: its own tag may open it.
bool ThinkingSplitter::behind() {
  const std::string_view rest = behind_space();
  if (rest.empty()) return false;
  for (const std::string& mark : {marks_.answer_open, marks_.close}) {
    if (may_become(rest, mark)) return false;
    if (mark.empty() || !rest.starts_with(mark)) continue;
    has_answer_tags_ |= mark == marks_.answer_open;
    skips_space_ = true;
    drop_mark(mark);
    return true;
  }
  state_ = State::kAnswering;
  return true;
}

// ---- channels ----

void ThinkingSplitter::read_token(std::string_view text) {
  has_read_token_ = true;
  if (text == "<|message|>") {
    if (state_ == State::kHeader) start_message();
    return;
  }
  const bool names_channel = text == "<|channel|>";
  if (state_ == State::kMessage || !names_channel) held_.clear();
  state_ = State::kHeader;
  channel_at_ = names_channel ? held_.size() : std::string::npos;
}

// "analysis" is a thought, and so is what goes to a function ("commentary to=functions.f"); all else is for the reader.
void ThinkingSplitter::start_message() {
  const std::string_view header = held_;
  const std::string_view channel = channel_at_ < header.size() ? header.substr(channel_at_) : std::string_view();
  const bool is_thought =
      channel.starts_with("analysis") || header.starts_with("to=") || header.find(" to=") != std::string_view::npos;
  enter(State::kMessage, is_thought ? TextKind::kThinking : TextKind::kAnswer);
  held_.clear();
}

void ThinkingSplitter::read_channel_text(std::string_view text) {
  if (state_ == State::kMessage) return tell(text);
  held_ += text;
  if (held_.size() <= kLongestHeader && held_.find('\n') == std::string::npos) return;
  enter(State::kMessage, TextKind::kAnswer);
  tell(std::exchange(held_, {}));
}

}  // namespace headroom
