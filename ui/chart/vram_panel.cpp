#include "ui/chart/vram_panel.h"

#include <QBuffer>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/chart/chart_export.h"
#include "ui/chart/device_bars.h"
#include "ui/chart/legend_model.h"
#include "ui/chart/region_dialog.h"
#include "ui/chart/timeline_chart.h"
#include "ui/format/device_name.h"
#include "ui/format/format_bytes.h"
#include "ui/format/literal_text.h"
#include "ui/theme/elided_label.h"
#include "ui/theme/layout_guard.h"
#include "ui/theme/page_area.h"
#include "ui/theme/roles.h"
#include "ui/theme/save_dialog.h"

namespace headroom::ui {
namespace {

constexpr int kTabChars = 16;

QLabel* makeLabel(const QString& text, const char* role, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  setRole(label, role);
  return label;
}

QFrame* makeCard(QWidget* parent) {
  auto* card = new QFrame(parent);
  setRole(card, "card");
  return card;
}

// As tall as its rows: the page scrolls, not the table in it.
void fitHeight(QTableView* table) {
  int height = table->horizontalHeader()->sizeHint().height() + 2 * table->frameWidth();
  for (int row = 0; row < table->model()->rowCount(); ++row) height += table->rowHeight(row);
  table->setFixedHeight(height);
}

}  // namespace

VramPanel::VramPanel(const Theme& theme, ChartState& chart, LoadState& load, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_state(chart),
      m_load(load),
      m_device(new ElidedLabel("heading", Qt::AlignLeft, this)),
      m_tabs(new QTabBar(this)),
      m_export(new QToolButton(this)),
      m_resetAlone(new QToolButton(this)) {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(kGrid / 2, 0, kGrid, kGrid);
  column->setSpacing(kGrid);
  column->addWidget(buildChartCard());
  column->addWidget(buildLegend());
  column->addWidget(buildLoadCard());
  column->addStretch(1);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  auto* area = new PageArea(page, this);
  area->setObjectName(QStringLiteral("vramArea"));
  whole->addWidget(area);
  buildExportMenu();

  connect(&m_state, &ChartState::changed, this, &VramPanel::refreshPlan);
  connect(&m_state, &ChartState::nowChanged, this, &VramPanel::refreshNow);
  connect(&m_load, &LoadState::changed, this, &VramPanel::refreshLoad);
  connect(&m_load, &LoadState::countersChanged, this, &VramPanel::refreshLoad);
  connect(m_chart, &TimelineChart::segmentClicked, this,
          [this](Segment segment) { listRegions(m_state.selected(), segment); });
  connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
    if (index >= 0) m_state.select(static_cast<std::size_t>(index));
  });
  refreshPlan();
  refreshLoad();
}

QWidget* VramPanel::buildChartCard() {
  QFrame* card = makeCard(this);
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(12, 10, 12, 12);
  column->setSpacing(kGrid);
  auto* top = new QHBoxLayout;
  m_tabs->setObjectName(QStringLiteral("deviceTabs"));
  m_tabs->setAccessibleName(tr("Device whose history is shown"));
  m_tabs->setDrawBase(false);
  m_tabs->setExpanding(false);
  m_tabs->setElideMode(Qt::ElideMiddle);
  top->addWidget(m_device, 1);
  m_resetAlone->setObjectName(QStringLiteral("oursAlone"));
  m_resetAlone->setText(tr("Ours alone"));
  m_resetAlone->setToolTip(tr("Chart and bars show only what this program holds, as large as there is room for"));
  m_resetAlone->setCheckable(true);
  connect(m_resetAlone, &QToolButton::toggled, this, [this](bool alone) {
    m_chart->setOursAlone(alone);
    refreshNow();
  });
  top->addWidget(m_resetAlone);
  top->addWidget(m_export);
  column->addLayout(top);
  column->addWidget(m_tabs);

  m_chart = new TimelineChart(m_theme, card);
  m_chart->setMinimumHeight(210);
  m_empty = makeLabel({}, "muted", m_chart);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  auto* over = new QVBoxLayout(m_chart);
  over->setContentsMargins(64, 16, 16, 32);
  over->addWidget(m_empty);
  column->addWidget(m_chart);

  m_barColumn = new QVBoxLayout;
  m_barColumn->setSpacing(kGrid);
  column->addLayout(m_barColumn);
  return card;
}

