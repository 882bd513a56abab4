#include "ui/calculator/layers_edit.h"

#include <QGridLayout>
#include <QLabel>

#include "plan/speed.h"
#include "ui/calculator/headroom_edit.h"
#include "ui/calculator/layer_count_edit.h"
#include "ui/calculator/layer_strip.h"
#include "ui/format/format_bytes.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

LayersEdit::LayersEdit(const Theme& theme, CalculatorState& calculator, QWidget* parent)
    : QWidget(parent), m_calculator(calculator), m_strip(new LayerStrip(theme, this)), m_speed(new QLabel(this)) {
  setObjectName(QStringLiteral("layersEdit"));
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(kGrid);
  grid->setColumnStretch(1, 1);
  grid->setColumnMinimumWidth(0, HeadroomEdit::labelWidth(this));
  grid->setColumnMinimumWidth(2, HeadroomEdit::fieldWidth(this));
  m_layers =
      new LayerCountEdit({"layers", tr("&GPU layers"),
                          tr("How many layers of the model the graphics cards compute; the rest is computed by "
                             "the CPU from ordinary memory. Each layer on a card makes answers faster, and takes "
                             "its weights and its share of the KV cache there."),
                          tr("Layers on GPUs"), tr("Layers on GPUs, exact"), tr("&Auto"), tr("As many layers as fit"),
                          tr("As many layers on GPUs as fit")},
                         *grid, 0, this);
  m_ffn = new LayerCountEdit(
      {"ffn", tr("FFN in &RAM"),
       tr("Layers whose FFN stays in RAM: the large, simple part of a layer (its feed-forward network, in mixtures the "
          "experts) is computed by the CPU, its attention and its cache by the card. That makes room for more layers "
          "on "
          "the card; each one makes answers a little slower, yet less than a whole layer in RAM does."),
       tr("Layers on GPUs whose FFN stays on the CPU"), tr("Layers on GPUs whose FFN stays on the CPU, exact"),
       tr("Au&to"), tr("None, unless the layers are automatic too and this is faster than whole layers on the CPU"),
       tr("FFN on the CPU where that is faster")},
      *grid, 1, this);
  grid->addWidget(m_strip, 2, 0, 1, 3);
  grid->addWidget(m_speed, 3, 0, 1, 3);
  m_speed->setObjectName(QStringLiteral("layersSpeed"));
  m_speed->setWordWrap(true);
  m_speed->setTextFormat(Qt::PlainText);
  setRole(m_speed, "muted");
  connect(m_layers, &LayerCountEdit::chosen, &m_calculator, &CalculatorState::setGpuLayers);
  connect(m_ffn, &LayerCountEdit::chosen, &m_calculator, &CalculatorState::setCpuFfn);
  connect(&m_calculator, &CalculatorState::optionsChanged, this, &LayersEdit::refresh);
  connect(&m_calculator, &CalculatorState::planned, this, &LayersEdit::refresh);
  connect(&m_calculator, &CalculatorState::advised, this, &LayersEdit::refreshMeanings);
  refresh();
}

void LayersEdit::refresh() {
  const auto& model = m_calculator.model();
  setVisible(model != nullptr && m_calculator.devices().gpuCount() > 0);
  if (!model) return;
  const PlanOptions& asked = m_calculator.options();
  const auto& plan = m_calculator.plan();
  const auto shown = [&](std::int32_t PlanOptions::*count) {
    return std::max(0, asked.*count == kAutoLayers && plan ? plan->options.*count : asked.*count);
  };
  const int nOnGpus = shown(&PlanOptions::n_gpu_layers);
  m_layers->show(nOnGpus, static_cast<int>(model->n_layers()), asked.n_gpu_layers == kAutoLayers);
  m_ffn->show(shown(&PlanOptions::n_cpu_ffn), nOnGpus, asked.n_cpu_ffn == kAutoLayers);
  m_strip->setPlan(plan);
  QStringList parts;
  if (plan) {
    const QString layers = tr("%1 of %2 layers on GPUs").arg(nOnGpus).arg(model->n_layers());
    const auto speed = estimate_tokens_per_s(*model, *plan);
    //: What a choice means, and how fast that is: "12 of 32 layers on GPUs: about 23 tokens/s"
    parts << (speed ? tr("%1: %2").arg(layers, formatAboutSpeed(*speed)) : layers);
    parts << placementText(*plan);
  }
  m_speed->setText(parts.join(QStringLiteral(". ")));
}

void LayersEdit::refreshMeanings() {
  const auto meanings = [](const std::vector<PlanPreview>& previews, const auto& position) {
    QStringList texts;
    for (int n = 0; n < static_cast<int>(previews.size()); ++n) {
      const QString text = previewText(previews[static_cast<std::size_t>(n)]);
      //: What a position of a slider means, and how fast that is
      texts << (text.isEmpty() ? position(n) : tr("%1: %2").arg(position(n), text));
    }
    return texts;
  };
  m_layers->setMeanings(
      meanings(m_calculator.previewByLayers(), [](int n) { return tr("%n layers on GPUs", nullptr, n); }));
  m_ffn->setMeanings(
      meanings(m_calculator.previewByFfn(), [](int n) { return tr("FFN of %n layers on the CPU", nullptr, n); }));
}

}  // namespace headroom::ui
