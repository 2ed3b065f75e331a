//! With a driver whose descriptors are of sizes that no software rasteriser has: 16 bytes for buffers, 4 for images.
#![allow(clippy::unwrap_used)]

use core::ffi::c_void;

use proptest::prelude::*;

use super::*;
use crate::descriptor::offset::Entry;

const SLOTS: usize = 8;
const STRIDE: usize = 16;
const KINDS: [RecordKind; 6] = [
    RecordKind::ConstantBuffer,
    RecordKind::SampledImage,
    RecordKind::StorageImage,
    RecordKind::ReadBuffer,
    RecordKind::WriteBuffer,
    RecordKind::Acceleration,
];

/// Bytes of a descriptor: the type's number, then the view or the last byte of the address; 0 is null.
unsafe extern "system" fn get(
    _: vk::Device,
    info: *const vk::DescriptorGetInfoEXT<'_>,
    size: usize,
    place: *mut c_void,
) {
    // SAFETY: the code under test calls this as it calls a driver.
    unsafe {
        let info = &*info;
        let image = [vk::DescriptorType::SAMPLED_IMAGE, vk::DescriptorType::STORAGE_IMAGE].contains(&info.ty);
        let id = match info.data.p_sampled_image {
            null if null.is_null() => 0,
            some if image => ash::vk::Handle::as_raw((*some).image_view) as u8,
            _ => (*info.data.p_storage_buffer).address as u8,
        };
        place.cast::<u8>().write_bytes(0x11, size);
        place.cast::<[u8; 2]>().write_unaligned([info.ty.as_raw() as u8, id]);
    }
}

/// A heap of views with everything that a [`Target`] points to.
struct Heap {
    target: super::super::Target,
    records: Vec<Record>,
    bytes: Vec<Vec<u8>>,
    entries: Vec<Entry>,
    addresses: Vec<u64>,
}

impl Heap {
    fn new(sharing: Sharing, sizes: &Sizes, nulls: &Nulls, visible: bool) -> Heap {
        let count = arrays(sharing).len();
        let first = |tables: &[Table]| nulls.bytes(tables[0]).iter().copied().chain([0; STRIDE]).take(STRIDE);
        // Where shaders see them, an array each; elsewhere slot by slot.
        let mut bytes: Vec<Vec<u8>> = match visible {
            true => arrays(sharing).iter().map(|tables| first(tables).collect::<Vec<_>>().repeat(SLOTS)).collect(),
            false => vec![vec![0; SLOTS * count * STRIDE]],
        };
        let elements: Vec<_> = match visible {
            true => bytes.iter_mut().map(|it| Elements { first: it.as_mut_ptr(), stride: STRIDE }).collect(),
            false => {
                let base = bytes[0].as_mut_ptr();
                (0..count)
                    .map(|at| Elements { first: base.wrapping_add(at * STRIDE), stride: count * STRIDE })
                    .collect()
            }
        };
        let (mut entries, mut addresses) = (vec![Entry::default(); SLOTS], vec![0u64; SLOTS]);
        let side = visible.then_some(Side { entries: entries.as_mut_ptr(), counters: addresses.as_mut_ptr() });
        let memory = Memory { samplers: false, elements: &elements, count: SLOTS as u32, side, visible };
        let target = Target::of_parts((get, vk::Device::null()), sharing, sizes, nulls, &memory);
        let target = super::super::Target::Buffers(target);
        Heap { target, records: vec![Record::EMPTY; SLOTS], bytes, entries, addresses }
    }

    fn create(&mut self, slot: usize, kind: RecordKind, id: u8) {
        let past = Past::of(&self.records[slot]);
        let record = &mut self.records[slot];
        *record = Record::null(kind);
        let id = u64::from(id);
        match kind {
            _ if id == 0 => {}
            RecordKind::SampledImage | RecordKind::StorageImage => record.view = id,
            RecordKind::Acceleration => record.first = id,
            _ => (record.buffer, record.entry) = (id, Entry { byte_count: id as u32 / 4 * 4, ..Entry::default() }),
        }
        let spans = Spans { raw: (id, 4), typed: (id, 4), format: vk::Format::R32_UINT, ..Spans::default() };
        // SAFETY: the heap has the slot; the fake driver looks at nothing that the record names.
        unsafe { self.target.publish(slot as u32, &self.records[slot], past, &spans) };
    }

