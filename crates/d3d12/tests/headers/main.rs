//! The tables against C compilers' views of public headers: sizes, offsets, vtable slots and enumerators.
//!
//! Each probe is one array of constants, a line each; the compiler's assembly output gives their values, so nothing needs
//! to run (the mingw headers are a foreign target). Lines that a header does not know (it is older or smaller than the
//! model) are left out by the compiler's own error messages and counted; floors keep that from hiding everything.
//!
//! The other way round, everything that Microsoft's headers declare must be in the model, or in the list of what no call carries. The headers
//! are Debian's; `cargo xtask headers FOLDER` takes other versions of them.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // A failing step is a failing test.

mod absent;
mod declarations;

use declarations::{Declarations, is_marker};
use reprise_d3d12::generated::types::{STRUCT_LAYOUTS, UNION_LAYOUTS};
use reprise_d3d12::generated::{ENUMS, INTERFACES, STRUCTS};
use reprise_d3d12::model::InterfaceId;
use reprise_testing::{missing, require};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Headers {
    name: &'static str,
    compiler: &'static str,
    language: &'static str,
    options: &'static [&'static str],
    /// Where the headers lie, if the compiler does not look there by itself.
    folder: Option<PathBuf>,
    /// Must exist; its Debian package.
    needs: (&'static str, &'static str),
    includes: &'static [&'static str],
    /// Fewest sizes, offsets, slots and enumerators that must be compared.
    floors: [usize; 4],
}

/// Microsoft's, of Debian or of the folder that a variable names.
fn directx() -> Headers {
    let named = std::env::var_os("REPRISE_DIRECTX_HEADERS").map(PathBuf::from);
    Headers {
        name: "directx",
        compiler: "g++",
        language: "c++",
        // WCHAR has 16 bits in the model. The empty annotation is one that the stub headers forget.
        options: &["-std=c++17", "-fshort-wchar", "-DCINTERFACE", "-D_Inout_count_(n)="],
        needs: ("directx/d3d12.h", "directx-headers-dev"),
        includes: &[
            "wsl/winadapter.h",
            "directx/d3d12.h",
            "directx/d3d12sdklayers.h",
            "directx/d3d12video.h",
            "directx/d3d12shader.h",
            "directx/d3d12compiler.h",
        ],
        // Headers of 2022 have less.
        floors: if named.is_some() { [350, 1500, 2500, 2800] } else { [420, 1950, 2950, 3200] },
        folder: Some(named.unwrap_or_else(|| "/usr/include".into())),
    }
}

const VKD3D: Headers = Headers {
    name: "vkd3d",
    compiler: "gcc",
    language: "c",
    options: &["-I/usr/include/vkd3d", "-DVKD3D_WIN32_WCHAR"],
    folder: None,
    needs: ("/usr/include/vkd3d/vkd3d_utils.h", "libvkd3d-dev"),
    includes: &[
        "X11/Xlib.h",
        "xcb/xcb.h",
        "vulkan/vulkan.h",
        "vulkan/vulkan_xcb.h",
        "vulkan/vulkan_xlib.h",
        "vkd3d_utils.h",
        "vkd3d_d3d12sdklayers.h",
    ],
    floors: [130, 580, 430, 600],
};

const MINGW: Headers = Headers {
    name: "mingw",
    compiler: "x86_64-w64-mingw32-gcc",
    language: "c",
    options: &["-DCINTERFACE"],
    folder: None,
    needs: ("/usr/x86_64-w64-mingw32/include/dxgi1_6.h", "mingw-w64"),
    includes: &["windows.h", "d3d12.h", "d3d12sdklayers.h", "d3d12shader.h", "dxgi1_6.h", "dxgidebug.h", "stddef.h"],
    floors: [160, 800, 1300, 2000],
};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Size,
    Offset,
    Slot,
    Enumerator,
}

impl Headers {
    /// The compiler, with where the headers lie.
    fn compiler(&self) -> Command {
        let mut compiler = Command::new(self.compiler);
        compiler.args(["-x", self.language]).args(self.options);
        if let Some(folder) = &self.folder {
            compiler.arg("-I").arg(folder).arg("-I").arg(folder.join("wsl/stubs"));
        }
        compiler
    }

    /// Whether both are there; says what to install.
    fn are_there(&self) -> bool {
        let (file, package) = self.needs;
        let file = self.folder.as_ref().map_or(PathBuf::from(file), |folder| folder.join(file));
        let of_windows = self.compiler.starts_with("x86_64-w64-mingw32");
        let brings_compiler = if of_windows { "gcc-mingw-w64-x86-64" } else { self.compiler };
        let compiler = require(missing::program(self.compiler, brings_compiler));
        compiler.is_some() && require(missing::file(&[&file.to_string_lossy()], package)).is_some()
    }
}

struct Item {
    kind: Kind,
    name: String,
    expression: String,
    expected: i64,
}

