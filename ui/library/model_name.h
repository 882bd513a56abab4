// What the names of model files tell.
#pragma once

#include <QString>

namespace headroom::ui {

// "Q4_K_M" of "folder/model-Q4_K_M-00001-of-00002.gguf", in capitals; the last where there are several. Empty: none.
QString quantizationInName(const QString& path);

// 64 digits from 0 to f, in small letters: what names a file by its content. No path can be made of them.
bool isSha256(const QString& text);

}  // namespace headroom::ui
