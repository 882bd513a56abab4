#include "ui/calculator/model_card.h"

#include <QDir>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/calculator/context_scale.h"
#include "ui/format/format_bytes.h"
#include "ui/format/message_words.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

ModelCard::ModelCard(QWidget* parent)
    : QFrame(parent),
      m_name(new QLabel(this)),
      m_facts(new QLabel(this)),
      m_types(new QLabel(this)),
      m_note(new QLabel(this)),
      m_warning(new QLabel(this)) {
  setObjectName(QStringLiteral("modelCard"));
  setRole(this, "card");
  setRole(m_name, "title");
  setRole(m_types, "muted");
  setRole(m_note, "muted");
  setTone(m_warning, Tone::Warning);
  m_warning->setObjectName(QStringLiteral("modelWarning"));
  m_name->setObjectName(QStringLiteral("modelName"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 10, 12, 10);
  column->setSpacing(3);
  for (QLabel* label : {m_name, m_facts, m_types, m_note, m_warning}) {
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(label);
  }
}

void ModelCard::setModel(const ModelInfo& model, const QString& path, bool isStarter) {
  const QString dot = QStringLiteral(" \u00b7 ");
  m_name->setText(QString::fromStdString(model.name));
  const QString context = model.n_ctx_trained > 0 ? tr("context %1").arg(ContextScale::shortName(model.n_ctx_trained))
                                                  : tr("context not stated");
  m_facts->setToolTip(tr("The context is what the model was trained with"));
  m_facts->setText(QStringList{QString::fromStdString(model.architecture),
                               tr("%1 parameters").arg(formatParameters(model.n_params)),
                               tr("%n layers", nullptr, static_cast<int>(model.n_layers())), context}
                       .join(dot));
  QStringList types;
  for (const auto& [name, bytes] : model.bytes_by_type)
    types << QStringLiteral("%1 %2").arg(QString::fromStdString(name), formatBytes(bytes));
  m_types->setText(tr("Weights: %1").arg(types.join(QStringLiteral(", "))));
  m_note->setText(
      tr("The built-in guide: it answers questions about memory and this app, and is not a general assistant."));
  m_note->setVisible(isStarter);
  QStringList warnings;
  for (const Message& warning : model.warnings) warnings << wordsOf(warning);
  m_warning->setText(warnings.join(QStringLiteral("\n")));
  m_warning->setVisible(!warnings.isEmpty());
  setToolTip(QDir::toNativeSeparators(path));
  setAccessibleName(tr("Model %1").arg(m_name->text()));
  setAccessibleDescription(m_facts->text());
}

}  // namespace headroom::ui
