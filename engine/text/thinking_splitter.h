// Tells what a model thinks from what it answers, while its text still arrives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/thinking.h"
#include "text/thinking_marks.h"

namespace headroom {

struct TextSpan {
  TextKind kind = TextKind::kAnswer;
  std::string text;
  bool operator==(const TextSpan&) const = default;
};

// Marks are taken out, with the white space between thought and answer. Text in which a mark may begin waits for the
// next call, so that any cut of a text into pieces gives the same spans. Of tags only those before the answer count:
// one that an answer quotes is text. A thought that is never closed is a thought to its end; parts of one kind that
// stand apart become paragraphs.
class ThinkingSplitter {
 public:
  ThinkingSplitter(const ThinkingMarks& marks, AnswerStart start);  // `marks` outlives the splitter

  // `is_mark`: the text is that of one of marks.tokens.
  std::vector<TextSpan> push(std::string_view text, bool is_mark);
  // What still waits, when nothing comes any more.
  std::vector<TextSpan> finish();

 private:
  enum class State : std::uint8_t { kAsItIs, kBefore, kThinking, kBehind, kAnswering, kHeader, kMessage };

  bool advance();                         // one step in held_; false: it waits for more
  std::string_view behind_space() const;  // of held_
  void drop_mark(std::string_view mark);  // which stands there, and that white space
  bool before();
  bool inside(TextKind kind, std::string_view close);
  bool behind();
  void read_token(std::string_view text);
  void read_channel_text(std::string_view text);
  void start_message();
  void enter(State state, TextKind kind);
  void tell(std::string_view text);

  const ThinkingMarks& marks_;
  State state_;
  TextKind kind_ = TextKind::kAnswer;           // of what is emitted
  bool skips_space_ = false;                    // nothing but white space came since the last mark
  bool is_apart_ = false;                       // the next text of this kind begins a paragraph
  bool has_answer_tags_ = false;                // the answer stands in tags that are to be closed
  bool has_read_token_ = false;                 // of channels
  bool has_said_[2] = {};                       // by TextKind
  std::string held_;                            // of tags: text in which a mark may begin. Of channels: the header
  std::size_t channel_at_ = std::string::npos;  // where in the header the channel's name begins
  std::vector<TextSpan> spans_;
};

}  // namespace headroom
