//! `docs/addresses.md`, the one table of where addresses live, against the API model, the test programs and replay's own words.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Field, Role, Type};

/// Structures that consist of an address and sizes.
const RANGES: [&str; 3] = [
    "D3D12_GPU_VIRTUAL_ADDRESS_RANGE",
    "D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE",
    "D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE",
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn means(role: Role) -> bool {
    matches!(role, Role::GpuAddress | Role::GpuDescriptor | Role::CpuDescriptor)
}

/// Whether a parameter or field holds an address or a handle, or leads to one that no structure of its own names.
fn holds(field: &Field) -> bool {
    let mut ty = field.ty;
    while let Type::Pointer(pointee) = ty {
        ty = pointee.ty;
    }
    means(field.role) || matches!(ty, Type::Struct(id) if RANGES.contains(&MODEL.structs[usize::from(id.0)].name))
}

/// All of the model, as the table spells them.
fn of_the_model() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for method in MODEL.methods {
        let interface = method.interface.map_or("", |id| id.get().name);
        let params = method.params.iter().filter(|field| holds(field)).map(|field| field.name);
        for name in params.chain(means(method.result_role).then_some("result")) {
            all.insert(format!("{interface}::{}({name})", method.name));
        }
    }
    for structure in MODEL.structs {
        let fields = structure.fields.iter().filter(|field| holds(field));
        all.extend(fields.map(|field| format!("{}.{}", structure.name, field.name)));
    }
    all
}

/// What stands between marks of this kind.
fn between(text: &str, mark: char) -> impl Iterator<Item = &str> {
    text.split(mark).skip(1).step_by(2)
}

/// The cells of each row of the tables.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().filter(|line| line.starts_with('|') && !line.starts_with("|---"));
    lines.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

/// All text of replay's own modules, with strings over several lines as they are printed.
fn sources(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("tests") {
            text.push_str(&sources(&path));
        } else if path.extension().is_some_and(|it| it == "rs") {
            for (index, part) in fs::read_to_string(&path).unwrap().split("\\\n").enumerate() {
                text.push_str(if index == 0 { part } else { part.trim_start() });
            }
        }
    }
    text
}

fn table() -> String {
    fs::read_to_string(workspace().join("docs/addresses.md")).unwrap()
}

#[test]
fn the_table_has_every_address_of_the_model() {
    let text = table();
    let named: BTreeSet<String> = rows(&text)
        .iter()
        .flat_map(|row| between(row[0], '`'))
        .filter(|name| name.contains('.') || name.contains("::"))
        .map(str::to_owned)
        .collect();
    let model = of_the_model();
    let missing: Vec<_> = model.difference(&named).collect();
    assert!(missing.is_empty(), "docs/addresses.md does not say how these are honoured: {missing:#?}");
    let unknown: Vec<_> = named.difference(&model).collect();
    assert!(unknown.is_empty(), "docs/addresses.md names what the API does not have: {unknown:#?}");
    // The walk sees each kind: a parameter, a result, a field, a part of a structure, the elements of an array.
    for name in [
        "ID3D12GraphicsCommandList::SetComputeRootConstantBufferView(BufferLocation)",
        "ID3D12Resource::GetGPUVirtualAddress(result)",
        "D3D12_RAYTRACING_INSTANCE_DESC.AccelerationStructure",
        "D3D12_NODE_GPU_INPUT.Records",
        "ID3D12Device::CopyDescriptors(pSrcDescriptorRangeStarts)",
    ] {
        assert!(model.contains(name), "{name}");
    }
}

#[test]
fn programs_and_refusals_of_the_table_are_there() {
    let text = table();
    let expected = fs::read_to_string(workspace().join("crates/programs/expected.txt")).unwrap();
    let programs: BTreeSet<&str> = expected.lines().filter_map(|line| line.split(' ').next()).collect();
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    for row in rows(&text) {
        assert_eq!(row.len(), 4, "{row:?}");
        for program in between(row[3], '`') {
            assert!(programs.contains(program), "{program} is no program");
        }
        assert!(row[3] != "–" || !row[2].starts_with("moved on"), "nothing proves that this is moved: {row:?}");
        for words in between(row[2], '"') {
            assert!(sources.contains(words), "replay does not say: {words}");
        }
    }
}
