use super::*;

/// The figures of "Primitive topologies" of the API, drawn by hand: each strip with its triangles.
#[test]
fn primitives_have_the_vertices_of_the_figures() {
    let all = |topology: u32, vertices: u32| -> Vec<Vec<u32>> {
        let topology = Topology(topology);
        (0..topology.primitives(vertices)).filter_map(|number| topology.corners(number, vertices)).collect()
    };
    assert_eq!(all(1, 2), [[0], [1]]);
    assert_eq!(all(2, 5), [[0, 1], [2, 3]]);
    assert_eq!(all(3, 4), [[0, 1], [1, 2], [2, 3]]);
    assert_eq!(all(4, 8), [[0, 1, 2], [3, 4, 5]]);
    // Every second triangle turns, so that all have the same face.
    assert_eq!(all(5, 5), [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
    assert_eq!(all(6, 5), [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
    assert_eq!(all(10, 8), [[0, 1, 2, 3], [4, 5, 6, 7]]);
    assert_eq!(all(11, 6), [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]]);
    assert_eq!(all(12, 11), [[0, 1, 2, 3, 4, 5]]);
    // One triangle has all of its neighbours; of three the middle one turns, and shares its edges with the others.
    assert_eq!(all(13, 6), [[0, 1, 2, 5, 4, 3]]);
    assert_eq!(all(13, 11), [[0, 1, 2, 6, 4, 3], [2, 5, 6, 8, 4, 0], [4, 2, 6, 9, 8, 7]]);
    assert_eq!(all(35, 7), [[0, 1, 2], [3, 4, 5]]);
    assert_eq!(all(5, 2), [[0; 3]; 0]);
    assert_eq!(all(0, 9), [[0; 3]; 0]);
}

/// Neighbours of a strip are across the edge that they stand behind: two triangles that share an edge see each other's third vertex.
#[test]
fn neighbours_in_a_strip_see_each_other() {
    let topology = Topology(Topology::TRIANGLE_STRIP_NEIGHBOURS);
    let vertices = 6 + 2 * 5;
    let all: Vec<Vec<u32>> = (0..6).filter_map(|number| topology.corners(number, vertices)).collect();
    for pair in all.windows(2) {
        let edge = |of: &[u32], at: usize| (of[2 * at], of[2 * at + 1], of[(2 * at + 2) % 6]);
        let shared = (0..3).flat_map(|one| (0..3).map(move |other| (one, other))).filter_map(|(one, other)| {
            let ((a, across, b), (c, back, d)) = (edge(&pair[0], one), edge(&pair[1], other));
            ((a, b) == (d, c)).then_some((across, back))
        });
        let shared: Vec<_> = shared.collect();
        let third =
            |of: &[u32], others: &[u32]| (0..3).map(|at| of[2 * at]).find(|it| !(0..3).any(|at| others[2 * at] == *it));
        let wanted = (third(&pair[1], &pair[0]), third(&pair[0], &pair[1]));
        assert_eq!(shared.len(), 1, "{pair:?}");
        assert_eq!((Some(shared[0].0), Some(shared[0].1)), wanted, "{pair:?}");
    }
}

#[test]
fn cuts_begin_strips_anew() {
    let strip = Topology(Topology::TRIANGLE_STRIP);
    // Four vertices, a cut, one vertex, a cut, and three.
    let runs = runs(&[4, 6], 10);
    assert_eq!(runs, [(0, 4), (5, 1), (7, 3)]);
    let found = |number| match among(strip, &runs, number) {
        Found::Primitive(it) => (it.corners, it.before, it.up_to),
        other => panic!("{other:?}"),
    };
    assert_eq!(found(0), (vec![0, 1, 2], 0, 3));
    assert_eq!(found(1), (vec![1, 3, 2], 3, 4));
    assert_eq!(found(2), (vec![7, 8, 9], 4, 10));
    assert_eq!(among(strip, &runs, 3), Found::Absent(3));
}
