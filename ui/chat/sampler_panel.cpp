#include "ui/chat/sampler_panel.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <algorithm>
#include <limits>

#include "ui/format/number_field.h"
#include "ui/theme/roles.h"
#include "ui/theme/theme.h"

namespace headroom::ui {

QVector<SamplerPreset> builtInPresets() {
  SamplerSettings precise, creative;
  precise.temperature = 0.2F;
  precise.top_p = 0.9F;
  creative.temperature = 1.1F;
  creative.top_k = 0;
  creative.top_p = 0.98F;
  creative.min_p = 0.03F;
  creative.presence_penalty = 0.3F;
  return {{SamplerPanel::tr("Precise"), precise},
          {SamplerPanel::tr("Balanced"), SamplerSettings{}},
          {SamplerPanel::tr("Creative"), creative}};
}

namespace {

// A preset is about the way of choosing; the seed belongs to the user.
bool isSameWay(SamplerSettings a, const SamplerSettings& b) {
  a.seed = b.seed;
  return a == b;
}

QLabel* heading(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  setRole(label, "heading");
  return label;
}

}  // namespace

SamplerPanel::SamplerPanel(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("samplerPanel"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, kGrid, 0, 0);
  layout->setSpacing(kGrid);

  layout->addWidget(heading(tr("System prompt"), this));
  m_systemPrompt = new QPlainTextEdit(this);
  m_systemPrompt->setObjectName(QStringLiteral("systemPrompt"));
  m_systemPrompt->setAccessibleName(tr("System prompt"));
  m_systemPrompt->setPlaceholderText(tr("How the model should behave in this conversation"));
  m_systemPrompt->setTabChangesFocus(true);
  m_systemPrompt->setFixedHeight(fontMetrics().lineSpacing() * 6);
  connect(m_systemPrompt, &QPlainTextEdit::textChanged, this, [this] {
    if (!m_isShowing) emit systemPromptEdited(m_systemPrompt->toPlainText());
  });
  layout->addWidget(m_systemPrompt);
  m_asDefault = new QToolButton(this);
  m_asDefault->setText(tr("Use for new conversations"));
  m_asDefault->setToolTip(tr("New conversations start with this system prompt"));
  setRole(m_asDefault, "chip");
  connect(m_asDefault, &QToolButton::clicked, this, [this] {
    m_settings.systemPrompt = m_systemPrompt->toPlainText();
    emit settingsEdited(m_settings);
  });
  layout->addWidget(m_asDefault);

  layout->addWidget(makeThinking());
  layout->addWidget(heading(tr("Sampling"), this));
  layout->addWidget(makePresets());
  auto* form = new QFormLayout;
  form->setContentsMargins(0, 0, 0, 0);
  form->setVerticalSpacing(6);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  m_temperature = addNumber(*form, tr("Temperature"), tr("Higher is more varied; 0 always takes the likeliest token"),
                            "temperature", &SamplerSettings::temperature, 0, 5, 0.05);
  m_topK = addCount(*form, tr("Top-k"), tr("Choose among this many likeliest tokens"), "topK", 10'000, tr("off"),
                    [this](int n) { m_settings.sampler.top_k = static_cast<std::uint32_t>(n); });
  m_topP = addNumber(*form, tr("Top-p"),
                     tr("Choose among the likeliest tokens that together have this probability; 1 is off"), "topP",
                     &SamplerSettings::top_p, 0, 1, 0.01);
  m_minP = addNumber(*form, tr("Min-p"), tr("Leave out tokens less likely than this share of the likeliest; 0 is off"),
                     "minP", &SamplerSettings::min_p, 0, 1, 0.01);
  m_repetition = addNumber(*form, tr("Repetition penalty"), tr("Above 1, tokens of the last lines become less likely"),
                           "repetition", &SamplerSettings::repetition_penalty, 0.5, 2, 0.01);
  m_presence = addNumber(*form, tr("Presence penalty"), tr("Above 0, tokens that were used already become less likely"),
                         "presence", &SamplerSettings::presence_penalty, -2, 2, 0.05);
  m_seed = addCount(*form, tr("Seed"), tr("The same seed, settings and text give the same answer"), "seed",
                    std::numeric_limits<int>::max(), tr("new each time"),
                    [this](int n) { m_settings.sampler.seed = static_cast<std::uint64_t>(n); });
  m_maxTokens = addCount(*form, tr("Longest answer"), tr("In tokens"), "maxTokens", 1'000'000, tr("until full"),
                         [this](int n) { m_settings.maxTokens = static_cast<quint32>(n); });
  m_maxTokens->setSingleStep(64);
  layout->addLayout(form);
  layout->addStretch();
  fillPresets();
  showSampler();
}

QWidget* SamplerPanel::makeThinking() {
  m_thinkingArea = new QWidget(this);
  auto* layout = new QVBoxLayout(m_thinkingArea);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kGrid);
  layout->addWidget(heading(tr("Thinking"), m_thinkingArea));
  m_thinking = new QComboBox(m_thinkingArea);
  m_thinking->setObjectName(QStringLiteral("thinkingChoice"));
  m_thinking->setAccessibleName(tr("Thinking"));
  m_thinking->setToolTip(tr("How much the model thinks before it answers"));
  connect(m_thinking, &QComboBox::activated, this, [this](int index) {
    m_settings.thinking = static_cast<ThinkingChoice>(m_thinking->itemData(index).toInt());
    emit settingsEdited(m_settings);
  });
  layout->addWidget(m_thinking);
  m_thinkingArea->hide();
  return m_thinkingArea;
}

