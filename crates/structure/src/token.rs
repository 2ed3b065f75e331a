//! A declaration as words, numbers and signs, each with its place.

use crate::Error;

/// A piece of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Word(String),
    Number(u64),
    Sign(char),
}

/// Bytes of a text: whole headers of engines have fewer.
const MOST_BYTES: usize = 4 << 20;

/// With line and column, from 1.
pub(crate) type Placed = (Token, (usize, usize));

/// Splits a text. Comments are left out, and so are directives that say nothing about a layout; names that `#define` gives to numbers
/// become these numbers.
pub(crate) fn tokens(text: &str) -> Result<Vec<Placed>, Error> {
    let mut found = Vec::new();
    let mut defined: Vec<(String, u64)> = Vec::new();
    let mut is_comment = false;
    if text.len() > MOST_BYTES {
        return Err(Error {
            place: None,
            reason: format!("{} bytes are no declaration: {MOST_BYTES} at most", text.len()),
        });
    }
    for (number, line) in text.lines().enumerate() {
        let directive = line.trim_start();
        if !is_comment && directive.starts_with('#') {
            self::directive(directive, (number + 1, line.len() - directive.len() + 1), &mut defined, &mut found)?;
            continue;
        }
        let mut rest = line;
        // Counted on from the last place: a line may be long.
        let (mut column, mut counted) = (1, 0);
        while let Some(first) = rest.chars().next() {
            let at = line.len() - rest.len();
            column += line[counted..at].chars().count();
            counted = at;
            let place = (number + 1, column);
            if is_comment {
                let end = rest.find("*/");
                is_comment = end.is_none();
                rest = end.map_or("", |end| &rest[end + 2..]);
            } else if rest.starts_with("//") {
                break;
            } else if rest.starts_with("/*") {
                (is_comment, rest) = (true, &rest[2..]);
            } else if first.is_ascii_alphanumeric() || first == '_' {
                let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let (word, behind) = rest.split_at(length);
                rest = behind;
                let known = defined.iter().rev().find(|(name, _)| name == word);
                let token = match known {
                    Some((_, value)) => Token::Number(*value),
                    None if first.is_ascii_digit() => Token::Number(
                        self::number(word).ok_or_else(|| Error::at(place, format!("{word:?} is no whole number")))?,
                    ),
                    None => Token::Word(word.to_owned()),
                };
                found.push((token, place));
            } else {
                if !first.is_whitespace() {
                    found.push((Token::Sign(first), place));
                }
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    Ok(found)
}

/// A whole number as HLSL writes it.
fn number(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    // As in C, digits behind a 0 are those of an octal number.
    if let Some(octal) = digits.strip_prefix('0')
        && !octal.is_empty()
        && octal.bytes().all(|digit| digit.is_ascii_digit())
    {
        return u64::from_str_radix(octal, 8).ok();
    }
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// A line that begins with `#`.
fn directive(
    line: &str,
    place: (usize, usize),
    defined: &mut Vec<(String, u64)>,
    found: &mut Vec<Placed>,
) -> Result<(), Error> {
    let line = line.split("//").next().unwrap_or_default();
    let words: Vec<&str> = line[1..].split_whitespace().collect();
    match words[..] {
        ["define", name, value] => {
            let value = value.trim_matches(['(', ')']);
            let known = defined.iter().rev().find(|(known, _)| known == value).map(|(_, value)| *value);
            let value = known.or_else(|| number(value)).ok_or_else(|| {
                Error::at(place, format!("#define {name}: {value:?} is no whole number, and others are unsupported"))
            })?;
            defined.push((name.to_owned(), value));
        }
        ["define", _] | ["line", ..] => {}
        ["pragma", ref rest @ ..] => {
            let rest = rest.concat();
            match rest.as_str() {
                // The rest of the text has these matrices.
                "pack_matrix(row_major)" | "pack_matrix(column_major)" => {
                    found.push((Token::Word(rest), place));
                }
                _ => {}
            }
        }
        [what, ..] => {
            return Err(Error::at(place, format!("#{what} is unsupported: give the text as the compiler sees it")));
        }
        [] => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_left_out_and_names_of_numbers_are_numbers() {
        let text = "#define N 0x10u // so many\nfloat /* of\nmany */ a[N]; // end";
        let found: Vec<Token> = tokens(text).unwrap().into_iter().map(|(token, _)| token).collect();
        let word = |text: &str| Token::Word(text.into());
        let sign = Token::Sign;
        assert_eq!(found, [word("float"), word("a"), sign('['), Token::Number(16), sign(']'), sign(';')]);
    }

    #[test]
    fn numbers_are_those_of_c() {
        for (word, value) in
            [("10", Some(10)), ("010", Some(8)), ("0", Some(0)), ("0x1Fu", Some(31)), ("08", None), ("3L", Some(3))]
        {
            assert_eq!(number(word), value, "{word}");
        }
    }

    #[test]
    fn places_are_those_of_the_text() {
        let found = tokens("é /* é */ float\n  a;").unwrap();
        assert_eq!(found.iter().map(|(_, place)| *place).collect::<Vec<_>>(), [(1, 1), (1, 11), (2, 3), (2, 4)]);
        for (text, place) in
            [("float\n 3x a", (2, 2)), ("\n #include <a>", (2, 2)), ("#if A", (1, 1)), ("#define A B+1", (1, 1))]
        {
            assert_eq!(tokens(text).unwrap_err().place, Some(place), "{text}");
        }
    }
}
