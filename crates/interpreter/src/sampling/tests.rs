//! Against the rules of the Direct3D 11.3 functional specification, 7.18, worked out by hand beside each.

use super::filter::lod_of;
use super::level::Detail;
use super::*;

/// A texture of one number a texel: ten times the column and a hundred times the row, a thousand a slice, and -1 for the border.
struct Numbers {
    size: [u32; 3],
}

impl Texels for Numbers {
    type Fault = ();

    fn texel(&mut self, at: Option<[i64; 3]>, slice: u32, level: u32) -> Result<[Spread; 4], ()> {
        let Some([x, y, z]) = at else { return Ok([Spread::exact(-1.0); 4]) };
        let within = |at: i64, size: u32| assert!((0..i64::from(size)).contains(&at), "{at} of {size}");
        let size = self.size(level)?;
        [x, y, z].into_iter().zip(size).for_each(|(at, size)| within(at, size));
        let number = 10 * x + 100 * y + 1000 * z + 1000 * i64::from(slice) + 10_000 * i64::from(level);
        Ok([Spread::exact(number as f64); 4])
    }

    fn size(&mut self, level: u32) -> Result<[u32; 3], ()> {
        Ok(self.size.map(|size| (size >> level).max(1)))
    }
}

fn surface(linear: bool, address: Address) -> Surface {
    Surface {
        sampler: Sampler {
            magnified: linear,
            minified: linear,
            levels: linear,
            anisotropic: false,
            most: 1,
            reduction: Reduction::Average,
            address: [address; 3],
            bias: 0.0,
            least: 0.0,
            greatest: 100.0,
            compare: None,
            texels: false,
        },
        border: [0; 4],
        steps: [None; 4],
        srgb: [false; 4],
        integer: false,
        least: 0.0,
    }
}

fn request(at: [f64; 3]) -> Request {
    let detail = Detail::Level(0.0);
    Request { at, slice: None, offset: [0; 3], compared: None, detail, bias: 0.0, least: None }
}

const FLAT: Shape = Shape { axes: 2, cube: false, slices: 1, levels: 3 };

fn one(request: &Request, surface: &Surface, shape: Shape, size: [u32; 3]) -> Spread {
    sample(&mut Numbers { size }, request, surface, shape).unwrap()[0]
}

/// 7.18.9, for a texture of four texels.
#[test]
fn addresses_beyond_a_texture() {
    let all = |mode: Address| (-5..=8).map(|at| address::within(at, 4, mode)).collect::<Vec<_>>();
    let some = |of: [i64; 14]| of.map(Some).to_vec();
    assert_eq!(all(Address::Wrap), some([3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]));
    assert_eq!(all(Address::Mirror), some([3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0]));
    assert_eq!(all(Address::Clamp), some([0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3]));
    assert_eq!(all(Address::MirrorOnce), some([3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3]));
    let border = all(Address::Border);
    assert_eq!(border[4..10], [None, Some(0), Some(1), Some(2), Some(3), None]);
    // The control: no two modes are the same.
    assert_ne!(all(Address::Mirror), all(Address::MirrorOnce));
}

/// 7.18.7: the texel that a coordinate lies in; just below an edge a device may round to the next one.
#[test]
fn points_are_exact_but_just_below_an_edge() {
    let surface = surface(false, Address::Wrap);
    let at = |x: f64| one(&request([x, 0.0, 0.0]), &surface, FLAT, [8, 8, 1]);
    for (x, texel) in [(0.0, 0.0), (0.1, 0.0), (0.125, 10.0), (0.99, 70.0), (1.0, 0.0), (-0.01, 70.0)] {
        assert_eq!(at(x), Spread::exact(texel), "{x}");
    }
    let below = at(0.125 - 1e-6);
    assert_eq!((below.value, below.least, below.greatest), (0.0, 0.0, 10.0));
    assert_eq!(at(0.125 - 0.001), Spread::exact(0.0));
}

