// What a conversation is called, unless the user says otherwise.
#pragma once

#include <QString>

namespace headroom::ui {

struct Turn;

// By its first message: its first words, or the name of its first file.
QString titleFromMessage(const Turn& turn);

// By what a model wrote when it was asked for a title: without quotes, marks and a word that says that it is a title;
// empty where nothing is left, or so much that it has answered something else.
QString titleFromModel(const QString& written);

}  // namespace headroom::ui
