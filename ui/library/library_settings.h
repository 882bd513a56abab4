// Where models are looked for and where they are fetched from; plain values with defaults, kept by app/settings_store.
#pragma once

#include <QString>
#include <QStringList>

namespace headroom::ui {

struct LibrarySettings {
  QStringList folders;  // the user's own, absolute, each once
  // What other programs have fetched, where it is found: the caches of Hugging Face, LM Studio and Ollama.
  bool huggingFace = true, lmStudio = true, ollama = true;
  QString downloadFolder;                // empty: "models" beside the conversations; always looked into
  QString hubAddress;                    // of a mirror; empty: https://huggingface.co
  QStringList earlierDownloadFolders{};  // newest first: what was not finished there is found too
  bool operator==(const LibrarySettings&) const = default;
};

}  // namespace headroom::ui
