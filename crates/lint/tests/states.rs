//! States against an independent model: the table of "Common state promotion" and the sentences of "State decay to common", by names.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use reprise_lint::states::{Access, Kind, layout, legacy};
use std::collections::BTreeSet;

/// A row of the table: the state, whether a use may promote buffers and simultaneous access textures to it, whether other textures;
/// then whether it is read-only; then its bit.
const TABLE: [(&str, bool, bool, bool, Access); 17] = [
    ("VERTEX_AND_CONSTANT_BUFFER", true, false, true, Access::Vertex),
    ("VERTEX_AND_CONSTANT_BUFFER", true, false, true, Access::Constants),
    ("INDEX_BUFFER", true, false, true, Access::Index),
    ("RENDER_TARGET", true, false, false, Access::Target),
    ("UNORDERED_ACCESS", true, false, false, Access::Unordered),
    ("DEPTH_WRITE", false, false, false, Access::DepthWrite),
    ("DEPTH_READ", false, false, true, Access::DepthRead),
    ("NON_PIXEL_SHADER_RESOURCE", true, true, true, Access::NonPixel),
    ("PIXEL_SHADER_RESOURCE", true, true, true, Access::Pixel),
    ("STREAM_OUT", true, false, false, Access::StreamOut),
    ("INDIRECT_ARGUMENT", true, false, true, Access::Indirect),
    ("COPY_DEST", true, true, false, Access::CopyTo),
    ("COPY_SOURCE", true, true, true, Access::CopyFrom),
    ("RESOLVE_DEST", true, false, false, Access::ResolveTo),
    ("RESOLVE_SOURCE", true, false, true, Access::ResolveFrom),
    ("SHADING_RATE_SOURCE", false, false, true, Access::Rate),
    ("RAYTRACING_ACCELERATION_STRUCTURE", false, false, false, Access::Structure),
];

/// The model: the names of the state's bits; none for common.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    names: BTreeSet<&'static str>,
    promoted: bool,
}

fn row(name: &str) -> &'static (&'static str, bool, bool, bool, Access) {
    TABLE.iter().find(|row| row.0 == name).unwrap()
}

impl Model {
    /// Whether the use is allowed.
    fn uses(&mut self, flexible: bool, name: &'static str) -> bool {
        let (_, flexibly, otherwise, reads, _) = *row(name);
        let promotable = if flexible { flexibly } else { otherwise };
        if self.names.is_empty() {
            if promotable {
                self.names.insert(name);
                self.promoted = true;
            }
            return promotable;
        }
        if self.names.contains(name) || (name == "DEPTH_READ" && self.names.contains("DEPTH_WRITE")) {
            return true;
        }
        // More reads are added to reads that uses promoted to.
        let only_reads = self.names.iter().all(|name| row(name).3);
        let added = self.promoted && only_reads && reads && promotable;
        if added {
            self.names.insert(name);
        }
        added
    }

    fn ends(&mut self, flexible: bool, copy_queue: bool) {
        let only_reads = self.names.iter().all(|name| row(name).3);
        if flexible || copy_queue || (self.promoted && only_reads) {
            self.names.clear();
        }
        self.promoted = false;
    }

    fn text(&self) -> BTreeSet<String> {
        let names = if self.names.is_empty() { vec!["COMMON"] } else { self.names.iter().copied().collect() };
        names.into_iter().map(str::to_owned).collect()
    }
}

#[derive(Clone, Debug)]
enum Step {
    Use(usize),
    Move(usize),
    End(bool),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..TABLE.len()).prop_map(Step::Use),
        2 => (0..TABLE.len()).prop_map(Step::Move),
        2 => any::<bool>().prop_map(Step::End),
    ]
}

/// The names of a state's bits.
fn names(bits: u32) -> BTreeSet<String> {
    // Names for several bits at once are names of a text, not of states.
    let bits = (0..32).map(|bit| bits & 1 << bit).filter(|bit| *bit != 0);
    let names: BTreeSet<String> = bits.map(legacy::name).collect();
    if names.is_empty() { BTreeSet::from(["COMMON".to_owned()]) } else { names }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn states_go_as_the_documents_say(
        kind in prop_oneof![Just(Kind::Buffer), Just(Kind::Simultaneous), Just(Kind::Texture)],
        steps in proptest::collection::vec(step(), 0..24),
    ) {
        let flexible = kind != Kind::Texture;
        let (mut state, mut model) = (legacy::State::of(legacy::COMMON), Model::default());
        for step in steps {
            match step {
                Step::Use(at) => {
                    let allowed = legacy::used(kind, state, TABLE[at].4);
                    prop_assert_eq!(allowed.is_some(), model.uses(flexible, TABLE[at].0), "{:?}", TABLE[at].0);
                    state = allowed.unwrap_or(state);
                }
                Step::Move(at) => {
                    // The barrier names the state that it is in.
                    prop_assert!(legacy::matches(kind, state, state.bits));
                    state = legacy::State::of(TABLE[at].4.state());
                    model = Model { names: BTreeSet::from([TABLE[at].0]), promoted: false };
                }
                Step::End(copies) => {
                    state = legacy::decayed(kind, state, copies);
                    model.ends(flexible, copies);
                }
            }
            prop_assert_eq!(names(state.bits), model.text());
        }
    }

    /// A transition from common may name what a use could have promoted it to, and nothing else.
    #[test]
    fn transitions_from_common_name_what_uses_promote_to(
        kind in prop_oneof![Just(Kind::Buffer), Just(Kind::Texture)],
        at in 0..TABLE.len(),
    ) {
        let promotable = if kind == Kind::Texture { TABLE[at].2 } else { TABLE[at].1 };
        let common = legacy::State::of(legacy::COMMON);
        prop_assert_eq!(legacy::matches(kind, common, TABLE[at].4.state()), promotable);
    }

    /// A barrier put a subresource into a state: only that one matches.
    #[test]
    fn other_states_do_not_match(at in 0..TABLE.len(), other in 0..TABLE.len()) {
        let state = legacy::State::of(TABLE[at].4.state());
        prop_assert_eq!(legacy::matches(Kind::Texture, state, TABLE[other].4.state()), TABLE[at].0 == TABLE[other].0);
    }
}

