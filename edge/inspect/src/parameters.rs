//! The parameters of a question.

use crate::answer::Refused;
use std::collections::BTreeMap;
use std::str::FromStr;

/// By name; of a name that is given twice the last counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parameters(BTreeMap<String, String>);

impl Parameters {
    /// From the part of an address behind `?`.
    pub(crate) fn of(query: &str) -> Parameters {
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (plain(name), plain(value))
        };
        Parameters(pairs.map(pair).collect())
    }

    /// The text of a parameter, where it is given and not empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// A number, where it is given.
    ///
    /// # Errors
    /// It is none.
    pub(crate) fn number<N: FromStr>(&self, name: &str) -> Result<Option<N>, Refused> {
        let Some(text) = self.text(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| Refused::question(format!("{name} must be a number")))
    }

    /// A number that must be given.
    ///
    /// # Errors
    /// It is missing, or none.
    pub(crate) fn needed<N: FromStr>(&self, name: &str) -> Result<N, Refused> {
        self.number(name)?.ok_or_else(|| Refused::question(format!("{name} is missing")))
    }

    /// Which part of a list: the first item and how many, `most` at most.
    ///
    /// # Errors
    /// Either is no number.
    pub(crate) fn part(&self, most: u64) -> Result<(u64, u64), Refused> {
        let count: u64 = self.number("count")?.unwrap_or(100);
        Ok((self.number("first")?.unwrap_or(0), count.min(most)))
    }
}

/// A text in which `%XX` and `+` stand for other characters.
fn plain(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let escaped = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match (first, escaped.and_then(|two| u8::from_str_radix(two, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            (b'+', _) => bytes.push(b' '),
            (other, _) => bytes.push(*other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone() {
        let with = Parameters::of("a=%4eode%3A1+x&b&c=%zz&c=%");
        assert_eq!(with.text("a"), Some("Node:1 x"));
        assert_eq!((with.text("b"), with.text("c")), (None, Some("%")));
        assert!(with.number::<u64>("a").is_err());
    }
}
