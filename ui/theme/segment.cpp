#include "ui/theme/segment.h"

#include <QCoreApplication>

namespace headroom::ui {
namespace {

struct SegmentRow {
  Segment segment;
  const char* key;
  const char* name;
  const char* explanation;
};
constexpr const char* kContext = "Segment";
constexpr std::array kRows{
    SegmentRow{Segment::Weights, "weights", QT_TRANSLATE_NOOP("Segment", "Weights"),
               QT_TRANSLATE_NOOP("Segment", "The model's own numbers, read from the file once.")},
    SegmentRow{Segment::KvUsed, "kv_used", QT_TRANSLATE_NOOP("Segment", "KV cache, used"),
               QT_TRANSLATE_NOOP("Segment", "Keys and values of the tokens in the context now.")},
    SegmentRow{Segment::KvReserved, "kv_reserved", QT_TRANSLATE_NOOP("Segment", "KV cache, reserved"),
               QT_TRANSLATE_NOOP("Segment",
                                 "Kept for tokens that are still to come; taken at load, so it cannot run out later.")},
    SegmentRow{Segment::State, "state", QT_TRANSLATE_NOOP("Segment", "State"),
               QT_TRANSLATE_NOOP("Segment",
                                 "What recurrent layers keep of a conversation: as much for a long one as for a short "
                                 "one.")},
    SegmentRow{Segment::Checkpoints, "checkpoints", QT_TRANSLATE_NOOP("Segment", "Checkpoints"),
               QT_TRANSLATE_NOOP("Segment",
                                 "Copies of what cannot go back, from earlier in the conversation: an answer that is "
                                 "generated again and a message that is changed go on from there.")},
    SegmentRow{
        Segment::Activations, "activations", QT_TRANSLATE_NOOP("Segment", "Activations"),
        QT_TRANSLATE_NOOP("Segment", "Intermediate results of one step: activations, logits, scratch and staging.")},
    SegmentRow{Segment::Program, "program", QT_TRANSLATE_NOOP("Segment", "This program"),
               QT_TRANSLATE_NOOP("Segment",
                                 "What Headroom itself holds in the computer's ordinary memory beside all this: the "
                                 "window, and the model's tokenizer, chat template and tables.")},
    SegmentRow{Segment::Driver, "driver", QT_TRANSLATE_NOOP("Segment", "Driver"),
               QT_TRANSLATE_NOOP("Segment", "What the device's driver takes for itself when we use the device.")},
    SegmentRow{Segment::Others, "others", QT_TRANSLATE_NOOP("Segment", "Other programs"),
               QT_TRANSLATE_NOOP("Segment", "Held by other programs and the system.")},
    SegmentRow{Segment::Headroom, "headroom", QT_TRANSLATE_NOOP("Segment", "Headroom"),
               QT_TRANSLATE_NOOP("Segment", "What you asked to keep free.")},
    SegmentRow{Segment::Free, "free", QT_TRANSLATE_NOOP("Segment", "Free"),
               QT_TRANSLATE_NOOP("Segment", "Free, and allowed to be used.")},
};

const SegmentRow& rowOf(Segment segment) { return kRows[segmentIndex(segment)]; }

}  // namespace

QString segmentName(Segment segment) { return QCoreApplication::translate(kContext, rowOf(segment).name); }
QString segmentExplanation(Segment segment) {
  return QCoreApplication::translate(kContext, rowOf(segment).explanation);
}
const char* segmentKey(Segment segment) { return rowOf(segment).key; }

}  // namespace headroom::ui
