//! A line of an edit, read from left to right. Every error says the column and what was expected there.

use crate::place::{Place, SyntaxError};
use std::path::PathBuf;

pub(crate) struct Scanner<'t> {
    text: &'t str,
    at: usize,
    place: Place,
}

pub(crate) type Scanned<T> = Result<T, SyntaxError>;

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str, place: Place) -> Scanner<'t> {
        let mut scanner = Scanner { text, at: 0, place };
        scanner.space();
        scanner
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// Moves to where another scanner of the same line is.
    pub(crate) fn skip_to(&mut self, other: &Scanner<'_>) {
        self.at = other.at;
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Moves behind spaces.
    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.rest().is_empty() || self.rest().starts_with('#')
    }

    /// The error that something else is expected here.
    pub(crate) fn expected(&self, what: &str) -> SyntaxError {
        let found = match self.peek() {
            None => "the line ends".to_owned(),
            Some('#') => "a comment begins".to_owned(),
            Some(_) => {
                let end = self.rest().find(|c: char| c.is_whitespace()).unwrap_or(self.rest().len());
                let word: String = self.rest()[..end].chars().take(40).collect();
                format!("`{}` stands", word.escape_debug())
            }
        };
        self.wrong(format!("{what} is expected, and {found} here"))
    }

    pub(crate) fn wrong(&self, what: String) -> SyntaxError {
        let column = self.text[..self.at.min(self.text.len())].chars().count() + 1;
        SyntaxError { place: self.place.clone(), column, what }
    }

    /// Takes this character, if it is next.
    pub(crate) fn takes(&mut self, wanted: char) -> bool {
        let is_next = self.peek() == Some(wanted);
        if is_next {
            self.at += wanted.len_utf8();
            self.space();
        }
        is_next
    }

    pub(crate) fn takes_text(&mut self, wanted: &str) -> bool {
        let is_next = self.rest().starts_with(wanted);
        if is_next {
            self.at += wanted.len();
            self.space();
        }
        is_next
    }

    pub(crate) fn expect(&mut self, wanted: char) -> Scanned<()> {
        if self.takes(wanted) { Ok(()) } else { Err(self.expected(&format!("`{wanted}`"))) }
    }

    fn while_is(&mut self, is: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !is(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// The name that is next, without taking it.
    pub(crate) fn peek_name(&self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
        &rest[..end]
    }

    /// Takes this keyword, if it is next.
    pub(crate) fn keyword(&mut self, wanted: &str) -> bool {
        let is_next = self.peek_name() == wanted;
        if is_next {
            self.at += wanted.len();
            self.space();
        }
        is_next
    }

    pub(crate) fn name(&mut self, what: &str) -> Scanned<&'t str> {
        let begins = self.peek().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        if !begins {
            return Err(self.expected(what));
        }
        let name = self.while_is(is_of_name);
        self.space();
        Ok(name)
    }

    /// A number or names of an enumeration, up to a space or a sign of the language.
    pub(crate) fn word(&mut self, what: &str) -> Scanned<&'t str> {
        let from = self.at;
        let word = self.while_is(|c| is_of_name(c) || matches!(c, '.' | '|' | '+' | '-'));
        if word.is_empty() {
            self.at = from;
            return Err(self.expected(what));
        }
        self.space();
        Ok(word)
    }

    /// A whole number, decimal or hexadecimal.
    pub(crate) fn number(&mut self, what: &str) -> Scanned<u64> {
        let from = self.at;
        let digits = self.while_is(|c| c.is_ascii_alphanumeric());
        let number = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => digits.parse().ok(),
        };
        let Some(number) = number else {
            self.at = from;
            return Err(self.expected(what));
        };
        self.space();
        Ok(number)
    }

    pub(crate) fn id(&mut self, what: &str) -> Scanned<u32> {
        let from = self.at;
        let number = self.number(what)?;
        u32::try_from(number).map_err(|_| {
            self.at = from;
            self.expected(what)
        })
    }

    /// Text in quotation marks; `\"` and `\\` stand for themselves.
    pub(crate) fn quoted(&mut self, what: &str) -> Scanned<String> {
        let from = self.at;
        if self.peek() != Some('"') {
            return Err(self.expected(what));
        }
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at = from + at + 1;
                    self.space();
                    return Ok(text);
                }
                '\\' => match characters.next() {
                    Some((_, same @ ('"' | '\\'))) => text.push(same),
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    _ => {
                        self.at = from + at;
                        return Err(self.wrong("behind \\ in text only \", \\, n and t may stand".into()));
                    }
                },
                other => text.push(other),
            }
        }
        Err(self.wrong("the text that begins here has no end: `\"` is missing".into()))
    }

    pub(crate) fn file(&mut self) -> Scanned<PathBuf> {
        self.quoted("the name of a file in quotation marks").map(PathBuf::from)
    }

    /// # Errors
    /// Something stands behind what was read.
    pub(crate) fn end(&self, what: &str) -> Scanned<()> {
        if self.is_at_end() { Ok(()) } else { Err(self.expected(what)) }
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
