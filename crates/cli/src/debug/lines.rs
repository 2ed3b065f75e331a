//! Lines of a shader: of its DXIL as text, and of HLSL where the container has debug information.
//!
//! The translator says which instruction of the shader each one of SPIR-V is made of, by the number of its block and its own number there
//! (`translator/marks.hpp`). The text of the shader has the same blocks, and debug information is checked to be of the same instructions.

use crate::shader::disassembly::{self, Form};
use reprise_dxbc::source::{Source, source};
use serde_json::{Value as Json, json};
use std::collections::HashMap;

/// The lines of a shader.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// By block and number: the line of `extract --disassemble`, and what it says.
    code: HashMap<(u32, u32), (usize, String)>,
    /// Why the shader cannot be printed, so that steps have no lines of it.
    pub(crate) unprinted: Option<String>,
    source: Option<Source>,
    /// Why there are no lines of HLSL.
    pub(crate) wanting: Option<String>,
}

impl Lines {
    /// Of a container.
    pub(crate) fn of(container: &[u8]) -> Lines {
        // In a process of its own: some shaders are the end of what prints them.
        let (code, unprinted) = match disassembly::of(container, Form::Ours) {
            Ok(text) => (instructions(&String::from_utf8_lossy(&text)), None),
            Err(error) => (HashMap::new(), Some(format!("the shader as text: {error}"))),
        };
        let (source, wanting) = match source(container) {
            Ok(Some(source)) => (Some(source), None),
            Ok(None) => (None, Some("the shader has no debug information".to_owned())),
            Err(error) => (None, Some(format!("its debug information: {error}"))),
        };
        Lines { code, unprinted, source, wanting }
    }

    /// The line of DXIL that an instruction is.
    pub(crate) fn code(&self, at: (u32, u32)) -> Json {
        self.code.get(&at).map_or(Json::Null, |(line, text)| json!({ "line": line, "text": text }))
    }

    /// The line of HLSL that it comes of.
    pub(crate) fn source(&self, at: (u32, u32)) -> Json {
        let Some((source, place)) = self.source.as_ref().and_then(|it| Some((it, it.places.get(&at)?))) else {
            return Json::Null;
        };
        let file = source.files.get(&place.file);
        let text = file.and_then(|text| text.lines().nth(place.line.saturating_sub(1) as usize)).map(str::trim);
        json!({ "file": place.file, "line": place.line, "column": place.column, "text": text })
    }

    /// The variables of HLSL that have its result.
    pub(crate) fn variables(&self, at: (u32, u32)) -> Option<&[String]> {
        self.source.as_ref()?.variables.get(&at).map(Vec::as_slice)
    }
}

/// The instructions of a text with one function, by block and number. Of several, none: which one is meant is not known.
fn instructions(text: &str) -> HashMap<(u32, u32), (usize, String)> {
    let mut found = HashMap::new();
    if text.lines().filter(|line| line.starts_with("define ")).count() != 1 {
        return found;
    }
    let (mut within, mut block, mut number) = (false, 0, 0);
    for (line, own) in (1..).zip(text.lines()) {
        match own {
            _ if own.starts_with("define ") => within = true,
            "}" => within = false,
            _ if !within => {}
            // A block's name ends so.
            _ if !own.starts_with(' ') && own.ends_with(':') => (block, number) = (block + 1, 0),
            _ if own.starts_with("  ") && !own.starts_with("   ") => {
                number += 1;
                found.insert((block, number), (line, own.trim().to_owned()));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_counted_by_blocks() {
        let text = "\ndefine void @main() {\n\n0:\n  %1 = add i32 1, 2\n  br label %2\n\n2:\n  ret void\n}\n";
        let found = instructions(text);
        assert_eq!(found.get(&(1, 1)), Some(&(5, "%1 = add i32 1, 2".to_owned())));
        assert_eq!(found.get(&(1, 2)).map(|it| it.0), Some(6));
        assert_eq!(found.get(&(2, 1)).map(|it| it.1.as_str()), Some("ret void"));
        // Two functions: neither.
        assert!(instructions(&format!("{text}{text}")).is_empty());
    }
}