QWidget* VramPanel::buildLegend() {
  m_legend = new LegendModel(m_theme, this);
  auto* table = new QTableView(this);
  table->setObjectName(QStringLiteral("legend"));
  table->setAccessibleName(tr("Legend: each segment now and as planned"));
  table->setModel(m_legend);
  table->setShowGrid(false);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  table->setTabKeyNavigation(false);
  table->setIconSize(QSize(14, 14));
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(26);
  table->horizontalHeader()->setHighlightSections(false);
  table->horizontalHeader()->setSectionResizeMode(LegendModel::NameColumn, QHeaderView::Stretch);
  table->horizontalHeader()->setTextElideMode(Qt::ElideMiddle);
  for (const int column : {LegendModel::NowColumn, LegendModel::PlanColumn})
    table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::Fixed);
  table->setToolTip(tr("Press Enter or double-click to list what a segment holds"));
  setRole(table, "flat");
  for (const Segment rare : kRareSegments) table->setRowHidden(static_cast<int>(segmentIndex(rare)), true);
  fitHeight(table);
  connect(m_legend, &LegendModel::dataChanged, this, &VramPanel::widenLegend);
  m_legendTable = table;
  QFrame* card = makeCard(this);
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(6, 4, 6, 6);
  column->addWidget(table);
  connect(table, &QTableView::activated, this, [this](const QModelIndex& index) {
    listRegions(m_state.selected(), static_cast<Segment>(index.data(LegendModel::SegmentRole).toInt()));
  });
  return card;
}

QWidget* VramPanel::buildLoadCard() {
  QFrame* card = makeCard(this);
  auto* grid = new QGridLayout(card);
  grid->setContentsMargins(12, 10, 12, 12);
  grid->setHorizontalSpacing(kGrid);
  grid->setVerticalSpacing(2);
  const auto addFigure = [&](int column, const QString& name, const char* objectName) {
    auto* figure = makeLabel(QStringLiteral("\u2013"), "figure", card);
    figure->setObjectName(QLatin1String(objectName));
    figure->setAccessibleName(name);
    grid->addWidget(makeLabel(name, "muted", card), 1, column);
    grid->addWidget(figure, 2, column);
    grid->setColumnStretch(column, 1);
    return figure;
  };
  auto* heading = makeLabel(tr("Reserved by the load"), "heading", card);
  heading->setToolTip(tr("Weights, cache and activations. What drivers, tokenizer and tables take is beside this."));
  grid->addWidget(heading, 0, 0, 1, 3);
  m_predicted = addFigure(0, tr("Predicted"), "predicted");
  m_actual = addFigure(1, tr("Actual"), "actual");
  m_difference = addFigure(2, tr("Difference"), "difference");
  m_taken = makeLabel({}, "muted", card);
  m_taken->setObjectName(QStringLiteral("takenSinceLoad"));
  m_taken->setWordWrap(true);
  m_taken->setToolTip(
      tr("Beside the arenas of the plan: what drivers hold more, and what this program holds more of "
         "ordinary memory, the text and pictures of its window among it"));
  grid->addWidget(new LayoutGuard(m_taken, card), 3, 0, 1, 3);
  grid->setRowMinimumHeight(3, 26);
  return card;
}

void VramPanel::buildExportMenu() {
  m_export->setText(tr("Export"));
  m_export->setToolTip(tr("Save the chart as a picture, or its figures as a table"));
  m_export->setObjectName(QStringLiteral("exportButton"));
  m_export->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_export->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(m_export);
  menu->addAction(tr("&PNG picture\u2026"), this, [this] { chooseExport(QStringLiteral("png")); });
  menu->addAction(tr("&SVG picture\u2026"), this, [this] { chooseExport(QStringLiteral("svg")); });
  menu->addAction(tr("&CSV table\u2026"), this, [this] { chooseExport(QStringLiteral("csv")); });
  menu->addAction(tr("&JSON\u2026"), this, [this] { chooseExport(QStringLiteral("json")); });
  m_export->setMenu(menu);
  const auto paint = [this] { m_export->setIcon(m_theme.icon(QStringLiteral("download"))); };
  connect(&m_theme, &Theme::changed, this, paint);
  paint();
}

