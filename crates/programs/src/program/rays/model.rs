//! What `rays.hlsl` gives, computed on the processor.

/// Rays of a dispatch: four columns for each instance, and a row for each kind of ray.
pub(super) const COLUMNS: u32 = 16;
pub(super) const ROWS: u32 = 4;

/// Two triangles, the first below the diagonal.
pub(super) const CORNERS: [[f32; 3]; 6] =
    [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
/// The least and the largest corner of the box.
pub(super) const BOX: [f32; 6] = [-1.0, -1.0, 0.5, 1.0, 1.0, 1.0];
/// Which of the instances is the box; each is four to the right of the one before. The fourth place is empty.
pub(super) const INSTANCES: [bool; 3] = [false, true, false];

/// Constants of the two records of misses.
pub(super) const MISSES: [[u32; 2]; 2] = [[100, 3], [200, 5]];
/// Constants of the first square's record: a number, and an index in `NUMBERS`.
pub(super) const NEAR: [u32; 2] = [1000, 2];
/// Of the box's.
pub(super) const SIDE: u32 = 10;
/// Of the two callable shaders'.
pub(super) const TWICE: [u32; 2] = [7, 9];
/// By an address in the record.
pub(super) const NUMBERS: [u32; 4] = [11, 22, 33, 44];
/// By a table in the record; the index is the instance's.
pub(super) const MORE: [u32; 4] = [5000, 6000, 7000, 8000];

/// What a ray carries.
#[derive(Clone, Copy, Default)]
struct Payload {
    value: u32,
    /// In steps of 1/256.
    distance: u32,
    depth: u32,
}

/// A ray as its shaders know it.
#[derive(Clone, Copy)]
struct Ray {
    row: u32,
    is_odd: bool,
    /// From the middle of the instance to the right.
    beside: f32,
    /// A hit group was added for the second square.
    grown: bool,
}

impl Ray {
    /// Traces towards the place of an instance.
    fn trace(self, place: u32, miss: usize, payload: &mut Payload) {
        match place {
            0 if self.row == 2 && self.is_odd => {}
            0 => {
                let primitive = if self.beside > 0.0 { 0 } else { 1 };
                payload.value += NEAR[0] + NUMBERS[NEAR[1] as usize] + primitive;
                payload.distance = 256;
                if self.row == 1 && payload.depth == 0 {
                    payload.depth = 1;
                    self.trace(1, 1, payload);
                }
                return;
            }
            1 if self.beside.abs() <= 0.5 => {
                let number = if self.beside > 0.0 { 3 } else { 5 };
                payload.value += SIDE * number + (number + 1) + MORE[1];
                payload.distance = 384;
                return;
            }
            2 if self.grown => {
                payload.value += 7777;
                payload.distance = 512;
                return;
            }
            // Its record names no shader.
            2 => return,
            _ => {}
        }
        payload.value += MISSES[miss][0] + MISSES[miss][1] * 16;
    }
}

/// What each ray of a dispatch writes.
pub(super) fn expected(frame: u32, grown: bool) -> Vec<[u32; 4]> {
    let ray = |number: u32| {
        let (column, row) = (number % COLUMNS, number / COLUMNS);
        let ray = Ray { row, is_odd: column % 2 == 1, beside: 0.5 * (column % 4) as f32 - 0.75, grown };
        let mut payload = Payload::default();
        ray.trace(column / 4, (column % 2) as usize, &mut payload);
        if row == 3 {
            payload.value = payload.value * 2 + TWICE[(column % 2) as usize];
        }
        [payload.value, payload.distance, payload.depth, frame]
    };
    (0..COLUMNS * ROWS).map(ray).collect()
}
