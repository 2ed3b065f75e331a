//! `ReadFromSubresource`: texels that the program read back are read again, and compared.
//!
//! Invariant: only texels are compared. What lies between rows and slices is the program's own memory.

use reprise_codec::decode::Outcome;
use reprise_codec::{Texels, Value};
use reprise_trace::read::{Event, content_hash};

use crate::arguments::Arguments;
use crate::call::Called;
use crate::call::open_call::{Enter, OpenCall};
use crate::context::Context;
use crate::error::Error;
use crate::input::source::Blobs;
use crate::input::values::{at, member, number_at};
use crate::options::Read;
use crate::results;

/// Where the texels of a call lie in the memory that it writes: the bytes of a row, and where each row begins.
struct Rows {
    bytes: usize,
    starts: Vec<usize>,
}

/// Reads what the program read. What cannot be read here is a difference.
pub(crate) fn read(context: &mut Context<'_, '_>, arguments: &mut Arguments, enter: Enter<'_, '_>) -> Option<Called> {
    if context.world.objects.virtual_kind(enter.event.object).is_some() {
        context.skip(enter.place, "the object stays within replay");
        return None;
    }
    let called = arguments.call(context, enter);
    called.map_err(|error| context.differ(enter.place, error.to_string())).ok()
}

/// Compares it with what the program got; `leave` is the event that has it.
///
/// # Errors
/// The device is removed here.
pub(crate) fn compare(
    context: &mut Context<'_, '_>,
    call: &OpenCall,
    outcome: &Outcome<'_>,
    (leave, blobs): (&Event<'_>, &dyn Blobs),
) -> Result<(), Error> {
    let Some(called) = &call.called else { return Ok(()) };
    results::finish(context, call, outcome, false)?;
    let read = member(&outcome.outputs, "pDstData");
    let held;
    let recorded: &[u8] = match read {
        Some(Value::Bytes(bytes)) => bytes,
        Some(Value::Blob(number, ..)) => {
            held = blobs.blob(leave, *number).map_err(|what| call.fail(what))?;
            &held
        }
        _ => return Ok(()),
    };
    let failed = |result: u32| (result as i32) < 0;
    let Some(rows) = rows(context, call)?.filter(|_| !failed(called.result as u32)) else { return Ok(()) };
    let Some(start) = called.words.first().copied().filter(|start| *start != 0) else { return Ok(()) };
    let (mut here, mut different, mut first) = (Vec::new(), 0, None);
    for row in rows.starts {
        let Some(expected) = recorded.get(row..row + rows.bytes) else { break };
        // SAFETY: the codec made room for the reach of the call's own pitches and box, in which the row lies.
        let got = unsafe { core::slice::from_raw_parts((start as *const u8).add(row), rows.bytes) };
        let unlike = (0..rows.bytes).filter(|at| expected[*at] != got[*at]);
        unlike.for_each(|at| (different, first) = (different + 1, first.or(Some(row + at))));
        here.extend_from_slice(got);
    }
    context.report.compared_bytes += here.len() as u64;
    context.report.different_bytes += different;
    if let Some(first) = first {
        let what = format!(
            "{different} of {} bytes of texels differ from what the program read, the first at offset {first} of its memory",
            here.len()
        );
        context.differ(&call.place, what);
    }
    let (hash, differs) = (content_hash(&here), different > 0);
    let read = Read {
        call: call.number,
        frame: call.place.frame,
        resource: call.object,
        offset: 0,
        hash,
        answers: None,
        values: Some(hash),
        differs,
    };
    if let Some(take) = context.options.on_read.as_mut().filter(|_| !here.is_empty()) {
        take(&read);
    }
    Ok(())
}

/// Where its texels lie; `None` where the extent of the subresource is not known.
fn rows(context: &Context<'_, '_>, call: &OpenCall) -> Result<Option<Rows>, Error> {
    let arguments = call.arguments(&context.codec)?;
    let number = |name: &str| number_at(&arguments.members, name).unwrap_or(0);
    let desc = context.world.resources.get(&call.object).map(|resource| resource.desc);
    let Some(texels) = desc.and_then(|desc| Texels::of(&desc, number("SrcSubresource") as u32)) else {
        return Ok(None);
    };
    let has_box = !matches!(at(&arguments.members, "pSrcBox"), None | Some(Value::Null));
    // A box beyond the subresource was no valid call.
    let side = |[from, to]: [&str; 2], all: u32| match has_box {
        true => number(to).saturating_sub(number(from)).min(all.into()),
        false => all.into(),
    };
    let columns = side(["pSrcBox.left", "pSrcBox.right"], texels.width).div_ceil(texels.block_width.max(1).into());
    let lines = side(["pSrcBox.top", "pSrcBox.bottom"], texels.height).div_ceil(texels.block_height.max(1).into());
    let slices = side(["pSrcBox.front", "pSrcBox.back"], texels.depth);
    let (row_pitch, slice_pitch) = (number("DstRowPitch"), number("DstDepthPitch"));
    let starts =
        (0..slices).flat_map(|slice| (0..lines).map(move |line| (slice * slice_pitch + line * row_pitch) as usize));
    Ok(Some(Rows { bytes: (columns * u64::from(texels.block_bytes)) as usize, starts: starts.collect() }))
}
