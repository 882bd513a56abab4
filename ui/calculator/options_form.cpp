#include "ui/calculator/options_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <algorithm>
#include <iterator>

#include "format/dtype_table.h"
#include "ui/calculator/bytes_edit.h"
#include "ui/calculator/device_picker.h"
#include "ui/theme/roles.h"

namespace headroom::ui {
namespace {

constexpr int kMaxContext = 1 << 22;  // of the exact field; the planner bounds the rest
constexpr int kMaxSlots = 64;
constexpr int kMaxBatch = 4096;
constexpr Bytes kHeadroomStep = 64 * kMiB;
constexpr int kShortFieldPx = 62;  // of four digits, where two fields share a row
enum HeadroomMeaning { KeepFreeIndex, AtMostIndex };

Bytes headroomBytes(const HeadroomRule& rule) {
  return std::visit([](const auto& value) { return value.bytes; }, rule);
}

QSpinBox* makeSpin(int from, int to, const QString& name, const char* objectName, QWidget* parent) {
  auto* spin = new QSpinBox(parent);
  spin->setRange(from, to);
  spin->setGroupSeparatorShown(true);
  spin->setAlignment(Qt::AlignRight);
  spin->setAccessibleName(name);
  spin->setObjectName(QLatin1String(objectName));
  spin->setKeyboardTracking(false);
  auto* text = spin->findChild<QLineEdit*>();
  QObject::connect(spin, &QSpinBox::editingFinished, text, [text] { text->setModified(false); });
  return spin;
}

// Plans are made anew whenever free memory moves: a number that is being typed stays.
void showValue(QSpinBox& spin, int value) {
  if (spin.hasFocus() && spin.findChild<QLineEdit*>()->isModified()) return;
  spin.setValue(value);
}

// Types that are only for checking stay with the command line.
std::vector<DType> offeredTypes(const DeviceInfo& device) {
  std::vector<DType> types;
  std::copy_if(device.kv_types.begin(), device.kv_types.end(), std::back_inserter(types),
               [](DType dtype) { return dtype_row(dtype).is_kv_offered; });
  return types;
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

OptionsForm::OptionsForm(CalculatorState& calculator, QWidget* parent) : QFrame(parent), m_calculator(calculator) {
  setObjectName(QStringLiteral("optionsForm"));
  setRole(this, "card");
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(12, 12, 12, 12);
  grid->setHorizontalSpacing(kGrid);
  grid->setVerticalSpacing(kGrid);
  grid->setColumnStretch(1, 1);
  buildDevice(*grid);
  buildContext(*grid);
  buildCounts(*grid);
  buildCache(*grid);
  buildLayers(*grid);
  buildHeadroom(*grid);
  buildSolvers(*grid);
  connect(&m_calculator, &CalculatorState::modelChanged, this, &OptionsForm::refreshModel);
  connect(&m_calculator, &CalculatorState::devicesChanged, this, &OptionsForm::refreshDevices);
  connect(&m_calculator, &CalculatorState::optionsChanged, this, &OptionsForm::refresh);
  connect(&m_calculator, &CalculatorState::planned, this, &OptionsForm::refresh);
  refreshDevices();
  refreshModel();
}

QLabel* OptionsForm::addLabel(QGridLayout& grid, const QString& text, QWidget* buddy) {
  auto* label = new QLabel(text, this);
  label->setBuddy(buddy);
  grid.addWidget(label, grid.rowCount(), 0);
  return label;
}

void OptionsForm::buildDevice(QGridLayout& grid) {
  m_device = new DevicePicker(this);
  m_device->setAccessibleName(tr("Device"));
  addLabel(grid, tr("&Device"), m_device);
  grid.addWidget(m_device, grid.rowCount() - 1, 1, 1, 2);
  connect(m_device, &DevicePicker::deviceChosen, &m_calculator, &CalculatorState::setDevice);
}

void OptionsForm::buildContext(QGridLayout& grid) {
  m_contextSlider = makeSlider(tr("Context length, in steps"), "contextSlider", this);
  m_context = makeSpin(1, kMaxContext, tr("Context length, exact"), "contextSpin", this);
  m_context->setSingleStep(256);
  addLabel(grid, tr("&Context"), m_context);
  grid.addWidget(m_contextSlider, grid.rowCount() - 1, 1);
  grid.addWidget(m_context, grid.rowCount() - 1, 2);
  connect(m_contextSlider, &QSlider::valueChanged, this,
          [this](int position) { m_calculator.setContext(m_scale.at(position)); });
  connect(m_context, &QSpinBox::valueChanged, this,
          [this](int nCtx) { m_calculator.setContext(static_cast<std::uint32_t>(nCtx)); });
}

void OptionsForm::buildCounts(QGridLayout& grid) {
  m_slots = makeSpin(1, kMaxSlots, tr("Parallel requests"), "slotsSpin", this);
  m_slots->setToolTip(tr("Requests that can run side by side, each with its own cache"));
  m_batch = makeSpin(1, kMaxBatch, tr("Batch, in tokens"), "batchSpin", this);
  m_batch->setToolTip(
      tr("Tokens of the prompt that are read in one step: more is faster to a point, and takes more activations"));
  m_batch->setSingleStep(64);
  for (QSpinBox* spin : {m_slots, m_batch}) spin->setMinimumWidth(kShortFieldPx);
  addLabel(grid, tr("&Parallel"), m_slots);
  auto* row = new QHBoxLayout;
  row->setSpacing(kGrid / 2);
  auto* batchLabel = new QLabel(tr("&Batch"), this);
  batchLabel->setBuddy(m_batch);
  row->addWidget(m_slots, 1);
  row->addSpacing(kGrid);
  row->addWidget(batchLabel);
  row->addWidget(m_batch, 1);
  grid.addLayout(row, grid.rowCount() - 1, 1, 1, 2);
  connect(m_slots, &QSpinBox::valueChanged, this,
          [this](int n) { m_calculator.setSlots(static_cast<std::uint32_t>(n)); });
  connect(m_batch, &QSpinBox::valueChanged, this,
          [this](int n) { m_calculator.setBatch(static_cast<std::uint32_t>(n)); });
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
  addLabel(grid, tr("&Keys as"), m_keyType);
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

void OptionsForm::buildLayers(QGridLayout& grid) {
  m_layersSlider = makeSlider(tr("Layers on the GPU"), "layersSlider", this);
  m_layers = makeSpin(0, 1, tr("Layers on the GPU, exact"), "layersSpin", this);
  m_autoLayers = new QCheckBox(tr("&Auto"), this);
  m_autoLayers->setObjectName(QStringLiteral("autoLayers"));
  m_autoLayers->setToolTip(tr("As many layers as fit"));
  m_autoLayers->setAccessibleName(tr("As many layers on the GPU as fit"));
  m_layersLabel = addLabel(grid, tr("&GPU layers"), m_layers);
  auto* row = new QHBoxLayout;
  row->setSpacing(kGrid);
  row->addWidget(m_layersSlider, 1);
  row->addWidget(m_autoLayers);
  grid.addLayout(row, grid.rowCount() - 1, 1);
  grid.addWidget(m_layers, grid.rowCount() - 1, 2);
  connect(m_layersSlider, &QSlider::valueChanged, &m_calculator, &CalculatorState::setGpuLayers);
  connect(m_layers, &QSpinBox::valueChanged, &m_calculator, &CalculatorState::setGpuLayers);
  connect(m_autoLayers, &QCheckBox::toggled, this,
          [this](bool automatic) { m_calculator.setGpuLayers(automatic ? kAutoLayers : m_layers->value()); });
}

void OptionsForm::buildHeadroom(QGridLayout& grid) {
  m_headroomRule = new QComboBox(this);
  m_headroomRule->setObjectName(QStringLiteral("headroomRule"));
  m_headroomRule->setAccessibleName(tr("What headroom means"));
  m_headroomRule->addItem(tr("Keep free"));
  m_headroomRule->addItem(tr("Use at most"));
  m_headroomRule->setToolTip(tr("Keep this much of the device free, or never use more than this much of it"));
  m_headroomSlider = makeSlider(tr("Headroom"), "headroomSlider", this);
  m_headroom = new BytesEdit(this);
  m_headroom->setObjectName(QStringLiteral("headroomEdit"));
  m_headroom->setAccessibleName(tr("Headroom, exact, in GiB or MiB"));
  grid.addWidget(m_headroomRule, grid.rowCount(), 0);
  grid.addWidget(m_headroomSlider, grid.rowCount() - 1, 1);
  grid.addWidget(m_headroom, grid.rowCount() - 1, 2);
  connect(m_headroomRule, &QComboBox::activated, this, [this](int meaning) {
    const DeviceInfo* device = m_calculator.device();
    if (device == nullptr) return;
    const bool keepsFree = std::holds_alternative<KeepFree>(m_calculator.headroom());
    if (keepsFree == (meaning == KeepFreeIndex)) return;
    // The other reading of the same limit, so that the verdict does not jump.
    const Bytes now = std::min(device->free_bytes, headroomBytes(m_calculator.headroom()));
    setHeadroomBytes(device->free_bytes - now);
  });
  connect(m_headroomSlider, &QSlider::valueChanged, this,
          [this](int step) { setHeadroomBytes(static_cast<Bytes>(step) * kHeadroomStep); });
  connect(m_headroom, &BytesEdit::bytesEdited, this, &OptionsForm::setHeadroomBytes);
}

void OptionsForm::setHeadroomBytes(Bytes bytes) {
  m_calculator.setHeadroom(m_headroomRule->currentIndex() == KeepFreeIndex ? HeadroomRule(KeepFree{bytes})
                                                                           : HeadroomRule(AtMost{bytes}));
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
                      tr("The most layers that fit on the GPU, with everything else as it stands"), Goal::MostLayers);
  auto* heading = new QLabel(tr("Find what fits:"), this);
  setRole(heading, "muted");
  auto* box = new QGridLayout;
  box->setSpacing(kGrid);
  box->addWidget(heading, 0, 0, 1, 2);
  box->addWidget(m_longest, 1, 0);
  box->addWidget(m_lowest, 1, 1);
  box->addWidget(m_most, 2, 0, 1, 2);
  grid.addLayout(box, grid.rowCount(), 0, 1, 3);
}

void OptionsForm::refreshDevices() {
  m_device->setDevices(m_calculator.presentDevices(), m_calculator.catalogue());
  m_device->setCurrentDevice(m_calculator.deviceId());
  refresh();
}

void OptionsForm::refreshModel() {
  const auto& model = m_calculator.model();
  m_scale = ContextScale(std::max<std::uint32_t>(m_calculator.longestContext(), 1));
  {
    const QSignalBlocker quiet(m_contextSlider);
    m_contextSlider->setRange(0, m_scale.count() - 1);
    m_contextSlider->setPageStep(2);
  }
  const int nLayers = model ? static_cast<int>(model->n_layers()) : 0;
  const QSignalBlocker quietSlider(m_layersSlider), quietSpin(m_layers);
  m_layersSlider->setRange(0, nLayers);
  m_layers->setRange(0, nLayers);
  setEnabled(model != nullptr);
  refresh();
}

void OptionsForm::refresh() {
  const PlanOptions& options = m_calculator.options();
  const DeviceInfo* device = m_calculator.device();
  const QList<QObject*> quietOnes{m_contextSlider, m_context,      m_slots,  m_batch,     m_keyType,
                                  m_valueType,     m_layersSlider, m_layers, m_autoLayers};
  for (QObject* object : quietOnes) object->blockSignals(true);
  m_device->setCurrentDevice(m_calculator.deviceId());
  if (options.n_ctx > 0) {
    showValue(*m_context, static_cast<int>(std::min<std::uint32_t>(options.n_ctx, kMaxContext)));
    m_contextSlider->setValue(m_scale.nearest(options.n_ctx));
  }
  showValue(*m_slots, static_cast<int>(options.n_slots));
  showValue(*m_batch, static_cast<int>(options.n_batch));
  for (QComboBox* combo : {m_keyType, m_valueType}) {
    showTypes(*combo, device != nullptr ? offeredTypes(*device) : std::vector<DType>());
  }
  m_keyType->setCurrentIndex(m_keyType->findData(static_cast<int>(options.kv_k)));
  m_valueType->setCurrentIndex(m_valueType->findData(static_cast<int>(options.kv_v)));

  const bool isGpu = device != nullptr && device->kind != DeviceKind::kCpu;
  for (QWidget* widget : std::initializer_list<QWidget*>{m_layersLabel, m_layersSlider, m_layers, m_autoLayers, m_most})
    widget->setVisible(isGpu);
  const bool automatic = options.n_gpu_layers == kAutoLayers;
  const auto& plan = m_calculator.plan();
  const int shownLayers = automatic && plan ? plan->options.n_gpu_layers : options.n_gpu_layers;
  m_autoLayers->setChecked(automatic);
  m_layersSlider->setValue(shownLayers);
  showValue(*m_layers, shownLayers);
  for (QObject* object : quietOnes) object->blockSignals(false);
  refreshHeadroom();
}

void OptionsForm::refreshHeadroom() {
  const DeviceInfo* device = m_calculator.device();
  const QSignalBlocker quietRule(m_headroomRule), quietSlider(m_headroomSlider);
  m_headroomRule->setCurrentIndex(std::holds_alternative<KeepFree>(m_calculator.headroom()) ? KeepFreeIndex
                                                                                            : AtMostIndex);
  const Bytes bytes = headroomBytes(m_calculator.headroom());
  if (device != nullptr) m_headroomSlider->setRange(0, static_cast<int>(device->total_bytes / kHeadroomStep));
  m_headroomSlider->setPageStep(static_cast<int>(kGiB / kHeadroomStep));
  m_headroomSlider->setValue(static_cast<int>(bytes / kHeadroomStep));
  m_headroom->setBytes(bytes);
}

}  // namespace headroom::ui