/// 7.18.8: weights are the fraction of the coordinate, less half a texel.
#[test]
fn linear_filters_weigh_the_nearest_texels() {
    let clamp = surface(true, Address::Clamp);
    let at = |x: f64, y: f64| one(&request([x / 8.0, y / 8.0, 0.0]), &clamp, FLAT, [8, 8, 1]);
    // In the middle of a texel nothing else weighs.
    assert_eq!(at(2.5, 1.5), Spread::exact(120.0));
    // A quarter of the way in both directions.
    let quarter = at(2.75, 1.75);
    assert!((quarter.value - 147.5).abs() < 1e-9, "{quarter:?}");
    // 0.75 has 8 bits of fraction; 0.3 has not, so that it may be off by 1/256 of ten.
    let (exact, rounded) = (at(2.75, 1.5), at(2.8, 1.5));
    assert!(exact.greatest - exact.least < 1e-3 && (rounded.greatest - rounded.least - 20.0 / 256.0).abs() < 1e-2);
    // Never beyond what was weighed, but for how floats are rounded.
    let edge = at(0.2, 0.5);
    assert!(edge.least > -1e-3 && edge.greatest < 10.001, "{edge:?}");
    // With a border, half of it.
    let border = surface(true, Address::Border);
    let half = one(&request([0.0, 0.5 / 8.0, 0.0]), &border, FLAT, [8, 8, 1]);
    assert!((half.value - (-0.5)).abs() < 1e-9, "{half:?}");
}

/// 7.18.10 and 7.18.11.
#[test]
fn levels_are_biased_clamped_and_chosen() {
    let level = |lod: f64, change: &dyn Fn(&mut Surface)| {
        let mut surface = surface(false, Address::Clamp);
        change(&mut surface);
        let request = Request { detail: Detail::Level(lod), ..request([0.0; 3]) };
        one(&request, &surface, FLAT, [8, 8, 1]).value / 10_000.0
    };
    // What is no number is the greatest: minima and maxima do not pass it on.
    for (lod, found) in [(-3.0, 0.0), (0.4, 0.0), (0.5, 1.0), (1.4, 1.0), (1.5, 2.0), (9.0, 2.0), (f64::NAN, 2.0)] {
        assert_eq!(level(lod, &|_| {}), found, "{lod}");
    }
    assert_eq!(level(0.0, &|it| it.sampler.bias = 1.0), 1.0);
    assert_eq!(level(2.0, &|it| it.sampler.greatest = 1.0), 1.0);
    // The least goes before the greatest.
    assert_eq!(level(0.0, &|it| (it.sampler.least, it.sampler.greatest) = (2.0, 1.0)), 2.0);
    assert_eq!(level(0.0, &|it| it.least = 1.0), 1.0);
    let mixed = level(0.25, &|it| it.sampler.levels = true);
    assert!((mixed - 0.25).abs() < 1e-9, "{mixed}");
    // A level at which a device may round either way.
    let tie = one(
        &Request { detail: Detail::Level(0.4999), ..request([0.0; 3]) },
        &surface(false, Address::Clamp),
        FLAT,
        [8, 8, 1],
    );
    assert_eq!((tie.value, tie.greatest), (0.0, 10_000.0));
}

/// 7.18.11: the longer of the two changes, in texels; devices may take its components' greatest or sum.
#[test]
fn the_level_of_detail_is_that_of_the_longer_change() {
    let of = |x: [f64; 3], y: [f64; 3]| {
        let request = Request { detail: Detail::Changes([x, y]), ..request([0.5; 3]) };
        lod_of(&request, &surface(true, Address::Wrap), FLAT, [64, 64, 1])
    };
    let four = of([4.0 / 64.0, 0.0, 0.0], [0.0, 1.0 / 64.0, 0.0]);
    assert!((four.value - 2.0).abs() < 1e-9 && four.greatest - four.least < 0.01, "{four:?}");
    // 3 and 4: 5, between 4 and 7.
    let slanted = of([3.0 / 64.0, 4.0 / 64.0, 0.0], [0.0; 3]);
    assert!((slanted.value - 5f64.log2()).abs() < 1e-9);
    assert!((slanted.least - 2.0).abs() < 0.01 && (slanted.greatest - 7f64.log2()).abs() < 0.01, "{slanted:?}");
}

