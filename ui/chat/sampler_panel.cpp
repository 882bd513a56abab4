#include "ui/chat/sampler_panel.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QToolButton>
#include <algorithm>
#include <limits>

#include "ui/chat/named_choice.h"
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

QVector<SavedPrompt> builtInPrompts() {
  return {{SamplerPanel::tr("None"), {}},
          {SamplerPanel::tr("Short answers"),
           SamplerPanel::tr("Answer in as few words as the question allows. Give no introduction and no summary.")},
          {SamplerPanel::tr("Step by step"),
           SamplerPanel::tr("Explain step by step, from what a newcomer knows. Say which steps you are not sure of.")},
          {SamplerPanel::tr("Code review"),
           SamplerPanel::tr("Review the code that you are given: what is wrong, what is unclear, and how you would "
                            "write it. Faults first, taste last.")}};
}

namespace {

constexpr int kPromptLines = 6;

// A preset is about the way of choosing; the seed belongs to the user.
bool isSameWay(SamplerSettings a, const SamplerSettings& b) {
  a.seed = b.seed;
  return a == b;
}

// -1: there is none.
template <class T, class Is>
int placeOfLast(const QVector<T>& all, Is is) {
  for (auto i = static_cast<int>(all.size()) - 1; i >= 0; --i) {
    if (is(all[i])) return i;
  }
  return -1;
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

  makePrompt();
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
                    [this](int n) { m_options.sampler.top_k = static_cast<std::uint32_t>(n); });
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
                    [this](int n) { m_options.sampler.seed = static_cast<std::uint64_t>(n); });
  m_maxTokens = addCount(*form, tr("Longest answer"), tr("In tokens"), "maxTokens", 1'000'000, tr("until full"),
                         [this](int n) { m_options.maxTokens = static_cast<quint32>(n); });
  m_maxTokens->setSingleStep(64);
  layout->addLayout(form);
  layout->addWidget(makeWhenFull());
  layout->addWidget(makeDefaults());
  layout->addStretch();
  showPrompts();
  showPresets();
  showSampler();
  showDefaults();
}

void SamplerPanel::makePrompt() {
  layout()->addWidget(heading(tr("System prompt"), this));
  QStringList names;
  for (const SavedPrompt& prompt : builtInPrompts()) names << prompt.name;
  m_prompt =
      new NamedChoice({"promptChoice", tr("System prompt from the library"), tr("Keep this prompt in the library"),
                       tr("Save prompt"), tr("Delete this prompt of yours"), tr("As written below")},
                      names, this);
  m_prompt->setObjectName(QStringLiteral("promptRow"));
  layout()->addWidget(m_prompt);
  m_systemPrompt = new QPlainTextEdit(this);
  m_systemPrompt->setObjectName(QStringLiteral("systemPrompt"));
  m_systemPrompt->setAccessibleName(tr("System prompt"));
  m_systemPrompt->setPlaceholderText(tr("How the model should behave in this conversation"));
  m_systemPrompt->setTabChangesFocus(true);
  m_systemPrompt->setFixedHeight(fontMetrics().lineSpacing() * kPromptLines);
  layout()->addWidget(m_systemPrompt);
  connect(m_systemPrompt, &QPlainTextEdit::textChanged, this, [this] {
    showPrompts();
    showDefaults();
    if (!m_isShowing) emit systemPromptEdited(m_systemPrompt->toPlainText());
  });
  connect(m_prompt, &NamedChoice::chosen, this,
          [this](int index) { replacePrompt((builtInPrompts() + m_settings.prompts)[index].text); });
  connect(m_prompt, &NamedChoice::saved, this, [this](const QString& name) {
    m_settings.prompts.removeIf([&](const SavedPrompt& prompt) { return prompt.name == name; });
    m_settings.prompts.append({name, m_systemPrompt->toPlainText()});
    showPrompts();
    emit settingsEdited(m_settings);
  });
  connect(m_prompt, &NamedChoice::removed, this, [this](int index) {
    m_settings.prompts.removeAt(index);
    showPrompts();
    emit settingsEdited(m_settings);
  });
}