void VramPanel::refreshDevices() {
  const std::vector<DeviceInfo>& shown = m_state.shown();
  const QSignalBlocker quiet(m_tabs);
  while (m_tabs->count() > static_cast<int>(shown.size())) m_tabs->removeTab(m_tabs->count() - 1);
  while (m_tabs->count() < static_cast<int>(shown.size())) m_tabs->addTab({});
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const QString name = deviceLabel(shown[i]);
    // Each as short as the others, so that a long name leaves room for a short one.
    const int mostPx = kTabChars * m_tabs->fontMetrics().averageCharWidth();
    const QString shorter = m_tabs->fontMetrics().elidedText(name, Qt::ElideMiddle, mostPx);
    m_tabs->setTabText(static_cast<int>(i), literalText(shorter));
    m_tabs->setTabToolTip(static_cast<int>(i), shortDeviceName(QString::fromStdString(shown[i].name)));
  }
  m_tabs->setCurrentIndex(static_cast<int>(m_state.selected()));
  m_tabs->setVisible(shown.size() > 1);
  while (m_bars.size() > shown.size()) {
    // One of them may be the sender of what led here.
    m_bars.back()->hide();
    m_bars.back()->deleteLater();
    m_bars.pop_back();
  }
  while (m_bars.size() < shown.size()) {
    auto* bars = new DeviceBars(m_theme, this);
    connect(bars, &DeviceBars::segmentClicked, this, [this, index = m_bars.size()](Segment segment) {
      m_state.select(index);
      listRegions(index, segment);
    });
    m_barColumn->addWidget(bars);
    bars->show();  // else it waits for a pass of the event loop
    m_bars.push_back(bars);
  }
}

void VramPanel::refreshPlan() {
  refreshDevices();
  const std::size_t selected = m_state.selected();
  m_device->setText({});
  m_chart->setPlan(m_state.planTop(selected));
  if (selected < m_state.shown().size()) {
    const DeviceInfo& device = m_state.shown()[selected];
    const QString name = shortDeviceName(QString::fromStdString(device.name));
    const bool isHost = device.kind == DeviceKind::kCpu;
    // The name of a processor is long and says little about its memory; the picker has it too.
    m_device->setText(isHost ? tr("Host memory") : name);
    if (isHost) m_device->setToolTip(tr("Memory of this machine, beside its %1").arg(name));
    m_chart->setTotal(device.total_bytes);
    m_empty->setText(device.is_present ? tr("Waiting for the first reading.")
                                       : tr("%1 is not in this machine, so there is nothing to measure.").arg(name));
  }
  refreshNow();
  fitLegend();
}

void VramPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  m_isSeen = true;
  refreshNow();
  fitLegend();
}

// A section that resizes to its contents measures all of them at each change of one. These grow with a figure that
// needs more, and are measured anew with another plan (fitLegend()).
void VramPanel::widenLegend(const QModelIndex& first, const QModelIndex& last) {
  for (int column = std::max<int>(first.column(), LegendModel::NowColumn); column <= last.column(); ++column) {
    for (int row = first.row(); row <= last.row(); ++row) {
      const int needed = m_legendTable->sizeHintForIndex(first.sibling(row, column)).width();
      if (needed > m_legendTable->columnWidth(column)) m_legendTable->setColumnWidth(column, needed);
    }
  }
}

void VramPanel::showRare() {
  for (const Segment rare : kRareSegments) {
    const auto row = static_cast<int>(segmentIndex(rare));
    const bool hides = !m_legend->holds(rare);
    if (m_legendTable->isRowHidden(row) == hides) continue;
    m_legendTable->setRowHidden(row, hides);
    fitHeight(m_legendTable);
  }
}

void VramPanel::fitLegend() {
  for (const int column : {LegendModel::NowColumn, LegendModel::PlanColumn})
    m_legendTable->resizeColumnToContents(column);
}

