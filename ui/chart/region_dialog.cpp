#include "ui/chart/region_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/chart/region_table_model.h"
#include "ui/format/device_name.h"
#include "ui/format/format_bytes.h"
#include "ui/theme/clear_button.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

RegionDialog::RegionDialog(std::shared_ptr<const MemoryPlan> plan, Segment segment, std::optional<DeviceIndex> device,
                           QWidget* parent)
    : QDialog(parent) {
  setAttribute(Qt::WA_DeleteOnClose);
  //: A segment and its device: "Weights on RTX 4090"
  setWindowTitle(device ? tr("%1 on %2").arg(segmentName(segment), deviceLabel(plan->devices[*device]))
                        : segmentName(segment));
  auto* model = new RegionTableModel(std::move(plan), segment, device, this);
  auto* sorted = new QSortFilterProxyModel(this);
  sorted->setSourceModel(model);
  sorted->setSortRole(RegionTableModel::SortRole);
  sorted->setFilterCaseSensitivity(Qt::CaseInsensitive);

  auto* heading =
      new QLabel(tr("%1 in %2 regions. %3", nullptr, model->rowCount())
                     .arg(formatBytes(model->totalBytes()), formatCount(static_cast<quint64>(model->rowCount())),
                          segmentExplanation(segment)),
                 this);
  heading->setWordWrap(true);
  auto* filter = new QLineEdit(this);
  filter->setPlaceholderText(tr("Filter by name"));
  filter->setAccessibleName(tr("Filter by name"));
  addClearButton(filter);
  auto* table = new QTableView(this);
  table->setObjectName(QStringLiteral("regionTable"));
  table->setAccessibleName(tr("Regions of this segment"));
  table->setModel(sorted);
  table->setProperty("sorts", true);
  table->setSortingEnabled(true);
  table->sortByColumn(RegionTableModel::BytesColumn, Qt::DescendingOrder);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setAlternatingRowColors(true);
  table->setShowGrid(false);
  table->setTabKeyNavigation(false);  // Tab leaves it; arrows move in it
  table->verticalHeader()->hide();
  table->horizontalHeader()->setSectionResizeMode(RegionTableModel::NameColumn, QHeaderView::Stretch);
  // One device: its name in every row would say nothing.
  table->setColumnHidden(RegionTableModel::DeviceColumn, device.has_value());
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);

  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
  page->setSpacing(kGrid);
  page->addWidget(heading);
  page->addWidget(filter);
  page->addWidget(table, 1);
  page->addWidget(buttons);
  connect(filter, &QLineEdit::textChanged, sorted, &QSortFilterProxyModel::setFilterFixedString);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  resize(680, 520);
}

}  // namespace headroom::ui