/// Upload heaps are read, readback heaps are copied to, memory of acceleration structures is that alone.
#[test]
fn fixed_heaps_keep_their_states() {
    let state = legacy::State::of(legacy::GENERIC_READ);
    let allowed = |kind| TABLE.iter().filter(move |row| legacy::used(kind, state, row.4).is_some()).map(|row| row.0);
    let upload: BTreeSet<_> = allowed(Kind::Upload).collect();
    assert!(upload.contains("COPY_SOURCE") && upload.contains("INDEX_BUFFER") && upload.contains("RESOLVE_SOURCE"));
    assert!(!upload.contains("COPY_DEST") && !upload.contains("UNORDERED_ACCESS"));
    assert_eq!(allowed(Kind::Structure).collect::<Vec<_>>(), ["RAYTRACING_ACCELERATION_STRUCTURE"]);
    let readback: BTreeSet<_> = allowed(Kind::Readback).collect();
    assert!(
        readback.contains("COPY_DEST") && readback.contains("RESOLVE_DEST") && !readback.contains("UNORDERED_ACCESS")
    );
}

/// "Layout Access Compatibility" of the specification, as far as commands use textures.
#[test]
fn layouts_allow_what_the_specification_lists() {
    const READS: [Access; 3] = [Access::Pixel, Access::NonPixel, Access::CopyFrom];
    const COMMON: [Access; 4] = [Access::Pixel, Access::NonPixel, Access::CopyFrom, Access::CopyTo];
    const DIRECT: [Access; 6] =
        [Access::Pixel, Access::NonPixel, Access::CopyFrom, Access::DepthRead, Access::Rate, Access::ResolveFrom];
    const QUEUE: [Access; 5] = [Access::Pixel, Access::NonPixel, Access::CopyFrom, Access::CopyTo, Access::Unordered];
    const SHADERS: [Access; 2] = [Access::Pixel, Access::NonPixel];
    let table: [(&str, u32, &[Access]); 25] = [
        ("UNDEFINED", u32::MAX, &[]),
        ("COMMON", 0, &COMMON),
        ("GENERIC_READ", 1, &READS),
        ("RENDER_TARGET", 2, &[Access::Target]),
        ("UNORDERED_ACCESS", 3, &[Access::Unordered]),
        ("DEPTH_STENCIL_WRITE", 4, &[Access::DepthRead, Access::DepthWrite]),
        ("DEPTH_STENCIL_READ", 5, &[Access::DepthRead]),
        ("SHADER_RESOURCE", 6, &SHADERS),
        ("COPY_SOURCE", 7, &[Access::CopyFrom]),
        ("COPY_DEST", 8, &[Access::CopyTo]),
        ("RESOLVE_SOURCE", 9, &[Access::ResolveFrom]),
        ("RESOLVE_DEST", 10, &[Access::ResolveTo]),
        ("SHADING_RATE_SOURCE", 11, &[Access::Rate]),
        ("DIRECT_QUEUE_COMMON", 18, &QUEUE),
        ("DIRECT_QUEUE_GENERIC_READ", 19, &DIRECT),
        ("DIRECT_QUEUE_UNORDERED_ACCESS", 20, &[Access::Unordered]),
        ("DIRECT_QUEUE_SHADER_RESOURCE", 21, &SHADERS),
        ("DIRECT_QUEUE_COPY_SOURCE", 22, &[Access::CopyFrom]),
        ("DIRECT_QUEUE_COPY_DEST", 23, &[Access::CopyTo]),
        ("COMPUTE_QUEUE_COMMON", 24, &QUEUE),
        ("COMPUTE_QUEUE_GENERIC_READ", 25, &READS),
        ("COMPUTE_QUEUE_UNORDERED_ACCESS", 26, &[Access::Unordered]),
        ("COMPUTE_QUEUE_SHADER_RESOURCE", 27, &SHADERS),
        ("COMPUTE_QUEUE_COPY_SOURCE", 28, &[Access::CopyFrom]),
        ("DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE", 31, &DIRECT),
    ];
    for (name, number, allowed) in table {
        assert_eq!(layout::name(number), name);
        for (_, _, _, _, access) in TABLE {
            // What buffers are used as has nothing to do with layouts.
            let buffers = [
                Access::Vertex,
                Access::Constants,
                Access::Index,
                Access::StreamOut,
                Access::Indirect,
                Access::Structure,
            ];
            let expected = buffers.contains(&access) || allowed.contains(&access);
            assert_eq!(layout::allows(Kind::Texture, number, access), expected, "{name}: {access:?}");
        }
    }
}
