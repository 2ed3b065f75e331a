//! Why tests failed, kept for the end of a run: their output stands thousands of lines above, or beyond what a log keeps.
//!
//! A test prints what its programs did before the message of the assertion that failed. So a message starts anew at `panicked at`.

use std::fmt;

/// How many lines of one test's message are kept. What a test asserts stands first; a stack backtrace follows.
const LINES: usize = 12;

/// The messages of the failed tests of one test program, in the order in which it printed them.
#[derive(Debug, Default)]
pub(super) struct Failures {
    messages: Vec<Message>,
    /// Whether the lines that come now are the last message's.
    open: bool,
}

#[derive(Debug)]
struct Message {
    test: String,
    lines: Vec<String>,
    /// Lines that were not kept, after those that were.
    more: usize,
}

impl Failures {
    /// Takes a line that a test program of libtest's printed.
    pub(super) fn line(&mut self, line: &str) {
        if let Some(test) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
            self.messages.push(Message { test: test.to_owned(), lines: Vec::new(), more: 0 });
            self.open = true;
            return;
        }
        // The list of names, or the backtrace: neither says why.
        if line == "failures:" || line.eq_ignore_ascii_case("stack backtrace:") {
            self.open = false;
        }
        let Some(message) = self.messages.last_mut().filter(|_| self.open && !line.trim().is_empty()) else { return };
        if line.starts_with("thread '") && line.contains("panicked at") {
            message.lines.clear();
            message.more = 0;
        }
        if message.lines.len() < LINES {
            message.lines.push(line.to_owned());
        } else {
            message.more += 1;
        }
    }

    pub(super) fn append(&mut self, mut others: Failures) {
        self.messages.append(&mut others.messages);
    }
}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for message in &self.messages {
            writeln!(f, "test: failed: {}", message.test)?;
            message.lines.iter().try_for_each(|line| writeln!(f, "    {line}"))?;
            if message.more > 0 {
                writeln!(f, "    ({} more lines where the test ran)", message.more)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_kept_and_backtraces_are_not() {
        let mut failures = Failures::default();
        let said = "\nrunning 2 tests\ntest a::b ... FAILED\ntest c ... FAILED\n\nfailures:\n\n---- a::b stdout ----\n\nthread 'a::b' \
                    panicked at src/x.rs:1:2:\nleft: 1\nstack backtrace:\n   0: begin\nnote: Some details\n\n---- c stdout ----\nError: \
                    no\n\nStack backtrace:\n   0: begin\n\nfailures:\n    a::b\n    c\n\ntest result: FAILED. 0 passed; 2 failed";
        said.lines().for_each(|line| failures.line(line));
        assert_eq!(
            failures.to_string(),
            "test: failed: a::b\n    thread 'a::b' panicked at src/x.rs:1:2:\n    left: 1\ntest: failed: c\n    Error: no\n"
        );
    }

    #[test]
    fn long_messages_are_cut_and_say_so() {
        let mut failures = Failures::default();
        failures.line("---- a stdout ----");
        (0..LINES + 3).for_each(|line| failures.line(&line.to_string()));
        let text = failures.to_string();
        assert!(text.ends_with("    11\n    (3 more lines where the test ran)\n"), "{text}");
    }

    #[test]
    fn what_a_test_asserts_takes_the_place_of_what_it_printed_before() {
        let mut failures = Failures::default();
        failures.line("---- a stdout ----");
        (0..LINES + 3).for_each(|line| failures.line(&format!("ran {line}")));
        failures.line("thread 'a' (7) panicked at src/x.rs:1:2:");
        failures.line("on vkd3d with dxbc:");
        assert_eq!(
            failures.to_string(),
            "test: failed: a\n    thread 'a' (7) panicked at src/x.rs:1:2:\n    on vkd3d with dxbc:\n"
        );
    }
}
