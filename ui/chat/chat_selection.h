// What is selected of a conversation where it goes over more than one row of text.
#pragma once

#include <compare>
#include <cstddef>
#include <limits>
#include <optional>

namespace headroom::ui {

// Names one row of text. Keys are ordered as rows are on the page: {3, false, 0} is the first piece of what the fourth
// turn's model thought, {3, true, 0} the first piece of its answer, below it.
struct TextRowKey {
  std::size_t item = 0;   // the turn, counted along the path
  bool isAnswer = true;   // false: of what was thought. A user's message counts as an answer
  std::size_t piece = 0;  // of its text: a paragraph or more, a block of code
  auto operator<=>(const TextRowKey&) const = default;
};

// Between two characters of a row.
struct TextPlace {
  TextRowKey row;
  int position = 0;  // in the row's document
  auto operator<=>(const TextPlace&) const = default;
};

// From the anchor, where the mouse was pressed, to the head, where it is now: downwards or upwards.
class ChatSelection {
 public:
  ChatSelection() = default;
  ChatSelection(const TextPlace& anchor, const TextPlace& head) : m_ends({anchor, head}) {}
  // Whole turns, the first and the last one included; also of rows that they get later.
  static ChatSelection ofTurns(std::size_t first, std::size_t last);

  bool isEmpty() const { return !m_ends; }
  void clear() { m_ends.reset(); }
  bool operator==(const ChatSelection&) const = default;

  static constexpr int kToEnd = std::numeric_limits<int>::max();
  struct Part {
    int from = 0, to = kToEnd;
    bool isWhole() const { return from == 0 && to == kToEnd; }
  };
  std::optional<Part> partOf(const TextRowKey& row) const;  // none: nothing of that row
  bool isUpwards() const { return m_ends && m_ends->head < m_ends->anchor; }
  // The turns that it begins and ends in; only where it is not empty.
  std::size_t firstItem() const;
  std::size_t lastItem() const;

 private:
  struct Ends {
    TextPlace anchor, head;
    bool operator==(const Ends&) const = default;
  };
  const TextPlace& first() const;
  const TextPlace& last() const;

  std::optional<Ends> m_ends;
};

}  // namespace headroom::ui
