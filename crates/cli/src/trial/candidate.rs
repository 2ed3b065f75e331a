//! A candidate: what is played on, and how it is written down.
//!
//! A line of a list is words: `NAME=VALUE` sets a variable of the environment, a word that ends in `.json` is a Vulkan driver's file, any
//! other word is a runtime library. Quotes keep spaces in a word. Empty lines, and lines that begin with `#`, are left out.

/// What is played on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Candidate {
    /// As the user wrote it; of a commit its beginning and its subject.
    pub(crate) label: String,
    /// Path or name of the runtime library, as `--runtime` takes it; `None`: that of the command line.
    pub(crate) runtime: Option<String>,
    /// Variables of the environment.
    pub(crate) variables: Vec<(String, String)>,
    /// The commit that it is built from.
    pub(crate) commit: Option<String>,
}

/// The Vulkan loader's lists of driver files: today's name and that of loaders before 1.3.207.
const DRIVERS: [&str; 2] = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];

impl Candidate {
    /// # Errors
    /// What is wrong with the line, in words.
    pub(crate) fn of_line(line: &str) -> Result<Candidate, String> {
        let mut candidate = Candidate { label: line.trim().to_owned(), ..Candidate::default() };
        for word in words(line)? {
            match word.split_once('=') {
                Some((name, value)) if is_name(name) => candidate.variables.push((name.to_owned(), value.to_owned())),
                _ if word.ends_with(".json") => candidate.drive(&word),
                _ => match candidate.runtime.replace(word) {
                    None => {}
                    Some(first) => return Err(format!("two runtime libraries: {first} and another one")),
                },
            }
        }
        Ok(candidate)
    }

    /// Plays on the Vulkan driver of this file.
    pub(crate) fn drive(&mut self, file: &str) {
        self.variables.extend(DRIVERS.map(|name| (name.to_owned(), file.to_owned())));
    }

    /// The files of Vulkan drivers that it plays on.
    #[cfg(unix)]
    pub(crate) fn drivers(&self) -> Vec<std::path::PathBuf> {
        let own = self.variables.iter().filter(|(name, _)| name == DRIVERS[0]);
        own.flat_map(|(_, files)| std::env::split_paths(files)).collect()
    }

    /// The runtime library, where the command line names another default.
    pub(crate) fn runtime<'a>(&'a self, default: &'a str) -> &'a str {
        self.runtime.as_deref().unwrap_or(default)
    }
}

/// All candidates of a list.
///
/// # Errors
/// The line that is wrong, by its number, and why.
pub(crate) fn list(text: &str) -> Result<Vec<Candidate>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.trim().starts_with('#'));
    lines.map(|(at, line)| Candidate::of_line(line).map_err(|error| format!("line {}: {error}", at + 1))).collect()
}

fn is_name(text: &str) -> bool {
    let mut letters = text.bytes();
    letters.next().is_some_and(|first| first == b'_' || first.is_ascii_alphabetic())
        && letters.all(|letter| letter == b'_' || letter.is_ascii_alphanumeric())
}

/// The words of a line; `'…'` and `"…"` keep what is between them together.
fn words(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in line.chars() {
        match quote {
            Some(end) if letter == end => quote = None,
            None if letter == '\'' || letter == '"' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    if let Some(quote) = quote {
        return Err(format!("the quote {quote} is not closed"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_libraries_drivers_and_variables() {
        let text = "# old first\n/lib/a.so\n\n  /icd/b.json\nA=1 'B=two words' \"/lib/a b.so\"\n";
        let all = list(text).unwrap();
        assert_eq!(all[0].runtime.as_deref(), Some("/lib/a.so"));
        let drivers = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].map(|name| (name.to_owned(), "/icd/b.json".to_owned()));
        assert_eq!((all[1].variables.as_slice(), all[1].runtime("ours")), (&drivers[..], "ours"));
        assert_eq!(all[2].variables, [("A".into(), "1".into()), ("B".into(), "two words".into())]);
        assert_eq!((all[2].runtime("ours"), all.len()), ("/lib/a b.so", 3));
        assert_eq!(list("a.so\nb.so c.so").unwrap_err(), "line 2: two runtime libraries: b.so and another one");
        assert_eq!(list("'a").unwrap_err(), "line 1: the quote ' is not closed");
    }
}