/// Everything the tables say that C can say too.
fn items() -> Vec<Item> {
    let mut items = Vec::new();
    for row in STRUCTS {
        // vkd3d's own structures have no typedef.
        let name = if row.name.starts_with("vkd3d_") { format!("struct {}", row.name) } else { row.name.to_string() };
        let push = |items: &mut Vec<Item>, kind, name: String, expression, expected: u32| {
            items.push(Item { kind, name, expression, expected: expected.into() });
        };
        push(&mut items, Kind::Size, row.name.to_string(), format!("sizeof({name})"), row.size);
        for field in row.fields {
            let c = match (row.name, field.name) {
                ("VkSwapchainCreateInfoKHR", "imageExtentWidth") => "imageExtent.width",
                ("VkSwapchainCreateInfoKHR", "imageExtentHeight") => "imageExtent.height",
                (_, name) => name,
            };
            let place = format!("{}.{}", row.name, field.name);
            push(&mut items, Kind::Offset, place, format!("offsetof({name}, {c})"), field.offset);
        }
    }
    for (at, row) in INTERFACES.iter().enumerate() {
        for (slot, method) in InterfaceId(at as u16).vtable().enumerate() {
            let method = method.get().name;
            items.push(Item {
                kind: Kind::Slot,
                name: format!("{}::{method}", row.name),
                expression: format!("offsetof({}Vtbl, {method}) / sizeof(void *)", row.name),
                expected: slot as i64,
            });
        }
    }
    for row in ENUMS {
        for (member, value) in row.members {
            // Their C type is int or unsigned; the low 32 bits are what counts.
            let expression = format!("(unsigned int)({member})");
            let expected = i64::from(*value as u32);
            items.push(Item { kind: Kind::Enumerator, name: (*member).to_string(), expression, expected });
        }
    }
    items
}

/// Compiles the probe with the items in `wanted`; gives the assembly, or the lines that were refused.
fn compile(
    headers: &Headers,
    folder: &Path,
    items: &[Item],
    wanted: &BTreeSet<usize>,
) -> Result<String, BTreeSet<usize>> {
    let mut text = String::new();
    for include in headers.includes {
        text.push_str(&include_line(include));
    }
    // One array each: an array with one bad element would be dropped whole.
    text.push_str("#include <stddef.h>\n");
    let first = text.lines().count() + 1;
    let order: Vec<usize> = wanted.iter().copied().collect();
    for at in &order {
        // No value is zero, which an assembler would be free to write differently.
        writeln!(text, "unsigned long long probe_{at} = 0x100000000ull + {};", items[*at].expression).unwrap();
    }
    let source = folder.join(format!("{}.src", headers.name));
    std::fs::write(&source, text).unwrap();
    let output = headers
        .compiler()
        .args(["-S", "-w", "-fmax-errors=0", "-fno-diagnostics-show-caret", "-o", "-"])
        .arg(&source)
        .output()
        .expect("the compiler runs");
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let messages = String::from_utf8_lossy(&output.stderr);
    let prefix = format!("{}:", source.display());
    let mut refused = BTreeSet::new();
    for message in messages.lines().filter(|line| line.contains(" error: ") && line.starts_with(&prefix)) {
        let line: usize =
            message[prefix.len()..].split(':').next().and_then(|n| n.parse().ok()).expect("a line number");
        assert!(line >= first, "{}: {message}", headers.name);
        refused.insert(order[line - first]);
    }
    assert!(!refused.is_empty(), "{}: {messages}", headers.name);
    Err(refused)
}

/// Newer versions have headers that older ones lack; the floors see to it that none is missing by mistake.
fn include_line(include: &str) -> String {
    format!("#if __has_include(<{include}>)\n#include <{include}>\n#endif\n")
}

