// The line above an answer that says how long its model thought, and folds what it thought in and out.
#pragma once

#include <optional>

#include "ui/chat/chat_rows.h"

namespace headroom::ui {

class ThinkingRow : public ChatRow {
  Q_OBJECT
 public:
  ThinkingRow(const Theme& theme, QWidget* parent);
  void show(const Turn& turn, bool isUnfolded);
  int heightFor(int width) override;

 signals:
  void unfoldChosen(bool isUnfolded);

 private:
  QToolButton* m_button;
  std::optional<bool> m_isUnfolded;  // as it is shown
};

QString thinkingText(const Turn& turn);  // "Thinking… 12 s", "Thought for 34 s"

}  // namespace headroom::ui
