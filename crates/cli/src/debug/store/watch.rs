//! A texel whose writers are asked for.

use super::{Key, Store};

/// A texel, and the lanes that wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Watch {
    key: Key,
    at: (u32, u32),
    /// Lanes of the group that runs, in the order of their writes.
    lanes: Vec<u32>,
    /// Where its bytes begin, and how many there are, once it was written.
    bytes: Option<(u64, usize)>,
}

impl Watch {
    /// Of a subresource the texel at this column and row.
    pub(crate) fn new(key: Key, at: (u32, u32)) -> Watch {
        Watch { key, at, lanes: Vec::new(), bytes: None }
    }

    /// A lane writes so many bytes there; rows of the subresource have so many columns.
    pub(super) fn written(&mut self, (key, from): (Key, u64), bytes: usize, columns: u32, lane: u32) {
        let (x, y) = self.at;
        let own = (u64::from(y) * u64::from(columns) + u64::from(x)) * bytes as u64;
        if key == self.key && from == own {
            self.bytes = Some((from, bytes));
            // Who writes again is the last one once more.
            self.lanes.retain(|other| *other != lane);
            self.lanes.push(lane);
        }
    }
}

/// What was written to the texel since the last time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// Who wrote it, the last one last.
    pub(crate) lanes: Vec<u32>,
    /// The bytes that it has now.
    pub(crate) bytes: Vec<u8>,
    /// Whether the API leaves open what stands there, or where the shader writes.
    pub(crate) open: bool,
}

impl Store<'_> {
    /// What was written to the texel since the last time.
    pub(crate) fn take_writers(&mut self) -> Written {
        let Some(watch) = &mut self.watch else { return Written::default() };
        let lanes = std::mem::take(&mut watch.lanes);
        let (Some((from, count)), Some(content)) = (watch.bytes, self.contents.get(&watch.key)) else {
            return Written { lanes, ..Written::default() };
        };
        let bytes = content.bytes.get(from as usize..from as usize + count).unwrap_or_default().to_vec();
        let components = content.texels.get(&from).map_or([0; 4], |(_, opens)| *opens);
        let scattered = self.scattered.get(&watch.key.resource).copied().unwrap_or(0);
        let open =
            content.open(from as usize, count) != 0 || components.iter().any(|open| *open != 0) || scattered != 0;
        Written { lanes, bytes, open }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neighbours, other subresources and texels of other sizes are others.
    #[test]
    fn who_writes_the_texel_is_told_from_who_writes_beside_it() {
        let key = |mip| Key { resource: 7, part: Some([mip, 0, 0, 0]) };
        let mut watch = Watch::new(key(1), (3, 2));
        // Rows of eight texels of four bytes.
        for (lane, (key, from)) in (0..).zip([(key(1), 72), (key(1), 76), (key(0), 76), (key(1), 80)]) {
            watch.written((key, from), 4, 8, lane);
        }
        assert_eq!((&watch.lanes[..], watch.bytes), (&[1][..], Some((76, 4))));
        watch.written((key(1), 76), 4, 8, 5);
        watch.written((key(1), 76), 4, 8, 1);
        assert_eq!(watch.lanes, [5, 1]);
    }
}
