// One model of the library: what its files' names tell, what its header tells, and how it would fit.
#pragma once

#include <QString>
#include <memory>

#include "ui/library/folder_listing.h"
#include "ui/library/model_fit.h"

namespace headroom::ui {

// What reading a header gave: a model, or why there is none.
struct HeaderFacts {
  std::shared_ptr<const ModelInfo> model;
  Message refusal;             // as opening the file would say; empty: it can be opened
  bool isUnsupported = false;  // refused because of what it is, and not because it is damaged
};

struct LibraryEntry {
  enum class State : quint8 {
    Reading,  // its header was not read yet
    Ready,
    Incomplete,  // parts of it are missing
    Arriving,    // somebody writes it
    Refused,     // facts.refusal says why
  };
  ModelFolder folder;
  FoundModel found;
  State state = State::Reading;
  HeaderFacts facts;
  ModelFit fit;            // of Ready
  bool isGrowing = false;  // of Reading: it was Arriving when it was looked at before
  bool isOffline = false;  // its folder is gone for now
  bool isLoaded = false;
  bool canLoad() const { return state == State::Ready && !isOffline; }
  // Whether the file may be moved to the trash by us.
  bool isRemovable() const { return mayTrash(folder.kind) && !isOffline && !isLoaded; }
};

// "Q4_K_M": as the name of the file says, where it does, else the type that most bytes of the weights have.
QString quantizationOf(const LibraryEntry& entry);

// What is right of the name: how it fits, else why that is not known.
QString badgeText(const LibraryEntry& entry);
Tone badgeTone(const LibraryEntry& entry);

// "Q4_K_M · qwen3 · 8.19 B · 4.68 GiB · context 40,960 · Hugging Face": what is known of it.
QString factsText(const LibraryEntry& entry);

// The badge in full: with why a file is refused, or what of it is missing. Ends with a full stop; empty: nothing to
// add.
QString explanation(const LibraryEntry& entry);

// Whether all words of `search` stand in its name, file name, architecture or quantization, in whatever case.
bool matches(const LibraryEntry& entry, const QString& search);

enum class LibraryOrder : quint8 { Name, Size, Newest, Fit };  // largest, newest and best first
bool standsBefore(const LibraryEntry& a, const LibraryEntry& b, LibraryOrder order);

}  // namespace headroom::ui