/// 7.18.7 and the order of faces: +X, -X, +Y, -Y, +Z, -Z. Of components that are as great, Z goes first, then Y.
#[test]
fn cubes_have_six_faces() {
    let faces =
        [[1.0, 0.5, 0.2], [-1.0, 0.5, 0.2], [0.5, 1.0, 0.2], [0.5, -1.0, 0.2], [0.5, 0.2, 1.0], [0.5, 0.2, -1.0]];
    assert_eq!(faces.map(cube::face), [0, 1, 2, 3, 4, 5]);
    assert_eq!([[1.0, 1.0, 1.0], [1.0, -1.0, 0.0], [1.0, 0.0, -1.0]].map(cube::face), [4, 3, 5]);
    // Across +X goes -Z, and down it -Y.
    assert_eq!(cube::on(0, [1.0, 0.5, 0.5]), [0.25, 0.25]);
    // Texels beside an edge are of the face there: right of +Z lies +X.
    assert_eq!(cube::beside(4, [4, 1], 4), Some((0, [0, 1])));
    assert_eq!(cube::beside(4, [-1, 2], 4), Some((1, [3, 2])));
    assert_eq!(cube::beside(4, [1, -1], 4), Some((2, [1, 3])));
    // Beyond a corner there is none.
    assert_eq!(cube::beside(4, [4, 4], 4), None);
    // And going over an edge and back is where it began.
    for face in 0..6 {
        for at in 0..4 {
            let (other, [x, y]) = cube::beside(face, [4, at], 4).unwrap();
            let back = [[-1, y], [4, y], [x, -1], [x, 4]].into_iter().filter_map(|at| cube::beside(other, at, 4));
            assert!(back.into_iter().any(|found| found == (face, [3, at])), "face {face}, row {at}: {other} {x} {y}");
        }
    }
}

/// 22.4.2: lower left, lower right, upper right, upper left.
#[test]
fn gathers_go_round() {
    let surface = surface(true, Address::Clamp);
    let request = request([3.0 / 8.0, 3.0 / 8.0, 0.0]);
    let found = gather(&mut Numbers { size: [8, 8, 1] }, &request, &surface, FLAT, None, 0).unwrap();
    assert_eq!(found.map(|it| it.value), [320.0, 330.0, 230.0, 220.0]);
    let moved = Request { offset: [1, -1, 0], ..request.clone() };
    let found = gather(&mut Numbers { size: [8, 8, 1] }, &moved, &surface, FLAT, None, 0).unwrap();
    assert_eq!(found.map(|it| it.value), [230.0, 240.0, 140.0, 130.0]);
    let offsets = Some([[0, 0], [1, 0], [0, 1], [-1, -1]]);
    let found = gather(&mut Numbers { size: [8, 8, 1] }, &request, &surface, FLAT, offsets, 0).unwrap();
    assert_eq!(found.map(|it| it.value), [220.0, 230.0, 320.0, 110.0]);
}

/// 22.4.19: each texel is compared, and what comes of it is weighed.
#[test]
fn comparisons_come_before_weights() {
    let mut surface = surface(true, Address::Clamp);
    surface.sampler.compare = Compare::by_number(4);
    // LESS_EQUAL: 25 <= 30 and not 25 <= 20.
    let request = Request { compared: Some(25.0), ..request([3.0 / 8.0, 0.5 / 8.0, 0.0]) };
    let half = one(&request, &surface, FLAT, [8, 8, 1]);
    assert!((half.value - 0.5).abs() < 1e-9, "{half:?}");
    surface.sampler.compare = Compare::by_number(1);
    assert_eq!(one(&request, &surface, FLAT, [8, 8, 1]).value, 0.0);
}

/// 5.9.4.5.6: texels that weigh nothing are left out.
#[test]
fn extremes_are_of_what_weighs_something() {
    let mut surface = surface(true, Address::Clamp);
    surface.sampler.reduction = Reduction::Maximum;
    let at = |x: f64| one(&request([x / 8.0, 0.5 / 8.0, 0.0]), &surface, FLAT, [8, 8, 1]);
    assert_eq!(at(2.5), Spread::exact(20.0));
    assert_eq!(at(2.75), Spread::exact(30.0));
    // So little that a device may take it for nothing.
    let little = at(2.501);
    assert_eq!((little.least, little.greatest), (20.0, 30.0));
}

/// Slices are the nearest ones, of two the even one, within those that there are.
#[test]
fn slices_are_rounded() {
    let shape = Shape { slices: 4, ..FLAT };
    for (slice, found) in [(0.5, 0.0), (1.5, 2.0), (1.4, 1.0), (-3.0, 0.0), (9.0, 3.0), (f64::NAN, 0.0)] {
        let request = Request { slice: Some(slice), ..request([0.0; 3]) };
        assert_eq!(one(&request, &surface(false, Address::Clamp), shape, [8, 8, 1]).value, found * 1000.0, "{slice}");
    }
}