void VramPanel::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  m_isSeen = false;
}

void VramPanel::refreshNow() {
  if (!m_isSeen) return;
  const std::size_t selected = m_state.selected();
  const bool several = m_bars.size() > 1;
  m_chart->setTimeLine(m_state.timeLine(selected));  // the first reading of a device begins it
  m_empty->setVisible(m_state.timeLine(selected).isEmpty());
  for (std::size_t i = 0; i < m_bars.size(); ++i) {
    const DeviceInfo& device = m_state.shown()[i];
    m_bars[i]->setFigures({several ? deviceLabel(device) : QString(), m_state.now(i), m_state.planned(i),
                           device.total_bytes, m_state.planTop(i), m_state.account(i), m_resetAlone->isChecked()});
  }
  m_legend->setDevice(several ? deviceLabel(m_state.shown()[selected]) : QString());
  m_legend->setNow(m_state.now(selected), m_state.account(selected));
  m_legend->setPlan(m_state.planned(selected));
  showRare();
}

void VramPanel::refreshLoad() {
  const LoadedModel* loaded = m_load.loaded();
  if (loaded == nullptr) {
    for (QLabel* figure : {m_predicted, m_actual, m_difference}) figure->setText(QStringLiteral("\u2013"));
    m_taken->setText(tr("Nothing is loaded."));
    return;
  }
  Bytes planned = 0, mapped = 0;
  for (const ArenaFigures& arena : loaded->arenas) {
    planned += arena.plannedBytes;
    mapped += arena.mappedBytes;
  }
  m_predicted->setText(formatBytes(planned));
  m_predicted->setToolTip(formatExactBytes(planned));
  m_actual->setText(formatBytes(mapped));
  m_actual->setToolTip(formatExactBytes(mapped));
  m_difference->setText(formatDifference(planned, mapped));
  setTone(m_difference, planned == mapped ? Tone::Good : Tone::Bad);
  m_taken->setText(tr("Taken since load: %1").arg(formatGrowth(m_load.grown())));
  setTone(m_taken, m_load.grown().engine_took_something() ? Tone::Bad : Tone::Neutral);
}

void VramPanel::listRegions(std::size_t device, Segment segment) {
  const ChartState::Listed listed = m_state.listed(device);
  const bool isListable = segment == Segment::Weights || segment == Segment::KvUsed || segment == Segment::KvReserved ||
                          segment == Segment::State || segment == Segment::Checkpoints ||
                          segment == Segment::Activations;
  if (!listed.plan || !isListable) return;
  const bool isOnly = listed.plan->budgets.size() == 1;
  (new RegionDialog(listed.plan, segment, isOnly ? std::nullopt : std::optional(listed.device), this))->open();
}

void VramPanel::chooseExport(const QString& ending) {
  openSaveDialog(
      this,
      {tr("Export the chart"), QStringLiteral("headroom-memory.") + ending, ending, QStringLiteral("*.") + ending},
      [this](const QString& path) { emit exportChosen(path); });
}

// Takes what only this thread can read, and leaves the rest to be called on another one.
std::function<QByteArray()> VramPanel::exportedBytes(const QString& ending) {
  if (ending == QLatin1String("svg")) return [svg = m_chart->svg()] { return svg; };
  if (ending == QLatin1String("png")) {
    return [image = m_chart->image(2.0)] {
      QBuffer bytes;
      image.save(&bytes, "PNG");
      return bytes.data();
    };
  }
  const std::size_t selected = m_state.selected();
  const auto seen = m_state.timeLine(selected).frames();
  const std::vector<MemoryFrame> frames(seen.begin(), seen.end());
  if (ending == QLatin1String("csv")) return [frames] { return framesToCsv(frames); };
  if (ending != QLatin1String("json")) return {};
  const std::vector<DeviceInfo>& shown = m_state.shown();
  const QString device = shown.empty() ? QString() : QString::fromStdString(shown[selected].name);
  return [frames, device, plan = m_state.planTop(selected)] { return framesToJson(frames, device, plan); };
}

}  // namespace headroom::ui
