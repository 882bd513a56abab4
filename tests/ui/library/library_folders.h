// Folders of models for tests: real files with small headers, as other programs lay them out.
#pragma once

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <filesystem>
#include <fstream>
#include <map>

#include "file/model_file.h"
#include "model/model_info.h"
#include "support/random_model.h"
#include "support/temp_folder.h"
#include "ui/library/model_folders.h"

namespace headroom::test {

class LibraryFolders {
 public:
  std::filesystem::path path(const char* below = "") const { return m_folder.path() / below; }
  QString text(const char* below = "") const { return QString::fromStdString(path(below).string()); }

  // A small model that opens; makes the folders above it.
  std::filesystem::path addModel(const std::filesystem::path& below) {
    const std::filesystem::path path = m_folder.path() / below;
    std::filesystem::create_directories(path.parent_path());
    if (!std::filesystem::exists(m_sample)) {
      RandomModelSpec spec;
      spec.has_holes = true;
      spec.has_tokenizer = false;
      std::filesystem::create_directories(m_sample.parent_path());
      make_random_model(spec, m_sample.parent_path(), m_sample.stem().string());
    }
    std::filesystem::copy_file(m_sample, path, std::filesystem::copy_options::overwrite_existing);
    return path;
  }
  std::filesystem::path addText(const std::filesystem::path& below, const std::string& text = "hello") {
    write_file(m_folder.path() / below, text);
    return m_folder.path() / below;
  }
  void link(const std::filesystem::path& below, const std::filesystem::path& target) {
    std::filesystem::create_directories((m_folder.path() / below).parent_path());
    std::filesystem::create_symlink(target, m_folder.path() / below);
  }
  // Nobody wrote to it for an hour.
  static void settle(const std::filesystem::path& path) {
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  }
  // Of this folder alone, so that nothing of the machine is found.
  ui::LibraryPlaces places() const {
    return {text("home"), text("data"), [this](const char* name) {
              const auto at = environment.find(name);
              return at == environment.end() ? QString() : at->second;
            }};
  }

  std::map<std::string, QString> environment;

 private:
  TempFolder m_folder;
  std::filesystem::path m_sample = m_folder.path() / "sample/model.gguf";
};

// Without the engine.
inline Result<ModelInfo> readHeader(const QString& path) {
  const Result<ModelFile> file = open_model_file(path.toStdString());
  if (!file) return file.error();
  return read_model_info(*file);
}

}  // namespace headroom::test
