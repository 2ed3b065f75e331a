//! JSON text for facts, in a few lines: no library is loaded into the captured program for it.

/// Appends a string with its quotes.
pub(crate) fn text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Appends a member with a string value to an object that is being written and begins with `{`.
pub(crate) fn member(out: &mut String, name: &str, value: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    text(out, name);
    out.push(':');
    text(out, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_driver_says_stays_one_text() {
        let mut text = String::from("{");
        member(&mut text, "adapter", "a \"b\" \\ \n");
        member(&mut text, "driver", "d");
        assert_eq!(text, r#"{"adapter":"a \"b\" \\ \u000a","driver":"d""#);
    }
}
