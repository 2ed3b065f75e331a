#![allow(clippy::unwrap_used)]

use super::bound::{VERTEX_SLOTS, put};
use super::*;

/// Root signatures with equal last digits are equal.
fn same(one: u32, other: u32) -> bool {
    one % 10 == other % 10
}

fn words(roots: &Roots, parameter: usize) -> Vec<Option<u32>> {
    match roots.arguments.get(parameter).and_then(|argument| argument.as_ref()).map(|argument| &argument.value) {
        Some(RootArgument::Constants(words)) => words.clone(),
        _ => Vec::new(),
    }
}

fn with_signature(id: u32) -> Bound {
    let mut bound = Bound::default();
    bound.graphics.set_signature(id, 1, same);
    bound.graphics.set_constants(0, 0, [1, 2, 3].into_iter(), 2);
    bound.graphics.set(1, RootArgument::View(RootView::Read, 0x100), 3);
    bound
}

#[test]
fn an_equal_root_signature_makes_nothing_stale() {
    let mut bound = with_signature(11);
    bound.graphics.set_signature(21, 4, same);
    assert_eq!(words(&bound.graphics, 0), [Some(1), Some(2), Some(3)]);
    bound.graphics.set_signature(22, 5, same);
    assert!(bound.graphics.arguments.is_empty());
    assert_eq!(bound.graphics.signature, Some(Setting { value: 22, call: 5 }));
}

#[test]
fn constants_are_set_word_by_word_within_the_bounds_of_a_root_signature() {
    let mut roots = Roots::default();
    assert!(roots.set_constants(2, 1, [7].into_iter(), 1));
    assert!(roots.set_constants(2, 3, [9].into_iter(), 2));
    assert_eq!(words(&roots, 2), [None, Some(7), None, Some(9)]);
    assert!(!roots.set_constants(64, 0, [1].into_iter(), 3));
    assert!(!roots.set_constants(0, u32::MAX, [1].into_iter(), 3));
    assert!(!roots.set(u32::MAX, RootArgument::Table(1), 3));
    let mut slots: Vec<Option<Setting<Option<VertexBuffer>>>> = Vec::new();
    assert!(!put(&mut slots, VERTEX_SLOTS, VERTEX_SLOTS, Setting { value: None, call: 1 }));
}

#[test]
fn a_bundles_settings_stay_on_the_list() {
    let (mut list, mut bundle) = (with_signature(11), Bound::default());
    list.set_pipeline(Pipeline::State(70), 5);
    list.depth_bias = Some(Setting { value: [1.0; 3], call: 6 });
    list.topology = Some(Setting { value: 4, call: 7 });
    // The same root signature: what the bundle does not set is the list's.
    bundle.graphics.set_signature(21, 20, same);
    bundle.graphics.set_constants(0, 1, [8].into_iter(), 21);
    bundle.stencil_ref = Some(Setting { value: [5, 5], call: 22 });
    let before = Bound::within(&list, &bundle, same);
    assert_eq!((before.pipeline, before.topology), (None, None), "not inherited");
    assert_eq!(words(&before.graphics, 0), [Some(1), Some(8), Some(3)]);
    list.run(&bundle, same);
    assert_eq!(words(&list.graphics, 0), [Some(1), Some(8), Some(3)]);
    assert_eq!(list.pipeline, Some(Setting { value: Pipeline::State(70), call: 5 }));
    assert!(list.depth_bias.is_some() && list.topology.is_some() && list.stencil_ref.is_some());
    // Another pipeline takes dynamic states back.
    bundle.set_pipeline(Pipeline::State(71), 23);
    list.run(&bundle, same);
    assert_eq!((list.pipeline.unwrap().value, list.depth_bias), (Pipeline::State(71), None));
}

#[test]
fn a_bundle_with_another_root_signature_inherits_no_arguments() {
    let (mut list, mut bundle) = (with_signature(11), Bound::default());
    bundle.graphics.set_signature(12, 20, same);
    bundle.graphics.set_constants(0, 1, [8].into_iter(), 21);
    list.run(&bundle, same);
    assert_eq!(words(&list.graphics, 0), [None, Some(8)]);
    assert_eq!(list.graphics.arguments.len(), 1);
    // There and back again: in between, all was stale.
    let (mut list, mut bundle) = (with_signature(11), Bound::default());
    bundle.graphics.set_signature(12, 20, same);
    bundle.graphics.set_signature(11, 21, same);
    list.run(&bundle, same);
    assert!(list.graphics.arguments.is_empty());
}

