// A short list of models worth starting with, which comes with the program: names and sizes, no request.
#pragma once

#include <QByteArray>
#include <QMap>
#include <QString>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace headroom::ui {

struct ModelToStart {
  QString name, repository, file;
  QMap<QString, QString> words;  // what it is good for, by language: "en", "de"
  Bytes n_bytes = 0;             // about
};

// resources/models_to_start.json, the smallest first. kBadFile names the entry.
Result<std::vector<ModelToStart>> parseModelsToStart(const QByteArray& json);

// In the language of the window.
QString wordsOf(const ModelToStart& model);

// What is typed to look for it: the address of its file's page, on any hub.
QString lookFor(const ModelToStart& model);

}  // namespace headroom::ui
