// The tables in the file of conversations: what each version of them is, and how a file comes to the newest one.
#pragma once

#include <QSqlDatabase>
#include <QString>

#include "base/result.h"

namespace headroom::app {

constexpr int kSchemaVersion = 6;

// What a file says about itself.
struct FileFacts {
  int schemaVersion = 0;
  QString writer;  // the version of Headroom that wrote it; empty before schema 2
};
// Reads them and leaves every byte of the file and of its log as it is. An error: it is no sound database.
Result<FileFacts> readFileFacts(const QString& path);

// Brings an open database of any older version to the newest, in one transaction, and notes `writer` in it.
Status migrateSchema(const QSqlDatabase& database, const QString& writer);

}  // namespace headroom::app
