//! Files that a page attaches to its questions: shaders, and contents for edits.
//!
//! Invariants: they are kept in memory, [`ALL`] bytes at most, and go with this program. A question names them by what they hold, and by a plain
//! name of its own; no name leads to another file of this machine.

use crate::answer::Refused;
use reprise_dxbc::Container;
use reprise_trace::read::content_hash;
use serde_json::Value as Json;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a file.
pub(crate) const EACH: usize = 16 << 20;
/// Bytes of all; what came first goes first.
const ALL: usize = 64 << 20;
/// Files of a question.
const MOST: usize = 16;
/// Letters of a name.
const NAME: usize = 100;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Attached(Mutex<VecDeque<(String, Arc<[u8]>)>>);

impl Attached {
    /// Keeps a file, and says by what to ask for it.
    pub(crate) fn keep(&self, bytes: &[u8]) -> String {
        let id = format!("{:032x}", content_hash(bytes));
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(own, _)| *own != id);
        all.push_back((id.clone(), bytes.into()));
        while all.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > ALL {
            all.pop_front();
        }
        id
    }

    fn get(&self, id: &str) -> Option<Arc<[u8]>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|(own, _)| own == id).map(|(_, bytes)| Arc::clone(bytes))
    }

    /// The files of a question: by their names there, what `api/attached` said of each.
    ///
    /// # Errors
    /// A name is none, a file is not there, or it reads others when it is compiled.
    pub(crate) fn files(&self, named: Option<&Json>) -> Result<Files, Refused> {
        let named = match named {
            None | Some(Json::Null) => return Ok(Files::default()),
            Some(Json::Object(named)) => named,
            Some(_) => return Err(Refused::question("files has a name for each file that was attached")),
        };
        if named.len() > MOST {
            return Err(Refused::question(format!("a question has {MOST} files at most")));
        }
        let mut files = Files::default();
        for (name, id) in named {
            if !is_plain(name) {
                let what =
                    format!("{name:?} is no name of a file: letters, digits, '.', '-' and '_', no '.' at its ends");
                return Err(Refused::question(what));
            }
            let id = id.as_str().unwrap_or_default();
            // They lie in one folder, where upper case may be lower case, too: a file that was looked at would be another one.
            if let Some(other) = files.0.keys().find(|other| other.eq_ignore_ascii_case(name)) {
                return Err(Refused::question(format!("{other} and {name} may be one file: choose another name")));
            }
            let gone = || Refused::missing(format!("{name} is not there any more: attach it again"));
            files.0.insert(name.clone(), (id.to_owned(), self.get(id).ok_or_else(gone)?));
        }
        for (name, (_, bytes)) in &files.0 {
            if is_named_source(name) && text_of(bytes).is_none() {
                return Err(Refused::question(format!(
                    "{name} is no text in UTF-8, or has a NUL: compilers guess another encoding of it. Save it as UTF-8"
                )));
            }
            if is_searched(name, bytes) {
                files.reads_no_other(name, bytes)?;
            }
        }
        Ok(files)
    }
}

/// Whether a text names a file in the folder that it is looked for in, and nothing else.
pub(crate) fn is_plain(name: &str) -> bool {
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    letters && !name.is_empty() && name.len() <= NAME && !name.starts_with(['.', '-']) && !name.ends_with('.')
}

/// Whether a name says that a file is HLSL.
fn is_named_source(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with(".hlsl") || name.ends_with(".hlsli")
}

/// Whether the words of a file are looked at. What is a container is not compiled, unless its name says that it is a source.
fn is_searched(name: &str, bytes: &[u8]) -> bool {
    is_named_source(name) || Container::parse(bytes).is_err()
}

