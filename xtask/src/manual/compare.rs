//! Output against what the manual says of it. `…` stands for any text of a line, and on a line of its own for any lines.

use anyhow::{Result, bail};

const ANY: &str = "…";

/// # Errors
/// The output is not as the lines say; all of it is in the message. No lines say nothing.
pub(super) fn lines(said: &[String], printed: &str) -> Result<()> {
    if said.is_empty() {
        return Ok(());
    }
    let mut left: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let mut any = false;
    for said in said {
        if said == ANY {
            any = true;
            continue;
        }
        let found = left.iter().position(|line| is(said, line));
        match found {
            Some(at) if any || at == 0 => left.drain(..=at),
            _ => bail!("not printed where the manual says it: {said:?}; all that was printed:\n{printed}"),
        };
        any = false;
    }
    if !any && !left.is_empty() {
        bail!("printed, and not in the manual: {:?}; all that was printed:\n{printed}", left[0]);
    }
    Ok(())
}

fn is(said: &str, line: &str) -> bool {
    let mut parts = said.split(ANY);
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(before) = last.replace(part) {
            let Some(at) = rest.find(before) else { return false };
            rest = &rest[at + before.len()..];
        }
    }
    match last {
        None => rest.is_empty(),
        Some(end) => rest.ends_with(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(said: &[&str], printed: &str) -> bool {
        let said: Vec<String> = said.iter().map(|line| (*line).to_owned()).collect();
        lines(&said, printed).is_ok()
    }

    #[test]
    fn dots_stand_for_parts_of_lines() {
        for (said, line) in [("a", "a"), ("a…", "abc"), ("…c", "abc"), ("a…c", "ac"), ("a…b…c", "axbyc"), ("…", "x")]
        {
            assert!(is(said, line), "{said} {line}");
        }
        for (said, line) in [("a", "ab"), ("a…", "b"), ("…a", "ab"), ("a…b…c", "acb"), ("ab…ba", "aba")] {
            assert!(!is(said, line), "{said} {line}");
        }
    }

    #[test]
    fn dots_stand_for_lines() {
        assert!(fits(&["a", "b"], "a\nb\n"));
        assert!(fits(&["a", "…"], "a\nb\nc\n"));
        assert!(fits(&["…", "c"], "a\nb\nc\n"));
        assert!(fits(&["a", "…", "c"], "a\nc\n"));
        assert!(fits(&[], "anything\n"));
        assert!(!fits(&["a"], "a\nb\n"));
        assert!(!fits(&["b"], "a\nb\n"));
        assert!(!fits(&["a", "…", "d"], "a\nb\nc\n"));
        assert!(!fits(&["a"], ""));
    }
}
