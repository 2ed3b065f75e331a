//! Values and paths, as a dump writes them.

use super::scanner::{Scanned, Scanner};
use reprise_codec::literal::Literal;

/// Values nested deeper than this are refused: no call has such.
const DEEPEST: u32 = 16;

/// Reads files that values name.
pub type Read<'r> = dyn FnMut(&std::path::Path) -> Result<Vec<u8>, String> + 'r;

/// `pViewports[0].Width`.
pub(super) fn path(scanner: &mut Scanner<'_>) -> Scanned<String> {
    let mut path = scanner.name("the name of an argument")?.to_owned();
    loop {
        if scanner.takes('[') {
            let index = scanner.number("the number of an element, from 0")?;
            scanner.expect(']')?;
            path.push_str(&format!("[{index}]"));
        } else if scanner.takes('.') {
            path.push('.');
            path.push_str(scanner.name("the name of a member")?);
        } else {
            return Ok(path);
        }
    }
}

pub(super) fn value(scanner: &mut Scanner<'_>, read: &mut Read<'_>) -> Scanned<Literal> {
    nested(scanner, read, DEEPEST)
}

fn nested(scanner: &mut Scanner<'_>, read: &mut Read<'_>, depth: u32) -> Scanned<Literal> {
    const VALUE: &str = "a value: a number, a name, \"text\", null, [list], {members}, file \"NAME\", heap ID[INDEX], resource ID+OFFSET";
    let Some(depth) = depth.checked_sub(1) else {
        return Err(scanner.wrong("the value is nested too deeply".into()));
    };
    match scanner.peek() {
        Some('"') => return scanner.quoted(VALUE).map(Literal::Text),
        Some('[') => {
            scanner.expect('[')?;
            let mut values = Vec::new();
            while !scanner.takes(']') {
                values.push(nested(scanner, read, depth)?);
                if !scanner.takes(',') && scanner.peek() != Some(']') {
                    return Err(scanner.expected("`,` or `]`"));
                }
            }
            return Ok(Literal::List(values));
        }
        Some('{') => {
            scanner.expect('{')?;
            let mut members: Vec<(String, Literal)> = Vec::new();
            while !scanner.takes('}') {
                let name = scanner.name("the name of a member, or `}`")?.to_owned();
                if members.iter().any(|(other, _)| *other == name) {
                    return Err(scanner.wrong(format!("{name} is there twice")));
                }
                scanner.expect('=')?;
                members.push((name, nested(scanner, read, depth)?));
                if !scanner.takes(',') && scanner.peek() != Some('}') {
                    return Err(scanner.expected("`,` or `}`"));
                }
            }
            return Ok(Literal::Members(members));
        }
        _ => {}
    }
    match scanner.peek_name() {
        "null" => {
            scanner.keyword("null");
            return Ok(Literal::Null);
        }
        "file" => {
            scanner.keyword("file");
            let from = scanner.expected("a file that can be read");
            let name = scanner.file()?;
            let bytes = read(&name).map_err(|why| crate::place::SyntaxError { what: why, ..from })?;
            return Ok(Literal::Bytes(bytes));
        }
        "heap" => {
            scanner.keyword("heap");
            let heap = scanner.id("the id of a descriptor heap")?;
            scanner.expect('[')?;
            let index = scanner.number("the index of a descriptor")?;
            scanner.expect(']')?;
            return Ok(Literal::Descriptor { heap, index });
        }
        "resource" => {
            scanner.keyword("resource");
            let resource = scanner.id("the id of a resource")?;
            let offset = if scanner.takes('+') { scanner.number("an offset in bytes")? } else { 0 };
            return Ok(Literal::Address { resource, offset });
        }
        _ => {}
    }
    let word = scanner.word(VALUE)?;
    if !scanner.takes('(') {
        return Ok(Literal::Word(word.to_owned()));
    }
    if word == "NaN" {
        let bits = scanner.number("the bits of a number")?;
        scanner.expect(')')?;
        return Ok(Literal::Word(format!("NaN({bits:#x})")));
    }
    let id = scanner.id("the id of an object")?;
    scanner.expect(')')?;
    Ok(Literal::Object(id))
}
