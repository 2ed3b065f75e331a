//! Expectations are tables of the DirectX Raytracing functional specification ("Ray flags", "Instance flags", "Ray extents", "Facing"), and
//! for where triangles lie a search that knows no tree.

use super::*;
use std::rc::Rc;

const IDENTITY: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
/// Seen along z, corners go round clockwise where y is upwards and x to the right: the front, in a left-handed space.
const CLOCKWISE: [Point; 3] = [[0.0, 0.0, 2.0], [0.0, 4.0, 2.0], [4.0, 0.0, 2.0]];
const ALONG: Ray =
    Ray { origin: [1.0, 1.0, 0.0], direction: [0.0, 0.0, 1.0], least: 0.0, greatest: 9.0, flags: 0, mask: 0xff };

fn of(geometries: Vec<Geometry>, [mask, flags]: [u32; 2], transform: Matrix) -> Scene {
    let bottom = Some(Rc::new(Bottom::new(geometries)));
    Scene { instances: vec![InstancePlace::new([7, mask, 3, flags], transform, bottom)] }
}

fn triangle(corners: [Point; 3], opaque: bool, instance: [u32; 2]) -> Scene {
    of(vec![Geometry { opaque, primitives: Primitives::Triangles(vec![(5, corners)]) }], instance, IDENTITY)
}

fn block(opaque: bool, instance: [u32; 2]) -> Scene {
    let ends = [[0.0, 0.0, 2.0], [2.0, 2.0, 4.0]];
    of(vec![Geometry { opaque, primitives: Primitives::Boxes(vec![(0, ends)]) }], instance, IDENTITY)
}

fn met(scene: &Scene, ray: Ray) -> Vec<Meeting> {
    scene.meetings(&ray, false)
}