// WhenFull, chosen once for the conversation instead of in a banner each time its context is full.
QWidget* SamplerPanel::makeWhenFull() {
  auto* area = new QWidget(this);
  auto* layout = new QVBoxLayout(area);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kGrid);
  layout->addWidget(heading(tr("When the context is full"), area));
  m_whenFull = new QComboBox(area);
  m_whenFull->setObjectName(QStringLiteral("whenFull"));
  m_whenFull->setAccessibleName(tr("When the context is full"));
  m_whenFull->addItem(tr("Stop, and ask me"), static_cast<int>(WhenFull::Ask));
  m_whenFull->addItem(tr("Drop the oldest turns"), static_cast<int>(WhenFull::DropOldest));
  m_whenFull->addItem(tr("Summarise the oldest turns"), static_cast<int>(WhenFull::Summarise));
  m_whenFull->setToolTip(tr("The conversation keeps all turns; what is dropped is no longer sent to the model"));
  layout->addWidget(m_whenFull);
  connect(m_whenFull, &QComboBox::activated, this, [this] {
    m_options.whenFull = static_cast<WhenFull>(m_whenFull->currentData().toInt());
    tellEdited();
  });
  return area;
}

QWidget* SamplerPanel::makeDefaults() {
  auto* area = new QWidget(this);
  auto* layout = new QVBoxLayout(area);
  layout->setContentsMargins(0, kGrid, 0, 0);
  layout->setSpacing(kGrid / 2);
  const auto addButton = [&](const QString& text, const char* name, const QString& tip) {
    auto* button = new QToolButton(area);
    button->setText(text);
    button->setObjectName(QLatin1StringView(name));
    button->setToolTip(tip);
    setRole(button, "chip");
    layout->addWidget(button);
    return button;
  };
  m_asDefault = addButton(tr("Use for new conversations"), "asDefault",
                          tr("New conversations, and those whose options nobody changed, have what stands above"));
  m_asNew = addButton(tr("As new conversations have it"), "asNew", tr("This conversation has no options of its own"));
  connect(m_asDefault, &QToolButton::clicked, this, [this] {
    m_settings.systemPrompt = m_systemPrompt->toPlainText();
    m_settings.answers = m_options;
    showDefaults();
    emit settingsEdited(m_settings);
    emit optionsEdited(m_options);
  });
  connect(m_asNew, &QToolButton::clicked, this, [this] {
    replacePrompt(m_settings.systemPrompt);
    setOptions(m_settings.answers);
    emit optionsEdited(m_options);
  });
  return area;
}

// What was typed comes back with Undo.
void SamplerPanel::replacePrompt(const QString& text) {
  QTextCursor all(m_systemPrompt->document());
  all.select(QTextCursor::Document);
  all.insertText(text);
}

void SamplerPanel::showDefaults() {
  const bool isSame = m_options == m_settings.answers && m_systemPrompt->toPlainText() == m_settings.systemPrompt;
  m_asDefault->setEnabled(!isSame);
  m_asNew->setEnabled(!isSame);
}

void SamplerPanel::showPrompts() {
  // The last: of two with one text the user's own, which can be deleted.
  const QVector<SavedPrompt> all = builtInPrompts() + m_settings.prompts;
  const auto place =
      placeOfLast(all, [this](const SavedPrompt& prompt) { return prompt.text == m_systemPrompt->toPlainText(); });
  QStringList own;
  for (const SavedPrompt& prompt : m_settings.prompts) own << prompt.name;
  m_prompt->show(own, place);
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
    m_options.thinking = static_cast<ThinkingChoice>(m_thinking->itemData(index).toInt());
    tellEdited();
  });
  layout->addWidget(m_thinking);
  m_thinkingArea->hide();
  return m_thinkingArea;
}

void SamplerPanel::setThinkingChoices(ThinkingChoices choices) {
  if (choices == m_thinkingChoices) return;
  m_thinkingChoices = choices;
  showThinking();
}