#[test]
fn indirect_commands_leave_zeros_and_null() {
    let mut bound = with_signature(11);
    put(
        &mut bound.vertices,
        1,
        VERTEX_SLOTS,
        Setting { value: Some(VertexBuffer { address: 1, size: 2, stride: 3 }), call: 4 },
    );
    let changes = vec![
        Change::Constants(0, 1, 2),
        Change::View(1, RootView::Read),
        Change::Vertices(1),
        Change::Index,
        Change::Constants(u32::MAX, 0, u32::MAX),
        Change::Vertices(u32::MAX),
    ];
    CommandSignature { changes, dispatches: false }.run(&mut bound, 9);
    assert_eq!(words(&bound.graphics, 0), [Some(1), Some(0), Some(0)]);
    assert_eq!(bound.graphics.arguments[1].as_ref().unwrap().value, RootArgument::View(RootView::Read, 0));
    assert_eq!(bound.vertices[1], Some(Setting { value: None, call: 9 }));
    assert_eq!(bound.index, Some(Setting { value: None, call: 9 }));
}

#[test]
fn markers_in_all_encodings() {
    let utf16: Vec<u8> = "Schatten ü\0rest".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(Marker::new(0, &utf16, 1).text, "Schatten ü");
    assert_eq!(Marker::new(1, b"shadow\0", 1).text, "shadow");
    assert_eq!(Marker::new(1, b"without an end", 1).text, "without an end");
    assert_eq!(Marker::new(7, b"abc", 1).text, "(encoding 7, 3 bytes)");
}

/// As pix3.h writes it: type at bit 10, colour, how the text is written (bit 54: bytes), text in words.
#[test]
fn blocks_of_pix() {
    let block = |kind: u64, format: &str, rest: &[u64]| {
        let mut bytes: Vec<u8> =
            [kind << 10, 0xff00_8040, 1 << 54].iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(format.as_bytes());
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        rest.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes
    };
    let plain = Marker::new(2, &block(2, "light pass", &[0xfff80]), 3);
    assert_eq!((plain.text.as_str(), plain.colour, plain.call), ("light pass", Some(0xff00_8040), 3));
    let text = u64::from_le_bytes(*b"moon\0\0\0\0");
    let rest = [(-5i64) as u64, 255, 1.5f64.to_bits(), 1 << 54, text, 0xfff80];
    let filled = Marker::new(2, &block(1, "%d%% of %04x at %.2f by %s", &rest), 3);
    assert_eq!(filled.text, "-5% of 00ff at 1.50 by moon");
    // Too few arguments, and bytes that are no block.
    assert_eq!(Marker::new(2, &block(7, "%u and %u", &[3]), 3).text, "3 and %u");
    assert!(Marker::new(2, &block(5, "x", &[]), 3).text.starts_with("(a damaged PIX block"));
    assert!(Marker::new(2, &[1, 2, 3], 3).text.starts_with("(a damaged PIX block"));
}

#[test]
fn runs_of_calls() {
    let mut runs = Runs::default();
    [3, 4, 5, 9, 9, 2, 10].into_iter().for_each(|number| runs.push(number));
    assert_eq!(runs.runs(), [(3, 3), (9, 2)]);
    assert_eq!((runs.len(), runs.ends()), (5, Some((3, 10))));
    assert_eq!(runs.iter().collect::<Vec<_>>(), [3, 4, 5, 9, 10]);
    assert!(runs.contains(5) && !runs.contains(6) && runs.contains(10) && !runs.contains(11) && !runs.contains(2));
}

#[test]
fn stream_output_without_an_address_is_none() {
    let output = |address| Some(Setting { value: Some(StreamOutput { address, size: 64, filled: 0 }), call: 7 });
    // Mesa's OpenGL sets such views before each draw.
    let mut bound = Bound { stream_output: vec![output(0), None, output(0)], ..Bound::default() };
    assert_eq!(bound.streams().count(), 0);
    bound.stream_output.push(output(0x1000));
    let set: Vec<(u64, u64)> = bound.streams().map(|(output, call)| (output.address, call)).collect();
    assert_eq!(set, [(0x1000, 7)]);
}