/// Columns: flags of the ray and of the instance; whether the front, and whether the back of a triangle is hit.
#[test]
fn sides_are_culled_as_the_table_has_it() {
    const BACK: u32 = 0x10;
    const FRONT: u32 = 0x20;
    const NEVER: u32 = 1;
    const TURNED: u32 = 2;
    let table = [
        (0, 0, true, true),
        (BACK, 0, true, false),
        (FRONT, 0, false, true),
        (BACK, TURNED, false, true),
        (FRONT, TURNED, true, false),
        (BACK, NEVER, true, true),
        (FRONT, NEVER | TURNED, true, true),
    ];
    let mut counter = CLOCKWISE;
    counter.swap(1, 2);
    for (flags, instance, front, back) in table {
        let hits = |corners| met(&triangle(corners, true, [0xff, instance]), Ray { flags, ..ALONG });
        assert_eq!((hits(CLOCKWISE).len() == 1, hits(counter).len() == 1), (front, back), "{flags:#x} {instance:#x}");
    }
    // Which side shows is told in the object's space: an instance that mirrors changes nothing.
    let mirror = [[-1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let geometry = Geometry { opaque: true, primitives: Primitives::Triangles(vec![(0, CLOCKWISE)]) };
    let mirrored = of(vec![geometry], [0xff, 0], mirror);
    let from_there = Ray { origin: [-1.0, 1.0, 0.0], ..ALONG };
    assert!(met(&mirrored, from_there)[0].front && met(&triangle(CLOCKWISE, true, [1, 0]), ALONG)[0].front);
    // The other way the other side does.
    let back = Ray { origin: [1.0, 1.0, 5.0], direction: [0.0, 0.0, -1.0], ..ALONG };
    assert!(!met(&triangle(CLOCKWISE, true, [1, 0]), back)[0].front);
    assert_eq!(met(&triangle(CLOCKWISE, true, [1, 0]), ALONG)[0].primitive, 5);
}

/// Columns: the geometry is opaque; flags of the instance and of the ray; what that comes to.
#[test]
fn opacity_is_overridden_as_the_table_has_it() {
    const INSTANCE: [u32; 3] = [0, 4, 8];
    const RAY: [u32; 3] = [0, 1, 2];
    // By geometry, instance (plain, opaque, non-opaque), ray (the same).
    let table = [
        (true, [[true, true, false], [true, true, false], [false, true, false]]),
        (false, [[false, true, false], [true, true, false], [false, true, false]]),
    ];
    for (geometry, by_instance) in table {
        for (instance, by_ray) in INSTANCE.into_iter().zip(by_instance) {
            for (ray, opaque) in RAY.into_iter().zip(by_ray) {
                for scene in [triangle(CLOCKWISE, geometry, [1, instance]), block(geometry, [1, instance])] {
                    let found = met(&scene, Ray { flags: ray, ..ALONG });
                    assert_eq!(found[0].opaque, opaque, "{geometry} {instance} {ray}");
                    // What is culled is so by what the overrides make of it.
                    let culled = |cull| met(&scene, Ray { flags: ray | cull, ..ALONG }).is_empty();
                    assert_eq!((culled(0x40), culled(0x80)), (opaque, !opaque), "{geometry} {instance} {ray}");
                }
            }
        }
    }
    let skipped = |scene: &Scene, flags| met(scene, Ray { flags, ..ALONG }).is_empty();
    let (triangle, block) = (triangle(CLOCKWISE, true, [1, 0]), block(true, [1, 0]));
    assert!(
        skipped(&triangle, 0x100) && !skipped(&triangle, 0x200) && skipped(&block, 0x200) && !skipped(&block, 0x100)
    );
}

#[test]
fn masks_have_to_share_a_bit_of_eight() {
    for (instance, ray, hit) in
        [(1, 1, true), (1, 2, false), (0xff, 0x80, true), (0, 0xff, false), (3, 0x106, true), (1, 0x100, false)]
    {
        let scene = triangle(CLOCKWISE, true, [instance, 0]);
        assert_eq!(!met(&scene, Ray { mask: ray, ..ALONG }).is_empty(), hit, "{instance:#x} {ray:#x}");
    }
}

/// Of triangles the ends of the range are none of it, of boxes they are.
#[test]
fn ranges_end_as_the_primitive_has_it() {
    let exact = |scene: &Scene, least, greatest| met(scene, Ray { least, greatest, ..ALONG }).iter().any(|it| it.exact);
    let (triangle, block) = (triangle(CLOCKWISE, true, [1, 0]), block(true, [1, 0]));
    for (least, greatest, of_triangle, of_block) in [
        (0.0, 2.0, false, true),
        (0.0, 2.5, true, true),
        (2.0, 9.0, false, true),
        (4.0, 9.0, false, true),
        (4.5, 9.0, false, false),
        (0.0, f64::INFINITY, true, true),
        (3.0, 2.0, false, false),
        (f64::NAN, 9.0, false, false),
    ] {
        let found = (exact(&triangle, least, greatest), exact(&block, least, greatest));
        assert_eq!(found, (of_triangle, of_block), "{least} {greatest}");
    }
    // A ray that begins within a box meets it, and one that goes away does not.
    let within = Ray { origin: [1.0, 1.0, 3.0], ..ALONG };
    assert_eq!(met(&block, within)[0].distance, 0.0);
    assert!(met(&block, Ray { origin: [1.0, 1.0, 5.0], ..ALONG }).is_empty());
    // At the end of the range it is not sure.
    assert!(!met(&triangle, Ray { greatest: 2.0 + 1e-9, ..ALONG })[0].sure);
}

#[test]
fn barycentrics_weigh_the_second_and_the_third_corner() {
    let scene = triangle(CLOCKWISE, true, [1, 0]);
    let found = met(&scene, Ray { origin: [2.0, 1.0, 1.0], ..ALONG })[0];
    // 2 of 4 towards the third corner, 1 of 4 towards the second.
    assert_eq!((found.distance, found.barycentrics), (1.0, Some([0.25, 0.5])));
    assert!(found.sure && found.exact && found.error < 1e-4);
    // Near an edge another device may miss it, and one that lies as far outside may hit it.
    for (x, exact) in [(1e-9, true), (-1e-9, false)] {
        let edge = met(&scene, Ray { origin: [x, 1.0, 0.0], ..ALONG })[0];
        assert!(!edge.sure && edge.exact == exact, "{x}: {edge:?}");
    }
    assert!(met(&scene, Ray { origin: [-0.01, 1.0, 0.0], ..ALONG }).is_empty());
}

#[test]
fn instances_that_nothing_moves_back_are_not_hit() {
    for flat in [0.0, f64::NAN, f64::INFINITY] {
        let mut transform = IDENTITY;
        transform[0][0] = flat;
        let geometry = Geometry { opaque: true, primitives: Primitives::Triangles(vec![(0, CLOCKWISE)]) };
        assert!(met(&of(vec![geometry], [1, 0], transform), ALONG).is_empty(), "{flat}");
    }
    let empty = Scene { instances: vec![InstancePlace::new([0, 1, 0, 0], IDENTITY, None)] };
    assert!(met(&empty, ALONG).is_empty());
}

/// A number between -1 and 1, of a sequence.
fn next(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as f64 / f64::from(1u32 << 30) - 1.0
}

/// A triangle by the weights of its corners (Cramer's rule): not as the code under test has it.
fn solved(ray: &Ray, [a, b, c]: [Point; 3]) -> Option<f64> {
    let minus = |p: Point, q: Point| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    let size = |p: Point, q: Point, r: Point| {
        p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0]) + p[2] * (q[0] * r[1] - q[1] * r[0])
    };
    let (one, other, to) = (minus(b, a), minus(c, a), minus(ray.origin, a));
    let back = ray.direction.map(|it| -it);
    let whole = size(one, other, back);
    let (u, v, t) = (size(to, other, back) / whole, size(one, to, back) / whole, size(one, other, to) / whole);
    (u > 0.0 && v > 0.0 && u + v < 1.0 && t > ray.least && t < ray.greatest).then_some(t)
}

