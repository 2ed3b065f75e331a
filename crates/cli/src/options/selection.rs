//! Which calls to show, as the command line says it.

use reprise_view::dump::filter;
use std::ops::RangeInclusive;

/// What to show, as the command line says it.
#[derive(Debug, clap::Args)]
pub(crate) struct Selection {
    /// These frames only, counted from 1: 3 or 3-7 or 3-
    #[arg(long, value_name = "A-B", value_parser = range)]
    frames: Option<RangeInclusive<u64>>,
    /// These calls only, by number, and what happened right after each of them: 120 or 120-150 or 120-
    #[arg(long, value_name = "A-B", value_parser = range)]
    calls: Option<RangeInclusive<u64>>,
    /// These threads only, by the numbers that the lines show: 1,3
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    threads: Vec<u32>,
    /// Calls of these methods only: a name, or Interface::Name; * stands for anything, case does not matter; repeatable
    #[arg(long = "methods", value_name = "PATTERN")]
    methods: Vec<String>,
    /// Only calls on these objects, calls that take or give them (also by an address or handle), and what else is said of them
    #[arg(long, value_name = "ID,ID", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    objects: Vec<u32>,
}

impl Selection {
    /// For [`filter::Filter`].
    pub(crate) fn selected(&self) -> filter::Selection {
        filter::Selection {
            frames: self.frames.clone(),
            calls: self.calls.clone(),
            threads: self.threads.clone(),
            methods: self.methods.clone(),
            objects: self.objects.clone(),
        }
    }
}

/// Reads a range of numbers from 1.
fn range(text: &str) -> Result<RangeInclusive<u64>, String> {
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number > 0);
    let (first, last) = match text.split_once('-') {
        None => (number(text), number(text)),
        Some((first, "")) => (number(first), Some(u64::MAX)),
        Some((first, last)) => (number(first), number(last)),
    };
    match (first, last) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err("must be a number or a range of numbers, counted from 1: 3 or 3-7 or 3-".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_from_one() {
        assert_eq!(range("3"), Ok(3..=3));
        assert_eq!(range("3-7"), Ok(3..=7));
        assert_eq!(range("3-"), Ok(3..=u64::MAX));
        for wrong in ["", "0", "-3", "7-3", "a", "1-b", "0-3", "1,2"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
