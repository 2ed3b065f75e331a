//! A texel whose writers are asked for.

use super::{Content, Key, Store};
use reprise_interpreter::Open;

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

    /// What was written since the last time: of contents as they are now, and what is open about where the shader writes the resource.
    fn take(&mut self, content: Option<&Content>, scattered: Open) -> Written {
        let lanes = std::mem::take(&mut self.lanes);
        let (Some((from, count)), Some(content)) = (self.bytes, content) else {
            return Written { lanes, ..Written::default() };
        };
        let bytes = content.bytes.get(from as usize..from as usize + count).unwrap_or_default().to_vec();
        let components = content.texels.get(&from).map_or([0; 4], |(_, opens)| *opens);
        let open =
            content.open(from as usize, count) != 0 || components.iter().any(|open| *open != 0) || scattered != 0;
        Written { lanes, bytes, open }
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
        let scattered = self.scattered.get(&watch.key.resource).copied().unwrap_or(0);
        watch.take(self.contents.get(&watch.key), scattered)
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

    /// Of what stands in the texel it is told where another group wrote other bytes, too, where a component is open, and where the place is.
    #[test]
    fn what_is_open_about_the_texel_is_told() {
        let key = Key { resource: 7, part: Some([0; 4]) };
        // The second of the texels of four bytes, which group 1 writes.
        let written = |change: &dyn Fn(&mut Content), scattered: Open| {
            let mut watch = Watch::new(key, (1, 0));
            watch.written((key, 4), 4, 2, 3);
            let mut content = Content { bytes: vec![0; 8], ..Content::default() };
            content.write(4, &[5, 6, 7, 8], 0, (1, false));
            content.texels = [(0, (0, [0; 4])), (4, (0, [0; 4]))].into();
            change(&mut content);
            watch.take(Some(&content), scattered)
        };
        let sure = Written { lanes: vec![3], bytes: vec![5, 6, 7, 8], open: false };
        assert_eq!(written(&|_| {}, 0), sure);
        // What is open about the other texel is nothing about this one.
        let beside = |content: &mut Content| {
            content.write(0, &[1], 9, (1, false));
            content.texels = [(0, (0, [9; 4])), (4, (0, [0; 4]))].into();
        };
        assert_eq!(written(&beside, 0), sure);
        let raced = written(&|content| content.write(7, &[9], 0, (2, false)), 0);
        assert_eq!(raced, Written { bytes: vec![5, 6, 7, 9], open: true, ..sure.clone() });
        let open = Written { open: true, ..sure };
        assert_eq!(written(&|content| _ = content.texels.insert(4, (0, [0, 0, 0, 9])), 0), open);
        assert_eq!(written(&|_| {}, 9), open);
        // What was told is told once.
        let mut watch = Watch::new(key, (1, 0));
        watch.written((key, 4), 4, 2, 3);
        watch.take(None, 0);
        assert_eq!(watch.take(None, 0), Written::default());
    }
}