/// The words of the headers after preprocessing: an item with a word that does not occur need not be tried (and compilers
/// search long for what might have been meant by thousands of unknown names).
fn words(headers: &Headers, folder: &Path) -> BTreeSet<String> {
    let source = folder.join(format!("{}.includes", headers.name));
    let text: String = headers.includes.iter().map(|include| include_line(include)).collect();
    std::fs::write(&source, text).unwrap();
    let output = headers.compiler().args(["-E", "-P", "-w"]).arg(&source).output().expect("the compiler runs");
    assert!(output.status.success(), "{}: {}", headers.name, String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    identifiers(&text).map(str::to_string).collect()
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
}

fn values(assembly: &str) -> BTreeMap<usize, i64> {
    let mut values = BTreeMap::new();
    let mut current = None;
    for line in assembly.lines().map(str::trim) {
        if let Some(label) = line.strip_prefix("probe_").and_then(|rest| rest.strip_suffix(':')) {
            current = label.parse::<usize>().ok();
        } else if let (Some(at), Some(value)) = (current, line.strip_prefix(".quad")) {
            let value: i64 = value.trim().parse().expect("a number");
            values.insert(at, value - 0x1_0000_0000);
            current = None;
        }
    }
    values
}

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// What the headers say of those items that they know.
fn probe(headers: &Headers, items: &[Item]) -> BTreeMap<usize, i64> {
    let folder = scratch(headers.name);
    let mut known = words(headers, &folder);
    known.extend(["sizeof", "offsetof", "struct", "void", "unsigned", "int"].map(str::to_string));
    let may_be_known = |item: &Item| identifiers(&item.expression).all(|word| known.contains(word));
    let mut wanted: BTreeSet<usize> = (0..items.len()).filter(|at| may_be_known(&items[*at])).collect();
    loop {
        match compile(headers, &folder, items, &wanted) {
            Ok(assembly) => return values(&assembly),
            Err(refused) => wanted.retain(|at| !refused.contains(at)),
        }
    }
}

fn compare(headers: &Headers) {
    if !headers.are_there() {
        return;
    }
    let items = items();
    let mut compared: BTreeMap<Kind, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (at, value) in probe(headers, &items) {
        let item = &items[at];
        *compared.entry(item.kind).or_default() += 1;
        if value != item.expected && !may_differ(&item.name, value) {
            wrong.push(format!("{}: C says {value}, the model {}", item.name, item.expected));
        }
    }
    let counts: Vec<usize> = [Kind::Size, Kind::Offset, Kind::Slot, Kind::Enumerator]
        .iter()
        .map(|kind| compared.get(kind).copied().unwrap_or_default())
        .collect();
    println!(
        "{}: {} structures, {} fields, {} slots, {} enumerators compared",
        headers.name, counts[0], counts[1], counts[2], counts[3]
    );
    assert!(wrong.is_empty(), "{}:\n{}", headers.name, wrong.join("\n"));
    for (count, floor) in counts.iter().zip(headers.floors) {
        assert!(*count >= floor, "{}: {counts:?} compared, at least {:?} expected", headers.name, headers.floors);
    }
}

/// What moves with every version of the headers, and the one structure that grew (the overlay says why ours did not).
fn may_differ(name: &str, value: i64) -> bool {
    is_marker(name) || (name, value) == ("D3D12_UNORDERED_ACCESS_VIEW_DESC", 48)
}

#[test]
fn microsofts_headers_agree() {
    compare(&directx());
}

/// Nothing that the headers declare is unknown to the model. A member by another name of the same number has been renamed: traces keep numbers.
#[test]
fn microsofts_headers_declare_nothing_else() {
    let headers = directx();
    if !headers.are_there() {
        return;
    }
    let folder = headers.folder.as_ref().expect("Microsoft's headers lie in a folder");
    let declared = Declarations::read(folder, headers.includes);
    let unknown = declared.unknown_members();
    let item = |name: &String| Item {
        kind: Kind::Enumerator,
        name: name.clone(),
        expression: format!("(unsigned int)({name})"),
        expected: 0,
    };
    let items: Vec<Item> = unknown.iter().map(|(_, name)| item(name)).collect();
    let mut missing = declared.missing();
    for (at, value) in probe(&headers, &items) {
        let row = &ENUMS[unknown[at].0];
        if !row.members.iter().any(|(_, known)| i64::from(*known as u32) == value) {
            missing.push(format!("{} = {value} is not in the model's {}", items[at].name, row.name));
        }
    }
    let [types, members, ids] = declared.counts();
    println!("{}: {types} types, {members} members, {ids} interfaces", folder.display());
    assert!(missing.is_empty(), "{}:\n{}", folder.display(), missing.join("\n"));
    assert!(types > 500 && members > 2_000 && ids > 100, "{types} types, {members} members, {ids} interfaces");
}

#[test]
fn vkd3ds_headers_agree() {
    compare(&VKD3D);
}

#[test]
fn mingws_headers_agree() {
    compare(&MINGW);
}

/// The Rust types have the layout that the tables state.
#[test]
fn rust_types_agree() {
    let tables: BTreeMap<&str, _> = STRUCTS.iter().map(|row| (row.name, row)).collect();
    let mut fields = 0;
    let mut types = 0;
    for layout in STRUCT_LAYOUTS.iter().chain(UNION_LAYOUTS) {
        // Members without a name of their own are part of their parent in the tables.
        let Some(row) = tables.get(layout.name) else { continue };
        types += 1;
        assert_eq!((layout.size, layout.align), (row.size as usize, usize::from(row.align)), "{}", layout.name);
        for (name, offset) in layout.fields {
            if let Some(field) = row.fields.iter().find(|field| field.name == name.trim_start_matches("r#")) {
                assert_eq!(field.offset as usize, *offset, "{}.{name}", layout.name);
                fields += 1;
            }
        }
    }
    println!("{types} types and {fields} fields compared");
    assert_eq!(types, STRUCTS.len());
    assert!(fields > 2400, "{fields}");
}
