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

// Adds what one data folder's file of speeds says of the CPU, with any number of threads, to the other's that says
// nothing of it. What is said of cards stays: each test has its own.
inline void handOnMeasuredCpu(const QString& from, const QString& to) {
  if (from.isEmpty() || to.isEmpty() || !QDir().mkpath(to)) return;
  const auto read = [](const QString& folder) {
    QFile file(QDir(folder).filePath(QString::fromLatin1(kDeviceSpeedFile)));
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
  };
  const QJsonObject source = read(from), known = read(to);
  const QJsonObject found = source["devices"].toObject();
  QJsonObject devices = known["devices"].toObject();
  for (const QString& key : found.keys()) {
    if (key.startsWith("cpu|") && !devices.contains(key)) devices.insert(key, found[key]);
  }
  QJsonObject all = known.isEmpty() ? source : known;
  all["devices"] = devices;
  if (devices.isEmpty() || all == known) return;
  QSaveFile target(QDir(to).filePath(QString::fromLatin1(kDeviceSpeedFile)));  // other tests write it at the same time
  if (!target.open(QIODevice::WriteOnly)) return;
  target.write(QJsonDocument(all).toJson());
  target.commit();
}

}  // namespace headroom::app
