#include "bpo/agent/bpo_runtime.h"

#include <algorithm>
#include <cstdio>
#include <exception>
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

/// 0, or what `call` returns; -1 with a text if it throws.
template <class Call>
int guarded(ErrorText& error, Call call) noexcept {
  try {
    return call();
  } catch (const std::exception& e) {
    error.set(e.what());
  } catch (...) {
    error.set("unknown error");
  }
  return -1;
}

bpo_agent* load(const char* path, bool greedy) noexcept {
  bpo_agent* out = nullptr;
  guarded(load_error, [&] {
    if (path == nullptr) throw bpo::bad_input("bpo_load: the path is NULL");
    out = new bpo_agent{bpo::Agent::load(path, greedy), {}};
    // Whatever is allocated at first use is allocated now.
    const std::vector<double> o(static_cast<std::size_t>(out->agent.observation_size()));
    std::vector<double> a(static_cast<std::size_t>(out->agent.action_size()));
    guarded(out->error, [&] {
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

const char* name_at(const std::vector<std::string>& names, int i) {
  return i >= 0 && i < static_cast<int>(names.size()) ? names[static_cast<std::size_t>(i)].c_str()
                                                      : nullptr;
}

std::span<const double> numbers(const double* from, int count, const char* what) {
  if (from == nullptr) throw bpo::bad_input(std::string(what) + " is NULL");
  return {from, static_cast<std::size_t>(count)};
}

int copy(const bpo_agent* agent, std::span<const float> from, float* out) {
  return guarded(agent->error, [&] {
    if (out == nullptr) throw bpo::bad_input("the array to write to is NULL");
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

int bpo_observation_size(const bpo_agent* agent) { return agent->agent.observation_size(); }
int bpo_action_size(const bpo_agent* agent) { return agent->agent.action_size(); }
int bpo_belief_size(const bpo_agent* agent) {
  return static_cast<int>(agent->agent.belief().size());
}
int bpo_estimate_size(const bpo_agent* agent) {
  return static_cast<int>(agent->agent.estimate().size());
}

const char* bpo_problem_name(const bpo_agent* agent) {
  return agent->agent.names().problem.c_str();
}
const char* bpo_observation_name(const bpo_agent* agent, int i) {
  return name_at(agent->agent.names().observation, i);
}
const char* bpo_observation_value_name(const bpo_agent* agent, int i) {
  return name_at(agent->agent.names().observation_values, i);
}
const char* bpo_action_name(const bpo_agent* agent, int i) {
  return name_at(agent->agent.names().action, i);
}
const char* bpo_action_value_name(const bpo_agent* agent, int i) {
  return name_at(agent->agent.names().action_values, i);
}
const char* bpo_latent_name(const bpo_agent* agent, int i) {
  return name_at(agent->agent.names().latent, i);
}
double bpo_action_low(const bpo_agent* agent) { return agent->agent.action_low(); }
double bpo_action_high(const bpo_agent* agent) { return agent->agent.action_high(); }

int bpo_reset(bpo_agent* agent, uint64_t seed, uint64_t episode) {
  return guarded(agent->error, [&] {
    agent->agent.reset(seed, episode);
    return 0;
  });
}

int bpo_act(bpo_agent* agent, const double* observation, double* action) {
  return guarded(agent->error, [&] {
    const auto o = numbers(observation, agent->agent.observation_size(), "bpo_act: observation");
    numbers(action, 1, "bpo_act: action");
    const auto chosen = agent->agent.act(o);
    std::copy(chosen.begin(), chosen.end(), action);
    return 0;
  });
}

int bpo_observe(bpo_agent* agent, const double* executed, const double* next) {
  return guarded(agent->error, [&] {
    const auto a = numbers(executed, agent->agent.action_size(), "bpo_observe: executed");
    const auto o = numbers(next, agent->agent.observation_size(), "bpo_observe: next");
    return agent->agent.observe(a, o) ? 0 : 1;
  });
}

int bpo_belief(const bpo_agent* agent, float* out) {
  return copy(agent, agent->agent.belief(), out);
}
int bpo_estimate(const bpo_agent* agent, float* out) {
  return copy(agent, agent->agent.estimate(), out);
}
double bpo_entropy(const bpo_agent* agent) { return agent->agent.entropy(); }

int bpo_max_models(bpo_agent* agent, int most) {
  return guarded(agent->error, [&] {
    agent->agent.limit_models(most);
    return 0;
  });
}