void SamplerPanel::setThinkingControl(ThinkingControl control) {
  if (control == m_thinkingControl) return;
  m_thinkingControl = control;
  showThinking();
}

void SamplerPanel::showThinking() {
  m_thinkingArea->setVisible(m_thinkingControl != ThinkingControl::kNone);
  m_thinking->clear();
  const auto add = [this](const QString& text, ThinkingChoice choice) {
    m_thinking->addItem(text, static_cast<int>(choice));
    if (choice == m_settings.thinking) m_thinking->setCurrentIndex(m_thinking->count() - 1);
  };
  add(tr("As the model likes"), ThinkingChoice::kDefault);
  if (m_thinkingControl == ThinkingControl::kSwitch) {
    add(tr("Off"), ThinkingChoice::kOff);
    add(tr("On"), ThinkingChoice::kOn);
  }
  if (m_thinkingControl != ThinkingControl::kEffort) return;
  add(tr("Low"), ThinkingChoice::kLow);
  add(tr("Medium"), ThinkingChoice::kMedium);
  add(tr("High"), ThinkingChoice::kHigh);
}

QWidget* SamplerPanel::makePresets() {
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  m_preset = new QComboBox(row);
  m_preset->setObjectName(QStringLiteral("samplerPreset"));
  m_preset->setAccessibleName(tr("Preset"));
  m_preset->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  connect(m_preset, &QComboBox::activated, this, &SamplerPanel::choosePreset);
  auto* save = new QToolButton(row);
  save->setText(tr("Save…"));
  save->setObjectName(QStringLiteral("savePreset"));
  save->setToolTip(tr("Keep these numbers as a preset of your own"));
  connect(save, &QToolButton::clicked, this, &SamplerPanel::savePreset);
  m_remove = new QToolButton(row);
  m_remove->setText(tr("Delete"));
  m_remove->setObjectName(QStringLiteral("removePreset"));
  m_remove->setToolTip(tr("Delete this preset of yours"));
  connect(m_remove, &QToolButton::clicked, this, &SamplerPanel::removePreset);
  for (QToolButton* button : {save, m_remove}) setRole(button, "chip");
  layout->addWidget(m_preset, 1);
  layout->addWidget(save);
  layout->addWidget(m_remove);
  return row;
}

QDoubleSpinBox* SamplerPanel::addNumber(QFormLayout& form, const QString& label, const QString& tip, const char* name,
                                        float SamplerSettings::*number, double from, double to, double step) {
  auto* box = makeDecimalField(from, to, this);
  box->setObjectName(QLatin1String(name));
  box->setAccessibleName(label);
  box->setToolTip(tip);
  box->setSingleStep(step);
  connect(box, &QDoubleSpinBox::valueChanged, this, [this, number](double value) {
    if (m_isShowing) return;
    m_settings.sampler.*number = static_cast<float>(value);
    tellEdited();
  });
  form.addRow(label, box);
  return box;
}

