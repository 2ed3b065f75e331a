//! What headers declare, read from their text: enumerations with their members, structures, and the ids of interfaces.
//!
//! The compiler says what a name is worth; only the text says which names there are.

use super::absent;
use reprise_d3d12::generated::{ENUMS, INTERFACES, STRUCTS};
use reprise_d3d12::model::Guid;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[derive(Default)]
pub(crate) struct Declarations {
    /// Members by enumeration.
    pub enumerations: BTreeMap<String, Vec<String>>,
    structures: BTreeSet<String>,
    ids: BTreeMap<String, Guid>,
}

/// Where a header says that it ends, and what moves with every version.
pub(crate) fn is_marker(name: &str) -> bool {
    name.ends_with("_MAX_VALID") || name.ends_with("_MESSAGES_END") || name == "D3D_HIGHEST_SHADER_MODEL"
}

impl Declarations {
    /// Reads those of the files that are there: older versions of the headers lack some.
    pub(crate) fn read(folder: &Path, files: &[&str]) -> Declarations {
        let mut all = Declarations::default();
        for file in files.iter().filter(|file| folder.join(file).is_file()) {
            let text = String::from_utf8_lossy(&std::fs::read(folder.join(file)).unwrap()).into_owned();
            all.add(&words(&text));
        }
        all
    }

    fn add(&mut self, words: &[&str]) {
        for at in 0..words.len() {
            match words[at..] {
                ["enum", tag, "{", ref rest @ ..] => {
                    let end = rest.iter().position(|word| *word == "}").expect("an enumeration ends");
                    // The tag has another name at times.
                    let name = rest.get(end + 1).filter(|name| **name != ";").unwrap_or(&tag);
                    let members = rest[..end].split(|word| *word == ",").filter_map(|member| member.first());
                    let members = members.map(|member| (*member).to_string()).collect();
                    self.enumerations.insert(name.trim_start_matches('_').to_string(), members);
                }
                ["struct", name, "{", ..] if !name.ends_with("Vtbl") => {
                    self.structures.insert(name.trim_start_matches('_').to_string());
                }
                ["DEFINE_GUID", "(", name, ",", ref rest @ ..] => {
                    if let Some(name) = name.strip_prefix("IID_") {
                        self.ids.insert(name.to_string(), id(rest));
                    }
                }
                _ => (),
            }
        }
    }

    /// Types and interfaces that neither the model nor the list of absent ones has, and interfaces whose id differs.
    pub(crate) fn missing(&self) -> Vec<String> {
        let mut known: BTreeSet<&str> =
            STRUCTS.iter().map(|row| row.name).chain(ENUMS.iter().map(|row| row.name)).collect();
        known.extend(absent::TYPES.iter().flat_map(|(_, names)| *names));
        let types = self.structures.iter().chain(self.enumerations.keys());
        let unknown = types.filter(|name| !known.contains(name.as_str()));
        let mut missing: Vec<String> = unknown.map(|name| format!("{name} is not in the model")).collect();
        for (name, id) in &self.ids {
            match INTERFACES.iter().find(|row| row.name == name) {
                Some(row) if row.iid == *id => (),
                Some(_) => missing.push(format!("{name} has another id in the model")),
                None if known.contains(name.as_str()) => (),
                None => missing.push(format!("{name} is not in the model")),
            }
        }
        missing
    }

    /// How many types, members and interfaces there are.
    pub(crate) fn counts(&self) -> [usize; 3] {
        let members = self.enumerations.values().map(Vec::len).sum();
        [self.structures.len() + self.enumerations.len(), members, self.ids.len()]
    }

    /// Members that the model lacks, of enumerations that it has, with the row's number.
    pub(crate) fn unknown_members(&self) -> Vec<(usize, String)> {
        let mut unknown = Vec::new();
        for (at, row) in ENUMS.iter().enumerate() {
            let has = |name: &str| row.members.iter().any(|(member, _)| *member == name);
            for name in self.enumerations.get(row.name).into_iter().flatten() {
                if !has(name) && !is_marker(name) {
                    unknown.push((at, name.clone()));
                }
            }
        }
        unknown
    }
}

/// Identifiers and numbers, and each other character by itself; without comments.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(first.len_utf8());
            if !first.is_whitespace() {
                words.push(&rest[..end]);
            }
            end
        };
        rest = &rest[end..];
    }
    words
}

/// An id from its eleven numbers, with commas between them.
fn id(words: &[&str]) -> Guid {
    let numbers = words.iter().take(21).step_by(2).map(|word| {
        let digits = word.trim_start_matches("0x").trim_start_matches("0X");
        u32::from_str_radix(digits, 16).unwrap_or_else(|_| panic!("{word} is no hexadecimal number"))
    });
    let numbers: Vec<u32> = numbers.collect();
    let mut data4 = [0; 8];
    for (byte, number) in data4.iter_mut().zip(&numbers[3..]) {
        *byte = *number as u8;
    }
    Guid { data1: numbers[0], data2: numbers[1] as u16, data3: numbers[2] as u16, data4 }
}

/// A comparison that finds nothing must be able to: a made-up header, of which only one thing is known.
#[test]
fn what_the_model_lacks_is_named() {
    let header = "typedef /* enum D3D12_NO { */ enum D3D12_TAG // enum D3D12_NEITHER {\n { D3D12_NEW_A = 0, D3D12_NEW_B = ( D3D12_NEW_A + 1 ) } D3D12_NEW;
        typedef enum D3D12_FILL_MODE { D3D12_FILL_MODE_SOLID = 3, D3D12_FILL_MODE_DOTS = 4, D3D12_FILL_MODE_MAX_VALID } D3D12_FILL_MODE;
        typedef struct _D3D12_NEWER { UINT a; } D3D12_NEWER; typedef struct ID3D12NewestVtbl { int a; } ID3D12NewestVtbl;
        DEFINE_GUID(IID_ID3D12Newest,0x1,0x2,0x3,0x4,0x5,0x6,0x7,0x8,0x9,0xa,0xb);
        DEFINE_GUID(IID_ID3D12Device,0x1,0x2,0x3,0x4,0x5,0x6,0x7,0x8,0x9,0xa,0xb);
        DEFINE_GUID(IID_ID3D12Object,0xc4fec28f,0x7966,0x4e95,0x9f,0x94,0xf4,0x31,0xcb,0x56,0xc3,0xb8);";
    let mut all = Declarations::default();
    all.add(&words(header));
    let expected = [
        "D3D12_NEWER is not in the model",
        "D3D12_NEW is not in the model",
        "ID3D12Device has another id in the model",
        "ID3D12Newest is not in the model",
    ];
    assert_eq!(all.missing(), expected);
    let members: Vec<String> = all.unknown_members().into_iter().map(|(_, name)| name).collect();
    assert_eq!(members, ["D3D12_FILL_MODE_DOTS"]);
    assert_eq!(all.counts(), [3, 5, 3]);
}
