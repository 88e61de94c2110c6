#include "bpo/agent/bpo_runtime.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <limits>
#include <vector>

#include "bpo/agent/agent.h"
#include "bpo/core/error.h"

/// An agent and a text of fixed size, so that telling of an error allocates nothing.
struct bpo_agent {
  struct ErrorText {
    char text[512] = "";
    void set(const char* what) { std::snprintf(text, sizeof text, "%s", what); }
  };
  bpo::Agent agent;
  mutable ErrorText error;
};

namespace {

using ErrorText = bpo_agent::ErrorText;

thread_local ErrorText load_error;

/// What `call` returns; if it throws, `failed` and a text.
template <class T, class Call>
T guarded(ErrorText& error, T failed, Call call) noexcept {
  try {
    return call();
  } catch (const std::exception& e) {
    error.set(e.what());
  } catch (...) {
    error.set("unknown error");
  }
  return failed;
}

/// The same of an agent, which a caller may have failed to load.
template <class Held, class T, class Call>
T guarded(Held* held, T failed, Call call) noexcept {
  if (held != nullptr) return guarded(held->error, failed, [&] { return call(held->agent); });
  load_error.set("the agent is NULL: bpo_load failed, or was not called");
  return failed;
}

bpo_agent* load(const char* path, bool greedy) noexcept {
  bpo_agent* out = nullptr;
  guarded(load_error, -1, [&] {
    if (path == nullptr) throw bpo::bad_input("bpo_load: the path is NULL");
    out = new bpo_agent{bpo::Agent::load(path, greedy), {}};
    // Whatever is allocated at first use is allocated now.
    const std::vector<double> o(static_cast<std::size_t>(out->agent.observation_size()));
    std::vector<double> a(static_cast<std::size_t>(out->agent.action_size()));
    guarded(out->error, -1, [&] {
      const auto chosen = out->agent.act(o);
      std::copy(chosen.begin(), chosen.end(), a.begin());
      out->agent.observe(a, o);
      return 0;
    });
    out->error.set("");
    out->agent.reset(0);
    return 0;
  });
  return out;
}

using Names = std::vector<std::string> bpo::AgentNames::*;
const char* name_at(const bpo_agent* agent, Names which, int i) {
  return guarded(agent, static_cast<const char*>(nullptr), [&](const bpo::Agent& a) {
    const std::vector<std::string>& names = a.names().*which;
    return i >= 0 && i < static_cast<int>(names.size()) ? names[static_cast<std::size_t>(i)].c_str()
                                                        : nullptr;
  });
}

template <class Call>
int count(const bpo_agent* agent, Call call) {
  return guarded(agent, -1, [&](const bpo::Agent& a) { return static_cast<int>(call(a)); });
}
template <class Call>
double number(const bpo_agent* agent, Call call) {
  return guarded(agent, std::numeric_limits<double>::quiet_NaN(), call);
}

std::span<const double> numbers(const double* from, int count, const char* what) {
  if (from == nullptr) throw bpo::bad_input(std::string(what) + " is NULL");
  return {from, static_cast<std::size_t>(count)};
}

template <class Call>
int copy(const bpo_agent* agent, float* out, Call call) {
  return guarded(agent, -1, [&](const bpo::Agent& a) {
    if (out == nullptr) throw bpo::bad_input("the array to write to is NULL");
    const std::span<const float> from = call(a);
    std::copy(from.begin(), from.end(), out);
    return 0;
  });
}

}  // namespace

int bpo_runtime_version() { return BPO_RUNTIME_VERSION; }
bpo_agent* bpo_load(const char* path) { return load(path, false); }
bpo_agent* bpo_load_greedy(const char* path) { return load(path, true); }
void bpo_free(bpo_agent* agent) { delete agent; }
const char* bpo_error(const bpo_agent* agent) {
  return agent != nullptr ? agent->error.text : load_error.text;
}

int bpo_observation_size(const bpo_agent* agent) {
  return count(agent, [](const bpo::Agent& a) { return a.observation_size(); });
}
int bpo_action_size(const bpo_agent* agent) {
  return count(agent, [](const bpo::Agent& a) { return a.action_size(); });
}
int bpo_belief_size(const bpo_agent* agent) {
  return count(agent, [](const bpo::Agent& a) { return a.belief().size(); });
}
int bpo_estimate_size(const bpo_agent* agent) {
  return count(agent, [](const bpo::Agent& a) { return a.estimate().size(); });
}

const char* bpo_problem_name(const bpo_agent* agent) {
  return guarded(agent, static_cast<const char*>(nullptr),
                 [](const bpo::Agent& a) { return a.names().problem.c_str(); });
}
const char* bpo_observation_name(const bpo_agent* agent, int i) {
  return name_at(agent, &bpo::AgentNames::observation, i);
}
const char* bpo_observation_value_name(const bpo_agent* agent, int i) {
  return name_at(agent, &bpo::AgentNames::observation_values, i);
}
const char* bpo_action_name(const bpo_agent* agent, int i) {
  return name_at(agent, &bpo::AgentNames::action, i);
}
const char* bpo_action_value_name(const bpo_agent* agent, int i) {
  return name_at(agent, &bpo::AgentNames::action_values, i);
}
const char* bpo_latent_name(const bpo_agent* agent, int i) {
  return name_at(agent, &bpo::AgentNames::latent, i);
}
double bpo_action_low(const bpo_agent* agent) {
  return number(agent, [](const bpo::Agent& a) { return a.action_low(); });
}
double bpo_action_high(const bpo_agent* agent) {
  return number(agent, [](const bpo::Agent& a) { return a.action_high(); });
}

int bpo_reset(bpo_agent* agent, uint64_t seed, uint64_t episode) {
  return guarded(agent, -1, [&](bpo::Agent& a) {
    a.reset(seed, episode);
    return 0;
  });
}

int bpo_act(bpo_agent* agent, const double* observation, double* action) {
  return guarded(agent, -1, [&](bpo::Agent& a) {
    const auto o = numbers(observation, a.observation_size(), "bpo_act: observation");
    numbers(action, 1, "bpo_act: action");
    const auto chosen = a.act(o);
    std::copy(chosen.begin(), chosen.end(), action);
    return 0;
  });
}

int bpo_observe(bpo_agent* agent, const double* executed, const double* next) {
  return guarded(agent, -1, [&](bpo::Agent& a) {
    const auto done = numbers(executed, a.action_size(), "bpo_observe: executed");
    const auto seen = numbers(next, a.observation_size(), "bpo_observe: next");
    return a.observe(done, seen) ? 0 : 1;
  });
}

int bpo_belief(const bpo_agent* agent, float* out) {
  return copy(agent, out, [](const bpo::Agent& a) { return a.belief(); });
}
int bpo_estimate(const bpo_agent* agent, float* out) {
  return copy(agent, out, [](const bpo::Agent& a) { return a.estimate(); });
}
double bpo_entropy(const bpo_agent* agent) {
  return number(agent, [](const bpo::Agent& a) { return a.entropy(); });
}

int bpo_max_models(bpo_agent* agent, int most) {
  return guarded(agent, -1, [&](bpo::Agent& a) {
    a.limit_models(most);
    return 0;
  });
}