    fn copy(&mut self, to: usize, from: &Heap, at: usize, count: usize) {
        let record = from.records[at..].as_ptr();
        let source = Source { record, target: Some(&from.target), index: at as u32 };
        let to_record = self.records[to..].as_mut_ptr();
        // SAFETY: both heaps have as many slots.
        unsafe {
            match count {
                1 => self.target.copy_one(to as u32, to_record, source),
                _ => self.target.copy(to as u32, to_record, source, count as u32),
            }
        }
    }
}

fn sizes() -> Sizes {
    Sizes::of(&vk::PhysicalDeviceDescriptorBufferPropertiesEXT {
        sampled_image_descriptor_size: 4,
        storage_image_descriptor_size: 4,
        sampler_descriptor_size: 4,
        robust_uniform_buffer_descriptor_size: 16,
        robust_storage_buffer_descriptor_size: 16,
        robust_uniform_texel_buffer_descriptor_size: 16,
        robust_storage_texel_buffer_descriptor_size: 16,
        ..Default::default()
    })
}

proptest! {
    /// Whatever is created and copied, each array holds the record's descriptor where it is of its type, and null elsewhere.
    #[test]
    fn arrays_hold_null_wherever_a_slots_record_is_not_theirs(
        steps in prop::collection::vec((0usize..3, (0..SLOTS, 0..KINDS.len(), 0u8..40), (any::<bool>(), 0..SLOTS, 0..SLOTS, 1..SLOTS)), 1..60),
        way in 0usize..3,
    ) {
        let sharing = [Sharing::Views, Sharing::Families, Sharing::Nothing][way];
        let sizes = sizes();
        // SAFETY: as many bytes as the slice has.
        let nulls = Nulls::made_by(&sizes, |info, bytes| unsafe { get(vk::Device::null(), info, bytes.len(), bytes.as_mut_ptr().cast()) });
        let mut seen = Heap::new(sharing, &sizes, &nulls, true);
        let mut hidden = [Heap::new(sharing, &sizes, &nulls, false), Heap::new(sharing, &sizes, &nulls, false)];
        let mut model = vec![(RecordKind::Empty, 0u8); SLOTS];
        let mut hidden_model = [model.clone(), model.clone()];
        for (what, (slot, kind, id), (among, to, from, count)) in steps {
            let count = count.min(SLOTS - to).min(SLOTS - from);
            match what {
                0 => {
                    seen.create(slot, KINDS[kind], id);
                    model[slot] = (KINDS[kind], id);
                }
                1 => {
                    hidden[1].create(slot, KINDS[kind], id);
                    hidden_model[1][slot] = (KINDS[kind], id);
                }
                _ if among => {
                    let [first, second] = &mut hidden;
                    first.copy(to, second, from, count);
                    let (first, second) = hidden_model.split_at_mut(1);
                    first[0][to..to + count].copy_from_slice(&second[0][from..from + count]);
                }
                _ => {
                    seen.copy(to, &hidden[kind % 2], from, count);
                    model[to..to + count].copy_from_slice(&hidden_model[kind % 2][from..from + count]);
                }
            }
            for (slot, (kind, id)) in model.iter().enumerate() {
                for (at, types) in arrays(sharing).iter().enumerate() {
                    let found = &seen.bytes[at][slot * STRIDE..][..2];
                    let own = tables(*kind).iter().find(|table| types.contains(table)).filter(|_| *id != 0);
                    match own {
                        Some(table) => prop_assert_eq!(found, &[table.vk().as_raw() as u8, *id], "{:?} {} {}", kind, slot, at),
                        None => prop_assert_eq!(found[1], 0, "{:?} {} {}", kind, slot, at),
                    }
                }
                prop_assert_eq!(seen.entries[slot], seen.records[slot].entry);
                let address = if *kind == RecordKind::Acceleration { u64::from(*id) } else { 0 };
                prop_assert_eq!(seen.addresses[slot], address, "{:?} {}", kind, slot);
            }
        }
    }
}
