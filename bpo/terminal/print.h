// The one way to print. Nothing here throws: a log that is full or closed never ends a training,
// and what could not be written to standard output becomes the exit status at the end of main.
// Whatever is printed is shown as text, so no name or value can steer the terminal.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace bpo::terminal {

/// Before anything is opened: a standard stream that is closed must not become some other file,
/// and a write that fails must fail rather than kill the process.
void prepare_streams();

/// Writes to standard output; what `json_text` made is safe already.
void print(std::string_view text);
/// Writes progress and notices to standard error. Of several ranks only rank 0 prints.
void notice(std::string_view text);
/// The same on every rank.
void last_words(std::string_view text);

/// A live line on standard error, cut to the width of the terminal; it replaces the last one.
void live_line(std::string_view text);
void clear_live_line();
/// Columns of the terminal behind standard error; 0 if it is none.
int terminal_columns();

/// Flushes standard output: 0, or the exit status that a failure means.
int flush_output();

}  // namespace bpo::terminal
