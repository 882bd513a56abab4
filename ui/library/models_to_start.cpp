#include "ui/library/models_to_start.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

#include "ui/format/typed_number.h"
#include "ui/library/hub_listing.h"
#include "ui/library/hub_reference.h"
#include "ui/library/model_name.h"

namespace headroom::ui {

namespace {

struct ModelsToStartWords {
  Q_DECLARE_TR_FUNCTIONS(ModelsToStart)
};

const QString kEnglish = QStringLiteral("en");

}  // namespace

QString wordsOf(const ModelToStart& model) {
  const QString language = textLocale().name().section(QLatin1Char('_'), 0, 0);
  return model.words.value(language, model.words.value(kEnglish));
}

Result<std::vector<ModelToStart>> parseModelsToStart(const QByteArray& json) {
  std::vector<ModelToStart> models;
  const QUrl hub = hubAddress({});
  for (const QJsonValue& value : QJsonDocument::fromJson(json).object().value(QLatin1String("models")).toArray()) {
    const QJsonObject entry = value.toObject();
    const auto text = [&](const char* key) { return entry.value(QLatin1String(key)).toString(); };
    ModelToStart model{text("name"), text("repository"), text("file"), {}, 0};
    const QJsonObject words = entry.value(QLatin1String("words")).toObject();
    for (const QString& language : words.keys()) model.words.insert(language, words.value(language).toString());
    const double n_bytes = entry.value(QLatin1String("bytes")).toDouble();
    if (model.name.isEmpty() || model.words.value(kEnglish).isEmpty() || !isSafePath(model.file) ||
        !(n_bytes > 0 && n_bytes < 1e15) || !parseHubReference(lookFor(model), hub))
      return Error{ErrorCode::kBadFile,
                   Message::plain(ModelsToStartWords::tr("The list of models to start with: \"%1\" is incomplete")
                                      .arg(model.name)
                                      .toStdString())};
    model.n_bytes = static_cast<Bytes>(n_bytes);
    models.push_back(std::move(model));
  }
  if (models.empty())
    return Error{ErrorCode::kBadFile,
                 Message::plain(ModelsToStartWords::tr("The list of models to start with is empty").toStdString())};
  std::stable_sort(models.begin(), models.end(),
                   [](const ModelToStart& left, const ModelToStart& right) { return left.n_bytes < right.n_bytes; });
  return models;
}

QString lookFor(const ModelToStart& model) {
  const QString quantization = quantizationInName(model.file);
  return quantization.isEmpty() ? model.repository : model.repository + QLatin1Char(':') + quantization;
}

}  // namespace headroom::ui
