#include "ui/calculator/memory_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/calculator/advice_view.h"
#include "ui/calculator/arena_table_model.h"
#include "ui/calculator/drop_area.h"
#include "ui/calculator/formula_view.h"
#include "ui/calculator/model_card.h"
#include "ui/calculator/options_form.h"
#include "ui/calculator/segment_table_model.h"
#include "ui/calculator/verdict_view.h"
#include "ui/format/format_bytes.h"
#include "ui/theme/page_area.h"
#include "ui/theme/roles.h"

namespace headroom::ui {
namespace {

constexpr int kDevicePx = 84;

QTableView* makeTable(QAbstractItemModel* model, const QString& name, const char* objectName, QWidget* parent) {
  auto* table = new QTableView(parent);
  table->setObjectName(QLatin1String(objectName));
  table->setAccessibleName(name);
  table->setModel(model);
  table->setShowGrid(false);
  table->setAlternatingRowColors(true);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setTabKeyNavigation(false);
  table->setWordWrap(false);
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(26);
  table->horizontalHeader()->setHighlightSections(false);
  setRole(table, "flat");
  return table;
}

}  // namespace

MemoryPanel::MemoryPanel(const Theme& theme, CalculatorState& calculator, LoadState& load, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_calculator(calculator),
      m_load(load),
      m_drop(new DropArea(theme, this)),
      m_card(new ModelCard(this)),
      m_verdict(new VerdictView(theme, calculator, load, this)),
      m_options(new OptionsForm(theme, calculator, this)),
      m_advice(new AdviceView(theme, calculator, this)) {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(kGrid, 0, kGrid / 2, kGrid);
  column->setSpacing(kGrid);
  column->addWidget(m_drop);
  column->addWidget(m_card);
  column->addWidget(m_verdict);
  column->addWidget(m_options);
  column->addWidget(m_advice);
  column->addWidget(buildTables());
  column->addStretch(1);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  auto* area = new PageArea(page, this);
  area->setObjectName(QStringLiteral("memoryArea"));
  whole->addWidget(area);

  connect(m_drop, &DropArea::clicked, this, &MemoryPanel::openRequested);
  connect(m_verdict, &VerdictView::loadRequested, this, &MemoryPanel::loadRequested);
  connect(&m_calculator, &CalculatorState::planned, this, &MemoryPanel::refreshTables);
  connect(&m_load, &LoadState::changed, this, &MemoryPanel::refreshLoaded);
  connect(&m_load, &LoadState::countersChanged, this, &MemoryPanel::refreshLoaded);
  showModel({}, false);
  refreshLoaded();
}

QWidget* MemoryPanel::buildTables() {
  m_segments = new SegmentTableModel(this);
  auto* sorted = new QSortFilterProxyModel(this);
  sorted->setSourceModel(m_segments);
  sorted->setSortRole(SegmentTableModel::SortRole);
  auto* table = makeTable(sorted, tr("Every segment of the plan"), "segmentTable", this);
  table->setProperty("sorts", true);
  table->setSortingEnabled(true);
  table->sortByColumn(SegmentTableModel::BytesColumn, Qt::DescendingOrder);
  for (const int column : {SegmentTableModel::NameColumn, SegmentTableModel::BytesColumn}) {
    table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  }
  table->horizontalHeader()->setSectionResizeMode(SegmentTableModel::HoldsColumn, QHeaderView::Stretch);

  m_tables = new QTabWidget(this);
  m_tables->setObjectName(QStringLiteral("planTabs"));
  m_tables->setDocumentMode(true);
  m_tables->addTab(table, tr("Segments"));
  m_tables->addTab(new FormulaView(m_theme, m_calculator, m_tables), tr("Formulas"));
  m_tables->addTab(buildLoadedPage(), tr("Planned and mapped"));
  auto* card = new QFrame(this);
  setRole(card, "card");
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(4, 4, 4, 4);
  column->addWidget(m_tables);
  card->setMinimumHeight(300);
  return card;
}

QWidget* MemoryPanel::buildLoadedPage() {
  m_arenas = new ArenaTableModel(this);
  auto* page = new QWidget(this);
  auto* table = makeTable(m_arenas, tr("Planned and mapped bytes of each arena"), "arenaTable", page);
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table->horizontalHeader()->setSectionResizeMode(ArenaTableModel::ArenaColumn, QHeaderView::Stretch);
  m_loadedText = new QLabel(page);
  m_loadedText->setWordWrap(true);
  m_loadedText->setContentsMargins(8, 4, 8, 4);
  m_loadedText->setObjectName(QStringLiteral("loadedText"));
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(table, 1);
  column->addWidget(m_loadedText);
  return page;
}

void MemoryPanel::showModel(const QString& path, bool isStarter) {
  const auto& model = m_calculator.model();
  m_drop->setProminent(model == nullptr);
  for (QWidget* widget :
       std::initializer_list<QWidget*>{m_card, m_verdict, m_options, m_advice, m_tables->parentWidget()})
    widget->setVisible(model != nullptr);
  m_verdict->setModelPath(path);
  if (model) m_card->setModel(*model, path, isStarter);
}

void MemoryPanel::setDropActive(bool active) { m_drop->setActive(active); }

void MemoryPanel::focusLoadButton() { m_verdict->findChild<QPushButton*>(QStringLiteral("loadButton"))->setFocus(); }

void MemoryPanel::refreshTables() {
  m_segments->setPlan(m_calculator.plan());
  const auto& plan = m_calculator.plan();
  auto* table = m_tables->findChild<QTableView*>(QStringLiteral("segmentTable"));
  // One device: its name in every row would say nothing. Of two, a long name does not push the bytes out of sight.
  table->setColumnHidden(SegmentTableModel::DeviceColumn, !plan || plan->budgets.size() < 2);
  table->resizeColumnToContents(SegmentTableModel::DeviceColumn);
  table->setColumnWidth(SegmentTableModel::DeviceColumn,
                        std::min(table->columnWidth(SegmentTableModel::DeviceColumn), kDevicePx));
}

void MemoryPanel::refreshLoaded() {
  const LoadedModel* loaded = m_load.loaded();
  m_arenas->setArenas(loaded ? loaded->arenas : std::vector<ArenaFigures>());
  if (loaded == nullptr) {
    m_loadedText->setText(tr("Nothing is loaded yet: planned and mapped bytes stand here side by side after a load."));
    return;
  }
  m_loadedText->setText(tr("Beside these arenas, tokenizer and tables hold %1 of ordinary memory (measured). "
                           "Taken since load: %2")
                            .arg(formatBytes(loaded->model->heap_bytes), formatGrowth(m_load.grown())));
  m_loadedText->setAccessibleName(m_loadedText->text());
}

}  // namespace headroom::ui
