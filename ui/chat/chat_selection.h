// What is selected of a conversation where it goes over more than one row of text.
#pragma once

#include <compare>
#include <cstddef>
#include <limits>
#include <optional>

namespace headroom::ui {

// One row of text. Rows are in the order of the page: what was thought stands above its answer.
struct TextRowKey {
  std::size_t item = 0;  // the turn, counted along the path
  bool isAnswer = true;  // or a user's message; false: what was thought
  std::size_t piece = 0;
  auto operator<=>(const TextRowKey&) const = default;
};

struct TextPlace {
  TextRowKey row;
  int position = 0;  // in the row's document
  auto operator<=>(const TextPlace&) const = default;
};

// From where it was begun to where it is drawn, in either direction.
class ChatSelection {
 public:
  ChatSelection() = default;
  ChatSelection(const TextPlace& anchor, const TextPlace& head) : m_ends({anchor, head}) {}
  // All of the turns from one to another, how many rows they ever have.
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
