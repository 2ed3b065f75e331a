//! Ranges of numbers as the command line has them: `3`, `3-7`, `3-`, `all`.
//!
//! Invariant: both ends belong to a range, and what is counted counts from 1. What is wrong with a text is said in the words of what it counts.

/// Both ends, the last one `u64::MAX` where there is none.
pub(crate) type Range = (u64, u64);

/// Frames.
///
/// # Errors
/// What is wrong, as a sentence.
pub(crate) fn frames(text: &str) -> Result<Range, String> {
    range(text, "frames")
}

/// Submissions.
///
/// # Errors
/// What is wrong, as a sentence.
pub(crate) fn submissions(text: &str) -> Result<Range, String> {
    range(text, "submissions")
}

/// Calls, by number.
///
/// # Errors
/// What is wrong, as a sentence.
pub(crate) fn calls(text: &str) -> Result<Range, String> {
    range(text, "calls")
}

/// The same of steps of a shader.
pub(crate) fn steps(text: &str) -> Result<Range, String> {
    range(text, "steps")
}

fn range(text: &str, of: &str) -> Result<Range, String> {
    if text.trim() == "all" {
        return Ok((1, u64::MAX));
    }
    let number = |text: &str| match text.trim().parse() {
        Ok(0) => Err(format!("{of} count from 1")),
        Ok(number) => Ok(number),
        Err(_) => Err(format!("must be a number or a range of {of}, counted from 1: 3 or 3-7 or 3-")),
    };
    let (first, last) = match text.split_once('-') {
        None => (number(text)?, number(text)?),
        Some((first, last)) if last.trim().is_empty() => (number(first)?, u64::MAX),
        Some((first, last)) => (number(first)?, number(last)?),
    };
    match first <= last {
        true => Ok((first, last)),
        false => Err(format!("ends before it begins: the smaller number of {of} comes first, {last}-{first}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_from_one() {
        assert_eq!(frames("3"), Ok((3, 3)));
        assert_eq!(submissions("3-7"), Ok((3, 7)));
        assert_eq!(calls("3 - "), Ok((3, u64::MAX)));
        assert_eq!(frames("all"), Ok((1, u64::MAX)));
        for (wrong, says) in [
            ("", "a range of calls, counted from 1"),
            ("-3", "a range of calls, counted from 1"),
            ("a", "a range of calls, counted from 1"),
            ("1-b", "a range of calls, counted from 1"),
            ("1,2", "a range of calls, counted from 1"),
            ("99999999999999999999", "a range of calls, counted from 1"),
            ("0", "calls count from 1"),
            ("0-3", "calls count from 1"),
            ("7-3", "ends before it begins: the smaller number of calls comes first, 3-7"),
        ] {
            assert!(calls(wrong).is_err_and(|error| error.contains(says)), "{wrong}");
        }
    }
}
