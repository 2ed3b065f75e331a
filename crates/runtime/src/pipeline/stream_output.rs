//! Stream output: declarations as places in buffers.

use reprise_d3d12::types::{D3D12_SO_DECLARATION_ENTRY, D3D12_STREAM_OUTPUT_DESC};
use reprise_dxbc::signature::Element;
use reprise_shader::StreamOutput;

use crate::{Error, Result};

/// Buffers, and streams of a geometry shader.
const BUFFERS: usize = 4;
/// Most declarations.
const ENTRIES: u32 = 512;

/// The system values (`D3D_NAME`) whose components are counted over all indices.
const DISTANCES: [u32; 2] = [2, 3];

/// Reads the declarations; empty where there is no stream output.
///
/// # Safety
/// What the structure points to is readable.
///
/// # Errors
/// When a number is beyond what the API allows.
pub(super) unsafe fn read(desc: &D3D12_STREAM_OUTPUT_DESC) -> Result<Vec<StreamOutput>> {
    if desc.NumEntries == 0 || desc.pSODeclaration.is_null() {
        return Ok(Vec::new());
    }
    if desc.NumEntries > ENTRIES || desc.NumStrides as usize > BUFFERS {
        return Err(Error::Invalid("too many entries or strides of stream output"));
    }
    let strides = match desc.pBufferStrides.is_null() {
        true => &[],
        // SAFETY: the caller promises: what the structure points to is readable.
        false => unsafe { core::slice::from_raw_parts(desc.pBufferStrides, desc.NumStrides as usize) },
    };
    // SAFETY: the caller promises: what the structure points to is readable.
    let entries = unsafe { core::slice::from_raw_parts(desc.pSODeclaration, desc.NumEntries as usize) };
    let mut ends = [0u32; BUFFERS];
    let mut all = Vec::new();
    for entry in entries {
        let D3D12_SO_DECLARATION_ENTRY { SemanticName: name, OutputSlot: slot, .. } = *entry;
        let end = ends.get_mut(usize::from(slot)).ok_or(Error::Invalid("a stream output slot is beyond 3"))?;
        let offset = *end;
        *end = offset.saturating_add(u32::from(entry.ComponentCount) * 4);
        if entry.Stream as usize >= BUFFERS {
            return Err(Error::Invalid("a stream of a stream output is beyond 3"));
        }
        // A gap.
        if name.is_null() {
            continue;
        }
        let output = StreamOutput {
            // SAFETY: the caller promises: what the structure points to is readable; a string that ends with zero.
            semantic: unsafe { core::ffi::CStr::from_ptr(name.cast()) }.to_string_lossy().into_owned(),
            index: entry.SemanticIndex,
            stream: entry.Stream,
            first: entry.StartComponent.into(),
            count: entry.ComponentCount.into(),
            offset,
            stride: strides.get(usize::from(slot)).copied().unwrap_or(0),
            buffer: slot.into(),
        };
        all.push(output);
    }
    // Without strides vertices lie close together.
    for output in &mut all {
        if output.stride == 0 {
            output.stride = ends.get(output.buffer as usize).copied().unwrap_or(0);
        }
    }
    Ok(all)
}

