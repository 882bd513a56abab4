// Finds comments, strings, numbers and keywords in a line of code, by one row of facts per language.
#pragma once

#include <QString>
#include <functional>

namespace headroom::ui {

enum class CodeToken : quint8 { Plain, Keyword, Type, String, Comment, Number, Added, Removed };

struct CodeLanguage;  // a row; see code_lexer.cpp

// By the name after a fence ("cpp", "python", "sh"); null for one that has no row, which is then shown plain.
const CodeLanguage* findCodeLanguage(const QString& name);

// Calls `paint(start, length, token)` for each token that is not plain. `state` is what the line before returned, 0 at
// first; tells of an open comment or string. Linear in the line.
int lexCodeLine(const CodeLanguage& language, const QString& line, int state,
                const std::function<void(qsizetype, qsizetype, CodeToken)>& paint);

}  // namespace headroom::ui
