//! Stepping through a thread by commands, on a terminal or from a pipe.
//!
//! The thread has run already, so a step back is one to a smaller number.

use super::told;
use super::until::Until;
use serde_json::Value as Json;
use std::io::{self, BufRead, Write};

/// What a prompt knows.
pub(crate) const HELP: &str = "\
s [N]                       step: the next instruction, or the N next ones
b [N]                       back: the instruction before, or N before
n                           next line: to the first step of another line of the source (of HLSL where the shader has debug information, else of DXIL)
u nan|write|WORD|line N     until: forward to a NaN, a write to a resource, a word of the SPIR-V, a line of the source
p %ID|NAME                  print: the last value of a result, or of a variable, at this step
w [%ID|NAME]                watch: print it after every command; the same again ends that; without a name, what is watched
l [N]                       list: the N steps around this one (10)
i                           inputs of the thread
h                           this text
q                           quit; the end of the input does so, too
An empty line repeats the last command.";

/// Where one is in a thread.
pub(crate) struct Prompt<'t> {
    steps: &'t [Json],
    inputs: &'t Json,
    /// The step that was made last, counted from 1; 0 before the first.
    at: usize,
    watched: Vec<String>,
    last: String,
    /// The line that was said last.
    line: Option<Json>,
}

impl<'t> Prompt<'t> {
    /// Before the first step of what [`told::Run::json`] says.
    pub(crate) fn new(told: &'t Json) -> Prompt<'t> {
        let steps = told["steps"].as_array().map_or(&[][..], Vec::as_slice);
        Prompt { steps, inputs: &told["inputs"], at: 0, watched: Vec::new(), last: String::new(), line: None }
    }

    /// Takes commands until there are no more.
    ///
    /// # Errors
    /// What is read or written to fails.
    pub(crate) fn run(&mut self, input: &mut dyn BufRead, output: &mut dyn Write) -> io::Result<()> {
        writeln!(output, "{} steps; h says what can be done", self.steps.len())?;
        let mut line = String::new();
        loop {
            write!(output, "({}) ", self.at)?;
            output.flush()?;
            line.clear();
            if input.read_line(&mut line)? == 0 {
                writeln!(output)?;
                return Ok(());
            }
            match line.trim() {
                "" => {}
                command => self.last = command.to_owned(),
            }
            let command = self.last.clone();
            if matches!(command.split_whitespace().next(), Some("q" | "quit")) {
                return Ok(());
            }
            for line in self.answer(&command) {
                writeln!(output, "{line}")?;
            }
        }
    }

    /// What a command says.
    fn answer(&mut self, command: &str) -> Vec<String> {
        let (word, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        let rest = rest.trim();
        let count = || if rest.is_empty() { Some(1) } else { rest.parse::<usize>().ok().filter(|count| *count > 0) };
        let wrong = |what: &str| vec![format!("{what}: h says what can be done")];
        let mut lines = match word {
            "s" | "step" => match count() {
                Some(count) => self.go(self.at.saturating_add(count)),
                None => return wrong("s takes a number of steps"),
            },
            "b" | "back" => match count() {
                Some(count) => self.go(self.at.saturating_sub(count)),
                None => return wrong("b takes a number of steps"),
            },
            "n" | "next" => self.next_line(),
            "u" | "until" => match self.until(rest) {
                Ok(found) => found,
                Err(what) => return wrong(&what),
            },
            "p" | "print" if !rest.is_empty() => return vec![self.value(rest)],
            "p" | "print" => return wrong("p takes a result, as %12, or a variable"),
            "w" | "watch" => return self.watch(rest),
            "l" | "list" => {
                let count = if rest.is_empty() { Some(10) } else { count() };
                let Some(count) = count else { return wrong("l takes a number of steps") };
                return self.list(count);
            }
            "i" | "inputs" => {
                let inputs = self.inputs.as_array().into_iter().flatten();
                return inputs
                    .map(|it| format!("{} = {}", told::text(&it["name"]), told::text(&it["value"])))
                    .collect();
            }
            "h" | "help" => return HELP.lines().map(str::to_owned).collect(),
            "" => return Vec::new(),
            other => return wrong(&format!("there is no command {other:?}")),
        };
        lines.extend(self.watched.iter().map(|name| format!("  watched: {}", self.value(name))));
        lines
    }

    /// Goes to a step, and says it.
    fn go(&mut self, to: usize) -> Vec<String> {
        let last = self.steps.len();
        let mut lines = Vec::new();
        if to > last {
            lines.push(format!("the thread ends after step {last}"));
        }
        self.at = to.min(last);
        match self.step(self.at) {
            Some(step) => {
                lines.extend(told::heading(step, &mut self.line));
                lines.push(told::step(step));
            }
            None => lines.push("before the first step".to_owned()),
        }
        lines
    }

    fn step(&self, number: usize) -> Option<&'t Json> {
        self.steps.get(number.checked_sub(1)?)
    }

    /// Forward to the first step that something is true of.
    fn forward(&mut self, is: impl Fn(&Json) -> bool) -> Option<Vec<String>> {
        let found = (self.at + 1..=self.steps.len()).find(|number| self.step(*number).is_some_and(&is))?;
        Some(self.go(found))
    }

    fn next_line(&mut self) -> Vec<String> {
        if !self.steps.iter().any(|step| !told::line_of(step).is_null()) {
            return vec!["no lines of this shader are known".to_owned()];
        }
        let own = self.step(self.at).map_or(Json::Null, |step| told::line_of(step).clone());
        let found = self.forward(|step| !told::line_of(step).is_null() && !told::is_same(told::line_of(step), &own));
        found.unwrap_or_else(|| vec!["no later step is of another line".to_owned()])
    }

    fn until(&mut self, what: &str) -> Result<Vec<String>, String> {
        let until = Until::parse(what)?;
        let found = self.forward(|step| until.is(step, told::writes));
        Ok(found.unwrap_or_else(|| vec!["no later step does that".to_owned()]))
    }

    fn list(&self, count: usize) -> Vec<String> {
        let first = self.at.saturating_sub(count / 2).max(1);
        let behind = first.saturating_add(count).min(self.steps.len() + 1);
        let steps = (first..behind).filter_map(|number| Some((number, self.step(number)?)));
        let line = |(number, step)| format!("{}{}", if number == self.at { ">" } else { " " }, told::step(step));
        steps.map(line).collect()
    }

    fn watch(&mut self, name: &str) -> Vec<String> {
        if name.is_empty() {
            return self.watched.iter().map(|name| self.value(name)).collect();
        }
        match self.watched.iter().position(|known| known == name) {
            Some(at) => {
                self.watched.remove(at);
                vec![format!("{name} is watched no longer")]
            }
            None => {
                self.watched.push(name.to_owned());
                vec![format!("watched: {}", self.value(name))]
            }
        }
    }

    /// The last value of a result or variable, at this step.
    fn value(&self, name: &str) -> String {
        let parted = format!("{name}[");
        for number in (1..=self.at).rev() {
            let Some(step) = self.step(number) else { continue };
            let result = step["instruction"].as_str().and_then(|text| Some(text.split_once(" = ")?.0));
            let is_variable = step["variables"].as_array().is_some_and(|names| names.iter().any(|it| it == name));
            if (result == Some(name) || is_variable) && !step["value"].is_null() {
                return format!("{name} = {} (step {number})", told::text(&step["value"]));
            }
            let write = &step["write"];
            let place = write["variable"].as_str().or(write["register"].as_str());
            if let Some(place) = place
                && (place == name || place.starts_with(&parted))
            {
                let (value, place) = (told::text(&write["value"]), told::place(write));
                return format!("{place} = {value} (step {number})");
            }
        }
        match self.inputs.as_array().into_iter().flatten().find(|it| it["name"] == name) {
            Some(input) => format!("{name} = {} (input)", told::text(&input["value"])),
            None => format!("{name} has no value by step {}", self.at),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(commands: &str) -> String {
        let told = json!({
            "inputs": [{ "name": "WorkgroupId", "value": "(0, 0, 0)" }],
            "steps": [
                { "step": 1, "word": 10, "instruction": "%5 = OpLoad %1", "value": "3", "line": { "line": 7 } },
                { "step": 2, "word": 14, "instruction": "%6 = OpFAdd %5 %5", "value": "6", "line": { "line": 7 } },
                { "step": 3, "word": 19, "instruction": "OpStore %9 %6", "line": { "line": 8 },
                  "write": { "register": "u0", "resource": 4, "offset": 0, "value": "6" } },
                { "step": 4, "word": 22, "instruction": "%5 = OpLoad %1", "value": "NaN", "nan": true, "line": { "line": 9 } },
            ],
        });
        let mut output = Vec::new();
        Prompt::new(&told).run(&mut commands.as_bytes(), &mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn steps_go_both_ways() {
        let text = said("s\ns 2\nb\n\ns 9\nq\ns\n");
        let at: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix('(')?.split_once(')')).map(|it| it.0).collect();
        assert_eq!(at, ["0", "1", "3", "2", "1", "4"], "{text}");
        assert!(text.contains("the thread ends after step 4"), "{text}");
    }

    #[test]
    fn until_stops_where_it_is_asked_to() {
        for (command, step) in [("u nan", 4), ("u write", 3), ("u 14", 2), ("u line 8", 3), ("n", 1), ("n\nn", 3)] {
            let text = said(command);
            assert!(text.contains(&format!("\n({step}) ")), "{command}: {text}");
        }
        assert!(said("u line=8").contains("\n(3) ") && said("l 18446744073709551615").contains("%6 = OpFAdd"));
        assert!(said("u line 70").contains("no later step does that"));
        assert!(said("u nowhere").contains("h says what can be done"));
    }

    #[test]
    fn values_are_those_of_the_step() {
        let text = said("p %5\ns\np %5\nw %5\nu nan\nw\nb 4\np u0\ns 3\np u0\np WorkgroupId\n");
        assert!(text.contains("%5 has no value by step 0"), "{text}");
        assert!(text.contains("%5 = 3 (step 1)") && text.contains("watched: %5 = NaN (step 4)"), "{text}");
        assert!(
            text.contains("u0 has no value by step 0") && text.contains("u0 (buffer 4 + 0) = 6 (step 3)"),
            "{text}"
        );
        assert!(text.contains("WorkgroupId = (0, 0, 0) (input)"), "{text}");
    }
}
