// Hits of a search inside one document, counted and marked in the same way by all who look for them.
#pragma once

#include <QList>
#include <QStringMatcher>
#include <QTextCursor>
#include <QTextEdit>
#include <functional>
#include <vector>

#include "ui/theme/theme.h"

namespace headroom::ui {

// Calls `found` with the start of each hit in the line, from left to right; hits do not overlap.
void eachHit(const QStringMatcher& matcher, const QString& line, const std::function<void(qsizetype)>& found);

// One selected text each, in the order of the document; case does not matter, and no hit goes over the end of a block.
std::vector<QTextCursor> hitsIn(QTextDocument& document, const QString& text);

// What paints the hits; the one with the number `current` stands out (-1: none does).
QList<QTextEdit::ExtraSelection> foundMarks(const std::vector<QTextCursor>& hits, int current,
                                            const ThemeTokens& tokens);

}  // namespace headroom::ui