/// The declarations for a shader with these output rows. `streams` says whether the device has more than one.
///
/// # Errors
/// When the shader does not give what is declared, or in a form that is not supported.
pub(super) fn connect(declarations: &[StreamOutput], rows: &[Element], streams: bool) -> Result<Vec<StreamOutput>> {
    let mut places = Vec::new();
    for output in declarations {
        let named = |row: &Element| {
            (row.index, row.stream) == (output.index, output.stream)
                && row.semantic.eq_ignore_ascii_case(&output.semantic)
        };
        let found = rows.iter().position(named);
        let found = found.ok_or(Error::Invalid("stream output of what the last shader stage does not give"))?;
        if output.stream != 0 && !streams {
            return Err(Error::Unsupported("stream output of other streams than the first, on this device"));
        }
        let row = &rows[found];
        if output.count == 0 || output.first + output.count > row.mask.count_ones() {
            return Err(Error::Invalid("stream output of components that an output of the last shader stage lacks"));
        }
        let mut place = output.clone();
        if DISTANCES.contains(&row.system_value) {
            let before = rows[..found].iter().filter(|other| other.system_value == row.system_value);
            place.first += before.map(|other| other.mask.count_ones()).sum::<u32>();
            place.index = 0;
        }
        places.push(place);
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn entry(
        name: &'static core::ffi::CStr,
        stream: u32,
        start: u8,
        count: u8,
        slot: u8,
    ) -> D3D12_SO_DECLARATION_ENTRY {
        D3D12_SO_DECLARATION_ENTRY {
            Stream: stream,
            SemanticName: name.as_ptr().cast(),
            SemanticIndex: 0,
            StartComponent: start,
            ComponentCount: count,
            OutputSlot: slot,
        }
    }

    fn row(semantic: &str, mask: u8, stream: u32) -> Element {
        let semantic = semantic.to_owned();
        Element { semantic, index: 0, system_value: 0, component_type: 3, register: 0, mask, stream, min_precision: 0 }
    }

    fn declared(entries: &[D3D12_SO_DECLARATION_ENTRY], strides: &[u32]) -> Vec<StreamOutput> {
        let desc = D3D12_STREAM_OUTPUT_DESC {
            pSODeclaration: entries.as_ptr(),
            NumEntries: entries.len() as u32,
            pBufferStrides: if strides.is_empty() { core::ptr::null() } else { strides.as_ptr() },
            NumStrides: strides.len() as u32,
            RasterizedStream: 0,
        };
        // SAFETY: the arrays live.
        unsafe { read(&desc) }.unwrap()
    }

    #[test]
    fn outputs_lie_one_behind_the_other_with_their_gaps() {
        let mut gap = entry(c"", 0, 0, 2, 1);
        gap.SemanticName = core::ptr::null();
        let entries = [entry(c"A", 0, 0, 4, 0), entry(c"B", 0, 0, 3, 1), gap, entry(c"C", 0, 0, 1, 1)];
        let places = |strides: &[u32]| -> Vec<(u32, u32, u32)> {
            let all = declared(&entries, strides);
            all.iter().map(|it| (it.buffer, it.offset, it.stride)).collect()
        };
        assert_eq!(places(&[]), [(0, 0, 16), (1, 0, 24), (1, 20, 24)]);
        assert_eq!(places(&[32, 64]), [(0, 0, 32), (1, 0, 64), (1, 20, 64)]);
    }

    #[test]
    fn outputs_and_their_parts_are_those_of_the_shader() {
        let rows = [row("A", 0b1111, 0), row("B", 0b1100, 0), row("C", 1, 1), row("D", 1, 0), row("D", 1, 1)];
        let ask = |entries: &[D3D12_SO_DECLARATION_ENTRY]| connect(&declared(entries, &[]), &rows, true);
        assert_eq!(ask(&[entry(c"a", 0, 0, 4, 0), entry(c"B", 0, 0, 2, 1), entry(c"C", 1, 0, 1, 0)]).unwrap().len(), 3);
        for taken in [
            [entry(c"A", 0, 1, 3, 0)].as_slice(),
            // In two places; of two streams.
            &[entry(c"A", 0, 0, 4, 0), entry(c"A", 0, 0, 4, 1)],
            &[entry(c"D", 0, 0, 1, 0), entry(c"D", 1, 0, 1, 1)],
        ] {
            let places = ask(taken).unwrap();
            let found: Vec<_> = places.iter().map(|it| (it.stream, it.first, it.count, it.buffer)).collect();
            let of = |it: &D3D12_SO_DECLARATION_ENTRY| {
                (it.Stream, it.StartComponent.into(), it.ComponentCount.into(), it.OutputSlot.into())
            };
            assert_eq!(found, taken.iter().map(of).collect::<Vec<_>>());
        }
        for (refused, why) in [
            (entry(c"E", 0, 0, 4, 0), "no such output"),
            (entry(c"C", 0, 0, 1, 0), "another stream"),
            (entry(c"B", 0, 1, 2, 0), "a component too many"),
            (entry(c"A", 0, 0, 0, 0), "none"),
        ] {
            assert!(matches!(ask(&[refused]), Err(Error::Invalid(_))), "{why}");
        }
        let second = declared(&[entry(c"C", 1, 0, 1, 0)], &[]);
        assert!(matches!(connect(&second, &rows, false), Err(Error::Unsupported(_))), "a device with one stream");
    }

    #[test]
    fn clip_distances_are_counted_over_all_indices() {
        let distance = |index, mask, system_value| Element { index, system_value, ..row("SV_ClipDistance", mask, 0) };
        let rows = [distance(0, 0b111, 2), row("A", 1, 0), distance(1, 0b1, 3), distance(1, 0b1111, 2)];
        let mut second = entry(c"SV_ClipDistance", 0, 1, 2, 0);
        second.SemanticIndex = 1;
        let places = connect(&declared(&[second], &[]), &[rows[0].clone(), rows[1].clone(), rows[3].clone()], true);
        let [place] = places.unwrap().try_into().unwrap();
        assert_eq!((place.index, place.first, place.count), (0, 4, 2));
    }
}