void SamplerPanel::showThinking() {
  m_thinkingArea->setVisible(!m_thinkingChoices.empty());
  m_thinking->clear();
  const auto add = [this](const QString& text, ThinkingChoice choice) {
    if (!m_thinkingChoices.take(choice)) return;
    m_thinking->addItem(text, static_cast<int>(choice));
    if (choice == m_options.thinking) m_thinking->setCurrentIndex(m_thinking->count() - 1);
  };
  add(tr("As the model likes"), ThinkingChoice::kDefault);
  add(tr("Off"), ThinkingChoice::kOff);
  add(tr("On"), ThinkingChoice::kOn);
  add(tr("Low"), ThinkingChoice::kLow);
  add(tr("Medium"), ThinkingChoice::kMedium);
  add(tr("High"), ThinkingChoice::kHigh);
}

QWidget* SamplerPanel::makePresets() {
  QStringList names;
  for (const SamplerPreset& preset : builtInPresets()) names << preset.name;
  m_preset = new NamedChoice({"samplerPreset", tr("Preset"), tr("Keep these numbers as a preset of your own"),
                              tr("Save preset"), tr("Delete this preset of yours"), tr("Custom")},
                             names, this);
  m_preset->setObjectName(QStringLiteral("presetRow"));
  connect(m_preset, &NamedChoice::chosen, this, &SamplerPanel::choosePreset);
  connect(m_preset, &NamedChoice::saved, this, [this](const QString& name) {
    m_settings.presets.removeIf([&](const SamplerPreset& preset) { return preset.name == name; });
    m_settings.presets.append({name, m_options.sampler});
    showPresets();
    emit settingsEdited(m_settings);
  });
  connect(m_preset, &NamedChoice::removed, this, [this](int index) {
    m_settings.presets.removeAt(index);
    showPresets();
    emit settingsEdited(m_settings);
  });
  return m_preset;
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
    m_options.sampler.*number = static_cast<float>(value);
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
  if (settings == m_settings) return;
  m_settings = settings;
  showPrompts();
  showPresets();
  showDefaults();
}

void SamplerPanel::setOptions(const AnswerOptions& options) {
  if (options == m_options) return;  // what is being typed stays as it is
  m_options = options;
  showThinking();
  showPresets();
  showSampler();
  showDefaults();
}

void SamplerPanel::setSystemPrompt(const QString& text) {
  if (text == m_systemPrompt->toPlainText()) return;
  m_isShowing = true;
  m_systemPrompt->setPlainText(text);
  m_isShowing = false;
}

void SamplerPanel::showSampler() {
  m_isShowing = true;
  const SamplerSettings& sampler = m_options.sampler;
  m_temperature->setValue(sampler.temperature);
  m_topK->setValue(static_cast<int>(sampler.top_k));
  m_topP->setValue(sampler.top_p);
  m_minP->setValue(sampler.min_p);
  m_repetition->setValue(sampler.repetition_penalty);
  m_presence->setValue(sampler.presence_penalty);
  m_seed->setValue(static_cast<int>(std::min<quint64>(sampler.seed, std::numeric_limits<int>::max())));
  m_maxTokens->setValue(static_cast<int>(m_options.maxTokens));
  m_whenFull->setCurrentIndex(m_whenFull->findData(static_cast<int>(m_options.whenFull)));
  m_isShowing = false;
}

void SamplerPanel::tellEdited() {
  showPresets();
  showDefaults();
  emit optionsEdited(m_options);
}

// The preset that the numbers are.
void SamplerPanel::showPresets() {
  const QVector<SamplerPreset> all = builtInPresets() + m_settings.presets;
  const auto place =
      placeOfLast(all, [this](const SamplerPreset& preset) { return isSameWay(preset.sampler, m_options.sampler); });
  QStringList own;
  for (const SamplerPreset& preset : m_settings.presets) own << preset.name;
  m_preset->show(own, place);
}

void SamplerPanel::choosePreset(int index) {
  const std::uint64_t seed = m_options.sampler.seed;
  m_options.sampler = (builtInPresets() + m_settings.presets)[index].sampler;
  m_options.sampler.seed = seed;
  showSampler();
  tellEdited();
}

void SamplerPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) m_systemPrompt->setFixedHeight(fontMetrics().lineSpacing() * kPromptLines);
  QWidget::changeEvent(event);
}

}  // namespace headroom::ui
