// Differences and intersections: previews draw them with stencil and depth.
$fn = 48;
difference() {
    intersection() {
        cube(30, center = true);
        sphere(20);
    }
    for (turn = [[0, 0, 0], [90, 0, 0], [0, 90, 0]]) rotate(turn) cylinder(h = 50, r = 9, center = true);
}
translate([0, 0, -18]) color("steelblue") cylinder(h = 3, r = 22);
