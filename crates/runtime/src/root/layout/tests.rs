//! The block against the rules it is made by, for any root signature.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::{Constants, Descriptor, Parameter, Range};
use reprise_shader::Stage;

use super::*;

fn range(kind: Kind) -> impl Strategy<Value = Range> {
    (0..8u32, 1..5u32, 0..3u32, prop_oneof![Just(APPEND), 0..20u32])
        .prop_map(move |(register, count, space, offset)| Range { kind, count, register, space, flags: 0, offset })
}

fn content() -> impl Strategy<Value = Content> {
    let kind = || prop_oneof![Just(Kind::Cbv), Just(Kind::Srv), Just(Kind::Uav)];
    prop_oneof![
        prop::collection::vec(kind().prop_flat_map(range), 0..4).prop_map(Content::Table),
        prop::collection::vec(range(Kind::Sampler), 1..3).prop_map(Content::Table),
        (0..8u32, 0..3u32, 1..9u32).prop_map(|(register, space, count)| Content::Constants(Constants {
            register,
            space,
            count
        })),
        (kind(), 0..8u32, 0..3u32).prop_map(|(kind, register, space)| Content::Descriptor(Descriptor {
            kind,
            register,
            space,
            flags: 0
        })),
    ]
}

fn signature() -> impl Strategy<Value = RootSignature> {
    prop::collection::vec((0..8u32, content()), 0..12).prop_map(|parameters| RootSignature {
        flags: 0,
        parameters: parameters.into_iter().map(|(visibility, content)| Parameter { visibility, content }).collect(),
        samplers: Vec::new(),
    })
}

/// First word and number of words of an argument.
fn extent(argument: &Argument) -> (u32, u32) {
    match *argument {
        Argument::Address { word, .. } => (word, 2),
        Argument::Constants { word, count } => (word, count),
        Argument::Table { word, .. } => (word, 1),
        Argument::Empty => (0, 0),
    }
}

proptest! {
    #[test]
    fn every_word_has_one_argument(signature in signature()) {
        let push = PushLayout::new(&signature);
        let mut owners = vec![0; push.words as usize];
        for argument in &push.arguments {
            let (word, count) = extent(argument);
            owners[word as usize..][..count as usize].iter_mut().for_each(|owner| *owner += 1);
        }
        prop_assert_eq!(&owners, &vec![1; push.words as usize]);
        prop_assert_eq!(push.arguments.len(), signature.parameters.len());
        // Never more than the API counts, so the limit of 64 words is kept.
        prop_assert!(u64::from(push.words) <= signature.cost());
        prop_assert!(push.fits(push.words * 4) && !(push.words > 0 && push.fits(push.words * 4 - 1)));
    }

    #[test]
    fn addresses_are_first_and_aligned_then_constants_then_tables(signature in signature()) {
        let push = PushLayout::new(&signature);
        let rank = |argument: &Argument| match argument {
            Argument::Address { .. } => 0,
            Argument::Constants { .. } => 1,
            Argument::Table { .. } => 2,
            Argument::Empty => 3,
        };
        let mut sorted = push.arguments.clone();
        sorted.sort_by_key(rank);
        sorted.retain(|argument| *argument != Argument::Empty);
        let places: Vec<u32> = sorted.iter().map(|argument| extent(argument).0).collect();
        prop_assert!(places.is_sorted());
        prop_assert!(sorted.iter().filter(|argument| rank(argument) == 0).all(|argument| extent(argument).0.is_multiple_of(2)));
    }

    /// Follows a register as a shader would, and as the API describes it.
    #[test]
    fn registers_are_found_where_the_api_says(
        signature in signature(), space in 0..3u32, register in 0..14u32, class_number in 0..4u32,
    ) {
        let push = PushLayout::new(&signature);
        let interface = interface(&signature, &push, Heaps::default(), 9, None);
        let wanted = Class::from_number(class_number).unwrap();
        let mut expected = None;
        'search: for (parameter, argument) in signature.parameters.iter().zip(&push.arguments) {
            if !Stage::Pixel.sees(parameter.visibility) {
                continue;
            }
            let here = extent(argument).0;
            match &parameter.content {
                Content::Table(ranges) => {
                    let mut next = 0;
                    for range in ranges {
                        let start = if range.offset == APPEND { next } else { range.offset };
                        next = start + range.count;
                        let covered = range.register..range.register + range.count;
                        if class(range.kind) == wanted && range.space == space && covered.contains(&register) {
                            expected = Some((here, Some(start + register - range.register)));
                            break 'search;
                        }
                    }
                }
                Content::Constants(it) if (wanted, it.space, it.register) == (Class::Cbv, space, register) => {
                    expected = Some((here, None));
                    break 'search;
                }
                Content::Descriptor(it) if (class(it.kind), it.space, it.register) == (wanted, space, register) => {
                    expected = Some((here, None));
                    break 'search;
                }
                _ => {}
            }
        }
        let behind = interface.root_descriptors * 2;
        let found = interface.find(Stage::Pixel, wanted, space, register).map(|(binding, at)| match binding.place {
            Place::Table { word, offset } => (word + behind, Some(offset + at)),
            Place::Address(index) => (index * 2, None),
            Place::Constants(word) => (word + behind, None),
            Place::Fixed(_) => unreachable!("no static samplers here"),
        });
        prop_assert_eq!(found, expected);
        prop_assert_eq!(behind + interface.root_words, push.words);
    }
}
