use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const ALL: [Use; 5] = [Use::Rest, Use::Target, Use::Source, Use::Destination, Use::Copy];
const BOTH: Aspects = Aspects::from_raw(Aspects::DEPTH.as_raw() | Aspects::STENCIL.as_raw());

/// Plane, level and layer.
type Key = (u32, u32, u32);

/// Every subresource of a range.
fn keys(range: &Range) -> Vec<Key> {
    let mut all = Vec::new();
    for plane in [Aspects::COLOR, Aspects::DEPTH, Aspects::STENCIL] {
        for level in range.first_level..range.first_level + range.levels {
            for layer in range.first_layer..range.first_layer + range.layers {
                if range.aspects.contains(plane) {
                    all.push((plane.as_raw(), level, layer));
                }
            }
        }
    }
    all
}

fn of_shape(aspects: Aspects, levels: u32, layers: u32) -> Shape {
    Shape { aspects, levels, layers, ..Shape::default() }
}

fn range(aspects: Aspects, (first_level, levels): (u32, u32), (first_layer, layers): (u32, u32)) -> Range {
    Range { aspects, first_level, levels, first_layer, layers }
}

proptest! {
    /// Against a map with an entry for each subresource.
    #[test]
    fn changes_are_those_of_a_map(
        depth: bool, levels in 1u32..5, layers in 1u32..5,
        changes in prop::collection::vec((0usize..3, (0u32..5, 1u32..5), (0u32..5, 1u32..5), 0usize..5, 0usize..4), 1..40),
    ) {
        let own = if depth { BOTH } else { Aspects::COLOR };
        let mut uses = Uses::new(&of_shape(own, levels, layers));
        let whole = uses.whole();
        let mut model: BTreeMap<Key, Use> = keys(&whole).into_iter().map(|key| (key, Use::Rest)).collect();
        for (aspects, level, layer, to, all) in changes {
            let aspects = [own, Aspects::DEPTH, Aspects::STENCIL][if depth { aspects } else { 0 }];
            let first = (level.0 % levels, layer.0 % layers);
            let part = range(
                aspects,
                (first.0, level.1.min(levels - first.0)),
                (first.1, layer.1.min(layers - first.1)),
            );
            let (part, to) = (if all == 0 { whole } else { part }, ALL[to]);
            for of in ALL {
                prop_assert_eq!(uses.any(&part, of), keys(&part).iter().any(|key| model[key] == of));
            }
            let mut told = BTreeMap::new();
            let mut twice = false;
            uses.change(&part, to, |range, from| {
                for key in keys(&range) {
                    twice |= told.insert(key, from).is_some();
                }
            });
            prop_assert!(!twice, "a subresource was told twice");
            let mut expected = BTreeMap::new();
            for key in keys(&part) {
                let from = model.insert(key, to).unwrap_or_default();
                if from != to {
                    expected.insert(key, from);
                }
            }
            prop_assert_eq!(told, expected);
            prop_assert_eq!(uses.is_resting(), model.values().all(|one| *one == Use::Rest));
            for of in ALL {
                prop_assert_eq!(uses.has(of), model.values().any(|one| *one == of));
            }
        }
    }
}

#[test]
fn alike_subresources_are_told_in_one_range() {
    let told = |uses: &mut Uses, range: &Range, to| {
        let mut all = Vec::new();
        uses.change(range, to, |range, from| all.push((range, from)));
        all
    };
    let mut uses = Uses::new(&of_shape(BOTH, 3, 4));
    let whole = uses.whole();
    assert_eq!(told(&mut uses, &whole, Use::Target), [(whole, Use::Rest)], "both planes at once");
    let part = range(Aspects::DEPTH, (1, 2), (0, 4));
    assert_eq!(told(&mut uses, &part, Use::Source), [(part, Use::Target)]);
    let rest = [
        (range(Aspects::DEPTH, (0, 1), (0, 4)), Use::Target),
        (part, Use::Source),
        (range(Aspects::STENCIL, (0, 3), (0, 4)), Use::Target),
    ];
    assert_eq!(told(&mut uses, &whole, Use::Rest), rest);
    assert!(uses.is_resting());
}

#[test]
fn ranges_meet_where_all_their_parts_do() {
    let one = range(BOTH, (1, 2), (3, 2));
    for (other, meets) in [
        (range(Aspects::STENCIL, (2, 1), (4, 1)), true),
        (range(Aspects::COLOR, (2, 1), (4, 1)), false),
        (range(BOTH, (3, 1), (4, 1)), false),
        (range(BOTH, (0, 1), (4, 1)), false),
        (range(BOTH, (0, 2), (5, 1)), false),
        (range(BOTH, (0, 2), (0, 4)), true),
    ] {
        assert_eq!((one.meets(&other), other.meets(&one)), (meets, meets), "{other:?}");
    }
    let shape = of_shape(Aspects::COLOR, 5, 7);
    let open = range(Aspects::COLOR, (2, vk::REMAINING_MIP_LEVELS), (3, vk::REMAINING_ARRAY_LAYERS)).vk();
    assert_eq!(Range::new(&shape, &open), range(Aspects::COLOR, (2, 3), (3, 4)));
}