#[test]
fn a_tree_finds_what_a_search_of_all_finds() {
    let mut state = 1;
    let mut point = |scale: f64| -> Point { [0; 3].map(|_| next(&mut state) * scale) };
    let moved = |at: Point, by: Point| [at[0] + by[0], at[1] + by[1], at[2] + by[2]];
    let triangles: Vec<(u32, [Point; 3])> = (0..500)
        .map(|number| {
            let middle = point(10.0);
            (number, [moved(middle, point(4.0)), moved(middle, point(4.0)), moved(middle, point(4.0))])
        })
        .collect();
    let scene =
        of(vec![Geometry { opaque: true, primitives: Primitives::Triangles(triangles.clone()) }], [1, 0], IDENTITY);
    let mut count = 0;
    for _ in 0..400 {
        let ray = Ray { origin: point(12.0), direction: point(1.0), greatest: 1000.0, ..ALONG };
        let mut found: Vec<(u32, f64)> =
            met(&scene, ray).iter().filter(|it| it.exact).map(|it| (it.primitive, it.distance)).collect();
        found.sort_by_key(|it| it.0);
        let expected = triangles.iter().filter_map(|(number, corners)| Some((*number, solved(&ray, *corners)?)));
        let expected: Vec<(u32, f64)> = expected.collect();
        assert_eq!(found.iter().map(|it| it.0).collect::<Vec<_>>(), expected.iter().map(|it| it.0).collect::<Vec<_>>());
        let near = |((_, a), (_, b)): (&(u32, f64), &(u32, f64))| (a - b).abs() < 1e-9 * b.abs().max(1.0);
        assert!(found.iter().zip(&expected).all(near), "{found:?} {expected:?}");
        count += found.len();
    }
    assert!(count > 500, "{count} hits: the comparison has to be of something");
}

/// What another device may find in another way.
#[test]
fn doubts_are_those_of_edges_ties_and_first_hits() {
    let two = |z: f64| {
        let moved = CLOCKWISE.map(|[x, y, _]| [x, y, z]);
        let primitives = Primitives::Triangles(vec![(0, CLOCKWISE), (1, moved)]);
        of(vec![Geometry { opaque: true, primitives }], [1, 0], IDENTITY)
    };
    let doubt = |scene: &Scene, ray: Ray| {
        let met = met(scene, ray);
        let nearest = met.iter().filter(|it| it.exact).min_by(|a, b| a.distance.total_cmp(&b.distance));
        Doubt::of(&ray, &met, nearest.map(|it| (*it, it.distance)))
    };
    assert_eq!(doubt(&two(3.0), ALONG), Doubt::default());
    assert_eq!(doubt(&two(2.0), ALONG), Doubt { tie: true, ..Doubt::default() });
    assert_eq!(doubt(&two(3.0), Ray { flags: 4, ..ALONG }), Doubt { first: true, ..Doubt::default() });
    let edge = Ray { origin: [1e-9, 1.0, 0.0], ..ALONG };
    assert_eq!(doubt(&two(3.0), edge), Doubt { edge: true, whether: true, ..Doubt::default() });
    // Of a box that is hit, another kind of hit may lie before it.
    let unsure = met(&two(3.0), edge);
    let of_box = Meeting { barycentrics: None, sure: true, distance: 5.0, ..unsure[0] };
    let before = Doubt::of(&edge, &[unsure[0], of_box], Some((of_box, 5.0)));
    assert!(before.edge && before.whether);
    // A nearer edge, before a triangle that is hit for sure: there is a hit in any case.
    let mut narrow = CLOCKWISE;
    narrow[1][0] = 1.0;
    narrow[0][0] = 1.0;
    let primitives = Primitives::Triangles(vec![(0, narrow), (1, CLOCKWISE.map(|[x, y, _]| [x, y, 3.0]))]);
    let scene = of(vec![Geometry { opaque: true, primitives }], [1, 0], IDENTITY);
    assert_eq!(doubt(&scene, ALONG), Doubt { edge: true, ..Doubt::default() });
}
