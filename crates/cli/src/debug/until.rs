//! Steps that one stops at: as `--until` and the prompt take them.

use super::told;
use serde_json::Value as Json;

/// A step that one stops at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// It gives a NaN.
    Nan,
    /// It writes.
    Write,
    /// It is at this word of the SPIR-V.
    Word(u32),
    /// It is of this line of the source.
    Line(u64),
}

impl Until {
    /// `nan`, `write`, `line=N` or `line N`, or the number of a word.
    ///
    /// # Errors
    /// In words: it is none of these.
    pub(crate) fn parse(text: &str) -> Result<Until, String> {
        match text {
            "nan" => Ok(Until::Nan),
            "write" => Ok(Until::Write),
            other => match other.strip_prefix("line").map(|rest| rest.trim_start_matches([' ', '=', ':']).parse()) {
                Some(Ok(line)) => Ok(Until::Line(line)),
                Some(Err(_)) => Err("line takes the number of a line, as in line=12".to_owned()),
                None => other
                    .parse()
                    .map(Until::Word)
                    .map_err(|_| "it is none of nan, write, line=N and the number of a word".to_owned()),
            },
        }
    }

    /// Whether a step is one; `writes` says which ones write.
    pub(crate) fn is(self, step: &Json, writes: impl Fn(&Json) -> bool) -> bool {
        match self {
            Until::Nan => step["nan"] == true,
            Until::Write => writes(step),
            Until::Word(word) => step["word"] == word,
            Until::Line(line) => told::line_of(step)["line"] == line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_they_say() {
        let found = ["nan", "write", "14", "line=8", "line 8", "line:8"].map(Until::parse);
        let line = Ok(Until::Line(8));
        assert_eq!(found, [Ok(Until::Nan), Ok(Until::Write), Ok(Until::Word(14)), line.clone(), line.clone(), line]);
        assert!(["", "line", "line=x", "-1", "nowhere"].iter().all(|text| Until::parse(text).is_err()));
    }
}
