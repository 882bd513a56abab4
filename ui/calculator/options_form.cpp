#include "ui/calculator/options_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>
#include <algorithm>

#include "format/dtype_table.h"
#include "plan/choose_batch.h"
#include "plan/kv_regions.h"
#include "plan/plan_options.h"
#include "ui/calculator/device_list.h"
#include "ui/calculator/headroom_edit.h"
#include "ui/calculator/help_label.h"
#include "ui/calculator/layers_edit.h"
#include "ui/format/format_bytes.h"
#include "ui/format/number_field.h"
#include "ui/theme/roles.h"

namespace headroom::ui {
namespace {

constexpr int kMaxBatch = 4096;
constexpr int kMostSlots = 16;
constexpr int kShortFieldPx = 62;  // of four digits, where two fields share a row

QSpinBox* makeSpin(int from, int to, const QString& name, const char* objectName, QWidget* parent) {
  QSpinBox* spin = makeNumberField(from, to, parent);
  spin->setAccessibleName(name);
  spin->setObjectName(QLatin1String(objectName));
  return spin;
}

// Filled anew only when another device has other kernels, so that an open list is not pulled away.
void showTypes(QComboBox& combo, const std::vector<DType>& types) {
  bool isSame = combo.count() == static_cast<int>(types.size());
  for (int i = 0; isSame && i < combo.count(); ++i)
    isSame = combo.itemData(i).toInt() == static_cast<int>(types[static_cast<std::size_t>(i)]);
  if (isSame) return;
  combo.clear();
  for (const DType dtype : types)
    combo.addItem(QString::fromStdString(std::string(dtype_row(dtype).name)), static_cast<int>(dtype));
}

QSlider* makeSlider(const QString& name, const char* objectName, QWidget* parent) {
  auto* slider = new QSlider(Qt::Horizontal, parent);
  slider->setAccessibleName(name);
  slider->setObjectName(QLatin1String(objectName));
  return slider;
}

}  // namespace

OptionsForm::OptionsForm(const Theme& theme, CalculatorState& calculator, QWidget* parent)
    : QFrame(parent), m_calculator(calculator) {
  setObjectName(QStringLiteral("optionsForm"));
  setRole(this, "card");
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(12, 12, 12, 12);
  grid->setHorizontalSpacing(kGrid);
  grid->setVerticalSpacing(kGrid);
  grid->setColumnStretch(1, 1);
  grid->setColumnMinimumWidth(0, HeadroomEdit::labelWidth(this));
  grid->setColumnMinimumWidth(2, HeadroomEdit::fieldWidth(this));
  addWide(*grid, new DeviceList(theme, calculator, this));
  buildContext(*grid);
  buildBatch(*grid);
  buildCache(*grid);
  buildSlots(*grid);
  buildCheckpoints(*grid);
  addWide(*grid, new LayersEdit(theme, calculator, this));
  buildSolvers(*grid);
  connect(&m_calculator, &CalculatorState::modelChanged, this, &OptionsForm::refreshModel);
  connect(&m_calculator, &CalculatorState::optionsChanged, this, &OptionsForm::refresh);
  connect(&m_calculator, &CalculatorState::planned, this, &OptionsForm::refresh);
  refreshModel();
}

QWidget* OptionsForm::addLabel(QGridLayout& grid, const QString& text, const QString& help, QWidget* field) {
  auto* label = new HelpLabel(text, help, field, this);
  grid.addWidget(label, grid.rowCount(), 0);
  return label;
}

void OptionsForm::addWide(QGridLayout& grid, QWidget* widget) { grid.addWidget(widget, grid.rowCount(), 0, 1, 3); }

void OptionsForm::buildContext(QGridLayout& grid) {
  m_contextSlider = makeSlider(tr("Context length, in steps"), "contextSlider", this);
  m_context = makeSpin(1, static_cast<int>(kMaxContext), tr("Context length, exact"), "contextSpin", this);
  m_context->setSingleStep(256);
  addLabel(grid, tr("&Context"),
           tr("How much the model can look back on: your messages, its answers and what you attach, counted in tokens "
              "(about three quarters of a word each). A longer context takes more memory, all of it reserved when the "
              "model is loaded (the KV cache), and answers become slower the more of it is used."),
           m_context);
  grid.addWidget(m_contextSlider, grid.rowCount() - 1, 1);
  grid.addWidget(m_context, grid.rowCount() - 1, 2);
  connect(m_contextSlider, &QSlider::valueChanged, this,
          [this](int position) { m_calculator.setContext(m_scale.at(position)); });
  connect(m_context, &QSpinBox::valueChanged, this,
          [this](int nCtx) { m_calculator.setContext(static_cast<std::uint32_t>(nCtx)); });
}

void OptionsForm::buildBatch(QGridLayout& grid) {
  m_batch = makeSpin(1, kMaxBatch, tr("Batch, in tokens"), "batchSpin", this);
  m_batch->setSingleStep(64);
  addLabel(grid, tr("&Batch"),
           tr("How many tokens of what you send are read in one step. More is faster up to a point, for long messages "
              "and attachments alone, and takes more working memory (activations). Answers are as fast with any."),
           m_batch);
  m_batchTakes = new QLabel(this);
  m_batchTakes->setObjectName(QStringLiteral("batchTakes"));
  m_batchTakes->setToolTip(tr("What reading so many tokens in one step takes"));
  setRole(m_batchTakes, "muted");
  m_batchTakes->setMinimumWidth(1);  // in a narrow dock the fields keep their room
  m_autoBatch = new QCheckBox(tr("Aut&o"), this);
  m_autoBatch->setObjectName(QStringLiteral("batchAuto"));
  m_autoBatch->setAccessibleName(tr("Batch that is fastest and fits"));
  m_autoBatch->setToolTip(tr("256, or as many more as a GPU has room for and reads prompts faster with"));
  auto* row = new QHBoxLayout;
  row->setSpacing(kGrid);
  row->addWidget(m_batchTakes, 1);
  row->addWidget(m_autoBatch);
  grid.addLayout(row, grid.rowCount() - 1, 1);
  grid.addWidget(m_batch, grid.rowCount() - 1, 2);
  connect(m_batch, &QSpinBox::valueChanged, this,
          [this](int n) { m_calculator.setBatch(static_cast<std::uint32_t>(n)); });
  connect(m_autoBatch, &QCheckBox::toggled, this, [this](bool automatic) {
    m_calculator.setBatch(automatic ? kAutoBatch : static_cast<std::uint32_t>(m_batch->value()));
  });
}

void OptionsForm::buildCache(QGridLayout& grid) {
  const auto makeCombo = [this](const QString& name, const char* objectName) {
    auto* combo = new QComboBox(this);
    combo->setAccessibleName(name);
    combo->setObjectName(QLatin1String(objectName));
    combo->setMinimumWidth(kShortFieldPx);
    return combo;
  };
  m_keyType = makeCombo(tr("Number format of the cached keys"), "keyType");
  m_valueType = makeCombo(tr("Number format of the cached values"), "valueType");
  addLabel(grid, tr("&Keys as"),
           tr("How exactly the model keeps what it has read (the number format of the KV cache, keys and values). F16 "
              "changes nothing. Q8 and FP8 take half the memory, with a loss that can hardly be measured. Q4 takes a "
              "quarter, and answers get worse."),
           m_keyType);
  auto* row = new QHBoxLayout;
  row->setSpacing(kGrid / 2);
  auto* valueLabel = new QLabel(tr("Val&ues as"), this);
  valueLabel->setBuddy(m_valueType);
  row->addWidget(m_keyType, 1);
  row->addSpacing(kGrid);
  row->addWidget(valueLabel);
  row->addWidget(m_valueType, 1);
  grid.addLayout(row, grid.rowCount() - 1, 1, 1, 2);
  connect(m_keyType, &QComboBox::activated, this,
          [this](int row_) { m_calculator.setKeyType(static_cast<DType>(m_keyType->itemData(row_).toInt())); });
  connect(m_valueType, &QComboBox::activated, this,
          [this](int row_) { m_calculator.setValueType(static_cast<DType>(m_valueType->itemData(row_).toInt())); });
}

void OptionsForm::buildSlots(QGridLayout& grid) {
  m_slots = makeSpin(1, kMostSlots, tr("Answers at once"), "slotsSpin", this);
  addLabel(grid, tr("Ans&wers at once"),
           tr("How many conversations are answered side by side; further ones wait for their turn. Each takes the "
              "memory of a whole context (a KV cache of its own). Together they are faster than one after the other, "
              "each alone is a little slower."),
           m_slots);
  m_slotsTake = new QLabel(this);
  m_slotsTake->setObjectName(QStringLiteral("slotsTake"));
  m_slotsTake->setToolTip(tr("What the KV caches of all of them take"));
  setRole(m_slotsTake, "muted");
  m_slotsTake->setMinimumWidth(1);
  grid.addWidget(m_slotsTake, grid.rowCount() - 1, 1);
  grid.addWidget(m_slots, grid.rowCount() - 1, 2);
  connect(m_slots, &QSpinBox::valueChanged, this,
          [this](int n) { m_calculator.setSlots(static_cast<std::uint32_t>(n)); });
}

void OptionsForm::buildCheckpoints(QGridLayout& grid) {
  m_checkpoints = makeSpin(0, kMostCheckpoints, tr("Checkpoints of each conversation"), "checkpointsSpin", this);
  m_checkpointsLabel = addLabel(
      grid, tr("Checkpo&ints"),
      tr("This model cannot go back by itself, so copies of its state are kept at the borders of messages. An "
         "answer that is generated again, or a message that you change, goes on from the nearest one and reads "
         "only what follows. More of them save time after a change, and take memory."),
      m_checkpoints);
  m_checkpointsTake = new QLabel(this);
  m_checkpointsTake->setObjectName(QStringLiteral("checkpointsTake"));
  m_checkpointsTake->setToolTip(tr("What the checkpoints take"));
  setRole(m_checkpointsTake, "muted");
  m_checkpointsTake->setMinimumWidth(1);
  m_autoCheckpoints = new QCheckBox(tr("Auto"), this);
  m_autoCheckpoints->setObjectName(QStringLiteral("checkpointsAuto"));
  m_autoCheckpoints->setAccessibleName(tr("As many checkpoints as there is room for"));
  m_autoCheckpoints->setToolTip(tr("At least 2 where the model has states, more in an eighth of what is left free"));
  auto* row = new QHBoxLayout;
  row->setSpacing(kGrid);
  row->addWidget(m_checkpointsTake, 1);
  row->addWidget(m_autoCheckpoints);
  grid.addLayout(row, grid.rowCount() - 1, 1);
  grid.addWidget(m_checkpoints, grid.rowCount() - 1, 2);
  connect(m_checkpoints, &QSpinBox::valueChanged, this, [this](int n) { m_calculator.setCheckpoints(n); });
  connect(m_autoCheckpoints, &QCheckBox::toggled, this, [this](bool automatic) {
    m_calculator.setCheckpoints(automatic ? kAutoCheckpoints : m_checkpoints->value());
  });
}

void OptionsForm::buildSolvers(QGridLayout& grid) {
  const auto makeButton = [this](const QString& text, const char* objectName, const QString& name, const QString& tip,
                                 Goal goal) {
    auto* button = new QPushButton(text, this);
    button->setObjectName(QLatin1String(objectName));
    button->setAccessibleName(name);
    button->setToolTip(tip);
    button->setAutoDefault(true);
    connect(button, &QPushButton::clicked, this, [this, goal] { m_calculator.solveFor(goal); });
    return button;
  };
  m_longest =
      makeButton(tr("Longest conte&xt"), "longestContext", tr("Longest context that fits"),
                 tr("The exact largest context that fits, with everything else as it stands"), Goal::LongestContext);
  m_lowest =
      makeButton(tr("Lowest lo&ss"), "lowestLoss", tr("Lowest loss that fits"),
                 tr("The number formats of the cache that change least and fit, with everything else as it stands"),
                 Goal::LowestLoss);
  m_most = makeButton(tr("&Most layers"), "mostLayers", tr("Most layers that fit"),
                      tr("The most layers that fit on the GPUs, with everything else as it stands"), Goal::MostLayers);
  auto* heading = new QLabel(tr("Find what fits:"), this);
  setRole(heading, "muted");
  auto* box = new QGridLayout;
  box->setSpacing(kGrid);
  m_reset = new QToolButton(this);
  m_reset->setObjectName(QStringLiteral("resetToDefaults"));
  m_reset->setText(tr("As planned by Headroom"));
  m_reset->setToolTip(tr("Forgets what was changed for this model, devices too, and plans it anew"));
  setRole(m_reset, "quiet");
  connect(m_reset, &QToolButton::clicked, &m_calculator, &CalculatorState::resetToDefaults);
  box->addWidget(heading, 0, 0);
  box->addWidget(m_reset, 0, 1, Qt::AlignRight);
  box->addWidget(m_longest, 1, 0);
  box->addWidget(m_lowest, 1, 1);
  box->addWidget(m_most, 2, 0, 1, 2);
  grid.addLayout(box, grid.rowCount(), 0, 1, 3);
}

void OptionsForm::refreshModel() {
  const auto& model = m_calculator.model();
  m_scale = ContextScale(std::max<std::uint32_t>(m_calculator.longestContext(), 1));
  {
    const QSignalBlocker quiet(m_contextSlider);
    m_contextSlider->setRange(0, m_scale.count() - 1);
    m_contextSlider->setPageStep(2);
  }
  setEnabled(model != nullptr);
  refresh();
}

void OptionsForm::refresh() {
  const PlanOptions& options = m_calculator.options();
  const QList<QObject*> quietOnes{m_contextSlider,   m_context, m_batch,     m_autoBatch, m_checkpoints,
                                  m_autoCheckpoints, m_keyType, m_valueType, m_slots};
  for (QObject* object : quietOnes) object->blockSignals(true);
  if (options.n_ctx > 0) {
    showNumber(*m_context, static_cast<int>(options.n_ctx));
    m_contextSlider->setValue(m_scale.nearest(options.n_ctx));
  }
  showBatch();
  showSlots();
  showCheckpoints();
  const std::vector<DType> types = m_calculator.offeredKvTypes();
  for (QComboBox* combo : {m_keyType, m_valueType}) showTypes(*combo, types);
  m_keyType->setCurrentIndex(m_keyType->findData(static_cast<int>(options.kv_k)));
  m_valueType->setCurrentIndex(m_valueType->findData(static_cast<int>(options.kv_v)));
  for (QObject* object : quietOnes) object->blockSignals(false);
  m_reset->setEnabled(!m_calculator.hasDefaults());
  m_most->setVisible(m_calculator.devices().gpuCount() > 0);
}

void OptionsForm::showBatch() {
  const std::uint32_t asked = m_calculator.options().n_batch;
  const auto& plan = m_calculator.plan();
  if (asked != kAutoBatch || plan)
    showNumber(*m_batch, static_cast<int>(asked == kAutoBatch ? plan->options.n_batch : asked));
  m_autoBatch->setChecked(asked == kAutoBatch);
  m_batchTakes->setText(plan ? formatBytes(batch_bytes(*m_calculator.model(), *plan)) : QString());
}

void OptionsForm::showSlots() {
  const auto& plan = m_calculator.plan();
  showNumber(*m_slots, static_cast<int>(m_calculator.options().n_slots));
  m_slotsTake->setText(plan ? formatBytes(plan->bytes_of(RegionGroup::kKv)) : QString());
}

void OptionsForm::showCheckpoints() {
  const std::int32_t asked = m_calculator.options().n_checkpoints;
  const auto& plan = m_calculator.plan();
  const bool isNeeded = plan && m_calculator.model() && needs_checkpoints(*m_calculator.model(), plan->options);
  for (QWidget* widget :
       std::initializer_list<QWidget*>{m_checkpointsLabel, m_checkpoints, m_autoCheckpoints, m_checkpointsTake})
    widget->setVisible(isNeeded);
  if (!isNeeded) return;
  showNumber(*m_checkpoints, asked == kAutoCheckpoints ? plan->options.n_checkpoints : asked);
  m_autoCheckpoints->setChecked(asked == kAutoCheckpoints);
  m_checkpointsTake->setText(formatBytes(plan->bytes_of(RegionGroup::kCheckpoints)));
}

}  // namespace headroom::ui
