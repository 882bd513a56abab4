// Files of conversations that tests make and look into without the code under test.
#pragma once

#include <gtest/gtest.h>

#include <QFile>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QUuid>
#include <QVariant>

namespace headroom::test {

// A second look at a database file, by SQL.
class RawDatabase {
 public:
  explicit RawDatabase(const QString& path) : m_name(QUuid::createUuid().toString()) {
    QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", m_name);
    database.setDatabaseName(path);
    EXPECT_TRUE(database.open()) << database.lastError().text().toStdString();
  }
  ~RawDatabase() {
    QSqlDatabase::database(m_name).close();
    QSqlDatabase::removeDatabase(m_name);
  }
  RawDatabase(const RawDatabase&) = delete;
  RawDatabase& operator=(const RawDatabase&) = delete;

  void run(const QString& sql) {
    QSqlQuery query(QSqlDatabase::database(m_name));
    EXPECT_TRUE(query.exec(sql)) << sql.toStdString() << ": " << query.lastError().text().toStdString();
  }
  // All values, row by row, with "|" between the columns.
  QStringList rows(const QString& sql) {
    QSqlQuery query(QSqlDatabase::database(m_name));
    EXPECT_TRUE(query.exec(sql)) << sql.toStdString() << ": " << query.lastError().text().toStdString();
    QStringList found;
    while (query.next()) {
      QStringList values;
      for (int i = 0; query.value(i).isValid(); ++i) values.append(query.value(i).toString());
      found.append(values.join('|'));
    }
    return found;
  }

 private:
  QString m_name;
};

inline QByteArray bytesOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Runs the statements of conversations_v1.sql: a file of schema version 1.
inline void makeVersion1(const QString& path) {
  RawDatabase database(path);
  const QString sql = QString::fromUtf8(bytesOf(HEADROOM_SOURCE_DIR "/tests/app/conversations_v1.sql"));
  ASSERT_FALSE(sql.isEmpty());
  for (const QString& statement : sql.split(";\n", Qt::SkipEmptyParts)) database.run(statement);
}

}  // namespace headroom::test