QSpinBox* SamplerPanel::addCount(QFormLayout& form, const QString& label, const QString& tip, const char* name, int to,
                                 const QString& atZero, std::function<void(int)> set) {
  auto* box = makeNumberField(0, to, this);
  box->setObjectName(QLatin1String(name));
  box->setAccessibleName(label);
  box->setToolTip(tip);
  box->setSpecialValueText(atZero);
  connect(box, &QSpinBox::valueChanged, this, [this, set = std::move(set)](int value) {
    if (m_isShowing) return;
    set(value);
    tellEdited();
  });
  form.addRow(label, box);
  return box;
}

void SamplerPanel::setSettings(const ChatSettings& settings) {
  if (settings == m_settings) return;  // what is being typed stays as it is
  m_settings = settings;
  showThinking();
  fillPresets();
  showSampler();
}

void SamplerPanel::setSystemPrompt(const QString& text) {
  if (text == m_systemPrompt->toPlainText()) return;
  m_isShowing = true;
  m_systemPrompt->setPlainText(text);
  m_isShowing = false;
}

void SamplerPanel::showSampler() {
  m_isShowing = true;
  const SamplerSettings& sampler = m_settings.sampler;
  m_temperature->setValue(sampler.temperature);
  m_topK->setValue(static_cast<int>(sampler.top_k));
  m_topP->setValue(sampler.top_p);
  m_minP->setValue(sampler.min_p);
  m_repetition->setValue(sampler.repetition_penalty);
  m_presence->setValue(sampler.presence_penalty);
  m_seed->setValue(static_cast<int>(std::min<quint64>(sampler.seed, std::numeric_limits<int>::max())));
  m_maxTokens->setValue(static_cast<int>(m_settings.maxTokens));
  m_isShowing = false;
}

void SamplerPanel::tellEdited() {
  fillPresets();
  emit settingsEdited(m_settings);
}

// The preset that the numbers are, or "Custom".
void SamplerPanel::fillPresets() {
  const QSignalBlocker blocker(m_preset);
  m_preset->clear();
  const QVector<SamplerPreset> all = builtInPresets() + m_settings.presets;
  int current = -1;
  for (qsizetype i = 0; i < all.size(); ++i) {
    m_preset->addItem(all[i].name);
    if (current < 0 && isSameWay(all[i].sampler, m_settings.sampler)) current = static_cast<int>(i);
  }
  if (current < 0) {
    m_preset->addItem(tr("Custom"));
    current = m_preset->count() - 1;
  }
  m_preset->setCurrentIndex(current);
  const qsizetype nBuiltIn = builtInPresets().size();
  m_remove->setVisible(current >= nBuiltIn && current < all.size());
}

void SamplerPanel::choosePreset(int index) {
  const QVector<SamplerPreset> all = builtInPresets() + m_settings.presets;
  if (index < 0 || index >= all.size()) return;
  const std::uint64_t seed = m_settings.sampler.seed;
  m_settings.sampler = all[index].sampler;
  m_settings.sampler.seed = seed;
  fillPresets();
  showSampler();
  emit settingsEdited(m_settings);
}

void SamplerPanel::savePreset() {
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Save preset"));
  dialog->setLabelText(tr("Name"));
  connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& text) {
    const QString name = text.trimmed();
    // Two rows of one name could not be told apart.
    const QVector<SamplerPreset> builtIn = builtInPresets();
    const bool isTaken = std::any_of(builtIn.begin(), builtIn.end(), [&](const SamplerPreset& preset) {
      return preset.name.compare(name, Qt::CaseInsensitive) == 0;
    });
    if (name.isEmpty() || isTaken) return;
    m_settings.presets.removeIf([&](const SamplerPreset& preset) { return preset.name == name; });
    m_settings.presets.append({name, m_settings.sampler});
    tellEdited();
  });
  dialog->open();
}

void SamplerPanel::removePreset() {
  const qsizetype index = m_preset->currentIndex() - builtInPresets().size();
  if (index < 0 || index >= m_settings.presets.size()) return;
  m_settings.presets.removeAt(index);
  tellEdited();
}

}  // namespace headroom::ui