/// What compilers read as it stands here: they tell other encodings by their marks and by NULs.
fn text_of(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// The files of a question: by name, what each is asked for by, and its bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files(BTreeMap<String, (String, Arc<[u8]>)>);

/// Words by which a compiler reads other files, or asks for them.
const READING: [&str; 3] = ["include", "import", "embed"];

impl Files {
    /// The bytes of one.
    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(|(_, bytes)| &**bytes)
    }

    /// Whether a compiler may read a file: its words were looked at as the compiler sees them.
    fn is_looked_at(&self, name: &str) -> bool {
        self.get(name).is_some_and(|bytes| is_searched(name, bytes) && text_of(bytes).is_some())
    }

    /// Whether a file may be a shader: it is a container, or its words were looked at.
    pub(crate) fn may_be_shader(&self, name: &str) -> bool {
        self.get(name).is_some_and(|bytes| !is_searched(name, bytes)) || self.is_looked_at(name)
    }

    /// Names and bytes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, (_, bytes))| (&**name, &**bytes))
    }

    /// Tells these files from others.
    pub(crate) fn stamp(&self) -> Json {
        self.0.iter().map(|(name, (id, _))| (name.clone(), Json::from(id.clone()))).collect()
    }

    /// Whether a compiler would read none but these files. A compiler tells lines of what it reads in its messages, so a page could have any file
    /// of this machine. Comments and macros have many forms; so the words themselves are refused, wherever they stand, but for one form.
    fn reads_no_other(&self, name: &str, bytes: &[u8]) -> Result<(), Refused> {
        let refused = |word: &str| {
            let what = format!(
                "{name}: the word {word} is allowed only as #include \"NAME\" of an attached text, so that no other file of this machine is read"
            );
            Err(Refused::question(what))
        };
        let text = String::from_utf8_lossy(bytes);
        if text.contains("??") {
            return Err(Refused::question(format!("{name}: ?? may be a part of another character: write it apart")));
        }
        // To compilers a carriage return ends a line, too.
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        // Lines that a backslash continues are one.
        let mut joined = String::with_capacity(text.len());
        for line in text.split('\n') {
            match line.trim_end().strip_suffix('\\') {
                Some(line) => joined.push_str(line),
                None => {
                    joined.push_str(line);
                    joined.push('\n');
                }
            }
        }
        for word in READING {
            for (at, _) in joined.match_indices(word) {
                let before = joined[..at].trim_end_matches([' ', '\t']);
                let behind = joined[at + word.len()..].trim_start_matches([' ', '\t']);
                let quoted = behind.strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(quoted, _)| quoted);
                let ours = quoted.is_some_and(|quoted| self.is_looked_at(quoted));
                if word != "include" || !before.ends_with('#') || !ours {
                    return refused(word);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_lead_nowhere_else() {
        let attached = Attached::default();
        let id = attached.keep(b"x");
        for name in ["a.hlsl", "A-b_1.dxil"] {
            assert_eq!(attached.files(Some(&json!({ name: id }))).unwrap().get(name), Some(&b"x"[..]));
        }
        for name in ["", ".", "..", "../a", "/etc/passwd", "a/b", "a\\b", "-o", "a b", ".a", "a.", "a\0", "é"] {
            assert_eq!(attached.files(Some(&json!({ name: id }))).unwrap_err().status, 400, "{name}");
        }
        assert_eq!(attached.files(Some(&json!({ "a": "0" }))).unwrap_err().status, 404);
        assert_eq!(attached.files(Some(&json!(["a"]))).unwrap_err().status, 400);
        let many: serde_json::Map<String, Json> = (0..=MOST).map(|at| (format!("f{at}"), json!(id))).collect();
        assert!(attached.files(Some(&Json::Object(many))).is_err());
    }

    #[test]
    fn a_container_is_no_source_unless_its_name_says_so() {
        let shader = include_bytes!("../../../crates/dxbc/tests/lines.dxil");
        assert!(Container::parse(shader).is_ok());
        let attached = Attached::default();
        // In the container's own digest nobody looks: what counts is that it is one.
        let mut hidden = shader.to_vec();
        let end = hidden.len();
        hidden[end - 12..].copy_from_slice(b"\n#include \"x");
        let id = attached.keep(&hidden);
        let of = |name: &str| attached.files(Some(&json!({ name: id }))).is_ok();
        assert_eq!((of("a.hlsl"), of("a.HLSL")), (false, false));
        assert_eq!(of("a.dxil"), Container::parse(&hidden).is_ok());
    }

    #[test]
    fn what_was_not_looked_at_is_not_included() {
        let shader = include_bytes!("../../../crates/dxbc/tests/lines.dxil");
        let attached = Attached::default();
        let (container, text) = (attached.keep(shader), attached.keep(b"float f();"));
        let of = |name: &str, id: &str| {
            let source = attached.keep(format!("#include \"{name}\"\n").as_bytes());
            attached.files(Some(&json!({ "a.hlsl": source, name: id }))).map_err(|refused| refused.why)
        };
        for name in ["b.dxil", "b.h", "b"] {
            assert!(of(name, &container).unwrap_err().contains("include"), "{name}");
            assert!(of(name, &text).is_ok(), "the control: {name} is a text");
        }
        // Which bytes these are a compiler guesses.
        let wide = attached.keep(b"\xff\xfe#\0i\0");
        assert!(of("b.h", &wide).is_err());
        // Where upper case is lower case, too, the second one takes the first one's place.
        let both = json!({ "a.h": text, "A.h": container });
        assert!(attached.files(Some(&both)).unwrap_err().why.contains("one file"));
    }

    #[test]
    fn sources_are_utf_8() {
        let shader = include_bytes!("../../../crates/dxbc/tests/lines.dxil");
        let attached = Attached::default();
        let of = |name: &str, bytes: &[u8]| {
            let id = attached.keep(bytes);
            attached.files(Some(&json!({ name: id }))).map(|files| files.may_be_shader(name))
        };
        let wide = |text: &str, mark: &[u8], each: fn(u16) -> [u8; 2]| -> Vec<u8> {
            mark.iter().copied().chain(text.encode_utf16().flat_map(each)).collect()
        };
        let text = "#include \"/etc/passwd\"";
        let wrong = [
            wide(text, b"\xff\xfe", u16::to_le_bytes),
            wide(text, b"\xfe\xff", u16::to_be_bytes),
            wide(text, b"", u16::to_le_bytes),
            b"float a;\0".to_vec(),
            b"float a; // \xe9".to_vec(),
        ];
        for bytes in &wrong {
            for name in ["a.hlsl", "a.hlsli", "A.HLSLI"] {
                assert!(of(name, bytes).unwrap_err().why.contains("UTF-8"), "{name} {bytes:?}");
            }
            // Contents of a buffer may be anything, but no shader is made of them.
            assert!(!of("a.bin", bytes).unwrap(), "{bytes:?}");
        }
        for name in ["a.hlsl", "a.hlsli", "a.txt"] {
            assert!(of(name, "float é;".as_bytes()).unwrap(), "{name}");
        }
        assert!(of("a.dxil", shader).unwrap());
    }

    #[test]
    fn what_came_first_goes_first() {
        let attached = Attached::default();
        let ids: Vec<String> = (0..5u8).map(|at| attached.keep(&vec![at; EACH])).collect();
        let there: Vec<bool> = ids.iter().map(|id| attached.get(id).is_some()).collect();
        assert_eq!(there, [false, true, true, true, true]);
    }

    #[test]
    fn a_shader_reads_attached_files_only() {
        let attached = Attached::default();
        let other = attached.keep(b"float f();");
        let of = |text: &str| {
            let id = attached.keep(text.as_bytes());
            attached.files(Some(&json!({ "a.hlsl": id, "b.hlsl": other }))).map_err(|refused| refused.why)
        };
        for good in
            ["float4 main() : SV_Target { return 1; }", "#include \"b.hlsl\"\n", "#  include \t\"b.hlsl\"", "x \\\n y"]
        {
            assert!(of(good).is_ok(), "{good}");
        }
        for bad in [
            "#include \"/etc/passwd\"",
            "#include <b.hlsl>",
            "#include B",
            "#inc\\\nlude \"/etc/passwd\"",
            "#inc\\ \r\nlude \"/etc/passwd\"",
            "#inc\\\rlude \"/etc/passwd\"",
            "#inc\\ \rlude \"/etc/passwd\"",
            "#\\\rinclude \"/etc/passwd\"",
            "#/* */include \"/etc/passwd\"",
            "%:include \"/etc/passwd\"",
            "#include_next \"b.hlsl\"",
            "#if __has_include(\"/etc/passwd\")",
            "#import \"/etc/passwd\"",
            "#embed \"/etc/passwd\"",
            "inc??/\nlude",
            "// include",
        ] {
            assert!(of(bad).is_err(), "{bad}");
        }
        // Bytes that are no text are looked at, too.
        let id = attached.keep(b"\xff#include \"/etc/passwd\"");
        assert!(attached.files(Some(&json!({ "a.hlsl": id }))).is_err());
    }
}
