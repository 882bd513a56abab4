// Which of the engine's words about its model is the newest.
#pragma once

#include <QtGlobal>

namespace headroom::ui {

// The engine ends requests in their order, so what an older request or a repeated event says of the model is out of
// date. A load may tell that the old model is gone before it tells that its own is there; nothing follows that.
class StaleModelFilter {
 public:
  bool isLoadedNews(quint64 request) const { return request > m_filledBy && request >= m_emptiedBy; }
  bool isUnloadedNews(quint64 request) const { return request > m_filledBy && request > m_emptiedBy; }
  void loaded(quint64 request) { m_filledBy = request; }
  void unloaded(quint64 request) { m_emptiedBy = request; }

 private:
  quint64 m_filledBy = 0, m_emptiedBy = 0;  // the requests that told so last
};

}  // namespace headroom::ui
