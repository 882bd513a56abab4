// A scheduler over the fake machine, and all that it told.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "run/scheduler.h"
#include "support/fake_backend.h"

namespace headroom::test {

using fake::Machine;
using fake::Setup;

struct Bench {
  explicit Bench(const Setup& setup) {
    Result<std::unique_ptr<Session>> opened = Session::open(fake::make_loaded(setup, machine), fake::make_plan(setup));
    CHECK(opened.ok(), "the fake session opens");
    session = std::move(*opened);
    scheduler = std::make_unique<Scheduler>(*session, sink);
  }

  RequestId ask(const std::string& prompt, ConversationId conversation = 0, std::uint32_t max_tokens = 0) {
    GenerateRequest request;
    request.prompt.raw_text = prompt;
    request.conversation = conversation;
    request.max_tokens = max_tokens;
    request.sampler.temperature = 0.0F;
    return ask(std::move(request));
  }
  RequestId ask(GenerateRequest request) {
    const PromptText prompt = request.prompt;
    const RequestId id = ask_unread(std::move(request));
    read(id, prompt);
    return id;
  }
  RequestId ask_unread(GenerateRequest request) {
    sources.emplace(++last_id, StopSource());
    scheduler->add(last_id, std::move(request), sources.at(last_id).token());
    return last_id;
  }
  void read(RequestId id, const PromptText& prompt) {
    scheduler->prompt_read(id, read_prompt(session->model().text(), prompt, session->plan().options));
  }
  void run() {
    while (!scheduler->is_idle()) scheduler->advance();
  }
  std::string text(RequestId id) const {
    std::string text;
    for (const Event& event : events) {
      if (const auto* delta = std::get_if<TextDelta>(&event.body); delta != nullptr && event.request == id)
        text += delta->text;
    }
    return text;
  }
  template <class Body>
  const Body* find(RequestId id) const {
    for (const Event& event : events) {
      if (event.request == id && std::holds_alternative<Body>(event.body)) return &std::get<Body>(event.body);
    }
    return nullptr;
  }

  Machine machine;
  std::vector<Event> events;
  Scheduler::EventSink sink = [this](Event event) { events.push_back(std::move(event)); };
  std::unique_ptr<Session> session;
  std::unique_ptr<Scheduler> scheduler;
  std::map<RequestId, StopSource> sources;
  RequestId last_id = 0;
};

inline std::string letters(std::size_t n, char letter = 'x') { return std::string(n, letter); }

}  // namespace headroom::test
