// How fast the CPU is takes a program's first start seconds to measure, and a start with a folder of its own is a first
// one. Tests of the window measure it once and hand it on: in HEADROOM_DATA_DIR, the build's.
#pragma once

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include "app/device_speed_store.h"

namespace headroom::app {

// Copies what one data folder's file of speeds says of the CPU into the other, where no such file is. What is said of
// cards stays: each test has its own.
inline void handOnMeasuredCpu(const QString& from, const QString& to) {
  const QString name = QString::fromLatin1(kDeviceSpeedFile);
  QFile source(QDir(from).filePath(name));
  if (from.isEmpty() || to.isEmpty() || QFile::exists(QDir(to).filePath(name)) || !source.open(QIODevice::ReadOnly))
    return;
  QJsonObject all = QJsonDocument::fromJson(source.readAll()).object();
  QJsonObject devices = all["devices"].toObject();
  for (const QString& key : devices.keys()) {
    if (!key.startsWith("cpu|")) devices.remove(key);
  }
  if (devices.isEmpty() || !QDir().mkpath(to)) return;
  all["devices"] = devices;
  QSaveFile target(QDir(to).filePath(name));  // other tests write it at the same time
  if (!target.open(QIODevice::WriteOnly)) return;
  target.write(QJsonDocument(all).toJson());
  target.commit();
}

}  // namespace headroom::app
