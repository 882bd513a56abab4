// The rows of the library, in no order of their own; and the rows that a search leaves, in the user's order.
#pragma once

#include <QAbstractListModel>
#include <QHash>
#include <QSortFilterProxyModel>
#include <QVector>

#include "ui/library/library_entry.h"

namespace headroom::ui {

class LibraryModel : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role {
    PathRole = Qt::UserRole,
    BadgeRole,  // badgeText(), and its Tone as a number
    ToneRole,
    FactsRole,  // the second line
    OfflineRole,
    LoadedRole,
    CanLoadRole,
    RemovableRole,
  };
  using QAbstractListModel::QAbstractListModel;

  // Rows that stay keep their place, and so what is selected; a path stands there once.
  void setEntries(const QVector<LibraryEntry>& entries);
  // Nothing where no row has this path.
  void setFacts(const QString& path, LibraryEntry::State state, const HeaderFacts& facts);
  void setFit(const QString& path, const ModelFit& fit);
  void setLoadedPath(const QString& path, const QString& canonical = {});

  const QVector<LibraryEntry>& entries() const { return m_entries; }
  const LibraryEntry& entry(int row) const { return m_entries[row]; }
  int rowOf(const QString& path) const { return m_rows.value(path, -1); }  // -1: none

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  bool isLoadedNow(const LibraryEntry& entry) const;
  void tellChanged(int row);
  void findRows();

  QVector<LibraryEntry> m_entries;
  QHash<QString, int> m_rows;  // by path
  QString m_loadedPath, m_loadedCanonical;
};

class LibraryFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit LibraryFilter(LibraryModel& model, QObject* parent = nullptr);

  void setSearch(const QString& search);
  void setOrder(LibraryOrder order);
  const LibraryEntry& entry(const QModelIndex& index) const;  // of a valid index of this model

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& a, const QModelIndex& b) const override;

 private:
  LibraryModel& m_model;
  QString m_search;
  LibraryOrder m_order = LibraryOrder::Name;
};

}  // namespace headroom::ui
