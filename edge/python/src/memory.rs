//! What mapped memory has at a call, as far as the trace states it.
//!
//! Invariant: a byte is what the program stored there last. Where the GPU wrote it, it is what the program saw there last. `known` tells which
//! bytes the trace states. All others are 0.

use crate::error::{Error, Wrong, in_words};
use crate::trace::Opened;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use reprise_timeline::state::memory::Contents;
use reprise_trace::record::Kind;
use std::collections::BTreeMap;

/// Ranges of a subresource that are kept apart; more are joined where they meet.
const APART: usize = 4096;

/// Mapped memory at a call.
#[pyclass(frozen, module = "reprise")]
pub(crate) struct Memory {
    contents: Contents,
    /// By resource and subresource: offsets of first bytes, and of those behind the last.
    known: BTreeMap<(u32, u32), Vec<[u64; 2]>>,
}

impl Memory {
    /// As a call finds it; of one resource where it is named.
    pub(crate) fn at(opened: &Opened, call: u64, resource: Option<u32>) -> Result<Memory, Wrong> {
        let mut memory = Memory { contents: Contents::default(), known: BTreeMap::new() };
        let mut events = opened.trace.events().in_pieces();
        while let Some(event) = events.next().map_err(|wrong| in_words(&wrong))? {
            if event.kind == Kind::Enter && event.number >= call {
                break;
            }
            if resource.is_some_and(|wanted| wanted != event.object) {
                continue;
            }
            let place = (event.object, event.ordinal);
            match event.kind {
                Kind::Memory => {
                    if let Some((at, bytes)) = event.memory() {
                        memory.store(place, at, bytes);
                    }
                }
                Kind::Pages => event.pieces().for_each(|(at, bytes)| memory.store(place, at, bytes)),
                _ => {}
            }
        }
        memory.known.values_mut().for_each(join);
        Ok(memory)
    }

    fn store(&mut self, place: (u32, u32), at: u64, bytes: &[u8]) {
        // Only a damaged trace has stores at the end of all numbers.
        let Some(end) = at.checked_add(bytes.len() as u64).filter(|end| *end > at) else { return };
        self.contents.store(place.0, place.1, at, bytes);
        let known = self.known.entry(place).or_default();
        match known.last_mut() {
            Some(last) if last[0] <= at && at <= last[1] => last[1] = last[1].max(end),
            _ => known.push([at, end]),
        }
        if known.len() > APART && known.len().is_power_of_two() {
            join(known);
        }
    }

    fn ranges(&self, resource: u32, subresource: u32) -> PyResult<&[[u64; 2]]> {
        self.known.get(&(resource, subresource)).map(Vec::as_slice).ok_or_else(|| {
            let is_there = self.known.range((resource, 0)..=(resource, u32::MAX)).next().is_some();
            Error::new_err(match is_there {
                true => format!("nothing was stored to subresource {subresource} of resource {resource} before this call"),
                false => format!(
                    "nothing was stored to resource {resource} before this call, or it is not in mapped memory: a replay has what the GPU has there"
                ),
            })
        })
    }
}

/// Puts ranges into order, those that meet as one.
fn join(ranges: &mut Vec<[u64; 2]>) {
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let meets = next[0] <= last[1];
        if meets {
            last[1] = last[1].max(next[1]);
        }
        meets
    });
}

#[pymethods]
impl Memory {
    /// The subresources that something was stored to: pairs of a resource and the number of its subresource.
    #[getter]
    fn places(&self) -> Vec<(u32, u32)> {
        self.known.keys().copied().collect()
    }

    /// The ranges that the trace states: pairs of an offset and a number of bytes.
    #[pyo3(signature = (resource, subresource=0))]
    fn known(&self, resource: u32, subresource: u32) -> PyResult<Vec<(u64, u64)>> {
        let ranges = self.ranges(resource, subresource)?;
        Ok(ranges.iter().map(|[from, to]| (*from, to - from)).collect())
    }

    /// Bytes from `first` on, so many, or all up to the last one that is known. What the trace does not state is 0.
    #[pyo3(signature = (resource, first=0, size=None, subresource=0))]
    fn bytes<'py>(
        &self,
        py: Python<'py>,
        resource: u32,
        first: u64,
        size: Option<u64>,
        subresource: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let end = self.ranges(resource, subresource)?.last().map_or(0, |range| range[1]);
        let size = size.unwrap_or(end.saturating_sub(first));
        let mut bytes = Vec::new();
        let length = usize::try_from(size).ok().filter(|_| first.checked_add(size).is_some());
        let length = length.filter(|length| bytes.try_reserve_exact(*length).is_ok());
        let length = length
            .ok_or_else(|| Error::new_err(format!("{size} bytes from {first} on: there is no room for so many")))?;
        bytes.resize(length, 0);
        self.contents.read(resource, subresource, first, &mut bytes);
        Ok(PyBytes::new(py, &bytes))
    }

    /// The same as an array of NumPy, of elements of this kind.
    #[pyo3(signature = (resource, dtype="u1", first=0, size=None, subresource=0))]
    fn array<'py>(
        &self,
        py: Python<'py>,
        resource: u32,
        dtype: &str,
        first: u64,
        size: Option<u64>,
        subresource: u32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let bytes = self.bytes(py, resource, first, size, subresource)?;
        let numpy = py
            .import("numpy")
            .map_err(|_| Error::new_err("arrays need NumPy: pip install numpy; `bytes` has the bytes without it"))?;
        let kind = numpy.call_method1("dtype", (dtype,))?;
        let each: usize = kind.getattr("itemsize")?.extract()?;
        // What is left at the end is no element.
        let whole = bytes.as_bytes().len().checked_div(each).unwrap_or(0);
        numpy.call_method1("frombuffer", (bytes, kind, whole))
    }

    fn __repr__(&self) -> String {
        format!("<reprise.Memory: {} subresources>", self.known.len())
    }
}
