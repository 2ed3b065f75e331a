//! Our runtime asks the driver's counters (`VK_KHR_performance_query`) by a query heap of its own type.
//!
//! | call | of | means |
//! |---|---|---|
//! | `CreateQueryHeap` with [`HEAP`] | a device | queries of the counters that the process asked for before it made the device |
//! | `BeginQuery`, `EndQuery` with [`QUERY`] | a direct list | what stands between them is counted |
//! | `GetPrivateData` of [`ID`] | such a heap | the results of all its queries, once the lists are done, as [`write`] has them |
//! | `SetPrivateData` of [`ID`] | such a heap | its queries may begin again |
//!
//! A library that does not know the type makes no such heap.
//!
//! ```
//! use reprise_d3d12::counters::{read, write};
//!
//! let results = [Some(vec![7, 1 << 40]), None];
//! assert_eq!(read(&write(&results)).unwrap(), results);
//! assert_eq!(read(&write(&results)[1..]), None);
//! ```

use crate::model::Guid;
use crate::types::{D3D12_QUERY_HEAP_TYPE, D3D12_QUERY_TYPE};

/// The type of the heap. The API's own are small.
pub const HEAP: D3D12_QUERY_HEAP_TYPE = D3D12_QUERY_HEAP_TYPE(0x5250_0001);
/// The type of its queries.
pub const QUERY: D3D12_QUERY_TYPE = D3D12_QUERY_TYPE(0x5250_0001);
/// The id of a heap's results.
pub static ID: Guid =
    Guid { data1: 0x7d8b_41c6, data2: 0x2f0a, data3: 0x4e1d, data4: [0x9a, 0x63, 0x5c, 0x0b, 0xe8, 0x47, 0xf1, 0x2d] };

/// A counter of the driver's, in its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// As the driver calls it.
    pub name: String,
    /// What it belongs to.
    pub category: String,
    /// What it is.
    pub about: String,
    /// Of what.
    pub unit: Unit,
    /// What it can be asked of.
    pub scope: Scope,
    /// How its results are stored.
    pub storage: Storage,
}

macro_rules! units {
    ($($unit:ident $name:literal $adds:literal;)*) => {
        /// What a counter counts, in the order of `VkPerformanceCounterUnitKHR`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "named by Vulkan")]
        pub enum Unit { $($unit,)* Other }

        impl Unit {
            const ALL: &[Unit] = &[$(Unit::$unit,)*];

            /// In a word.
            pub fn name(self) -> &'static str {
                match self { $(Unit::$unit => $name,)* Unit::Other => "other" }
            }

            /// Whether what two operations count adds up to what both do.
            pub fn adds(self) -> bool {
                match self { $(Unit::$unit => $adds,)* Unit::Other => false }
            }
        }
    };
}

units! {
    Generic "count" true;
    Percentage "%" false;
    Nanoseconds "ns" true;
    Bytes "bytes" true;
    BytesPerSecond "bytes/s" false;
    Kelvin "K" false;
    Watts "W" false;
    Volts "V" false;
    Amps "A" false;
    Hertz "Hz" false;
    Cycles "cycles" true;
}

impl Unit {
    /// By Vulkan's number.
    pub fn of(number: i32) -> Unit {
        usize::try_from(number).ok().and_then(|at| Unit::ALL.get(at)).copied().unwrap_or(Unit::Other)
    }
}

/// What a counter can be asked of (`VkPerformanceCounterScopeKHR`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A command buffer as a whole.
    CommandBuffer,
    /// Whole render passes.
    RenderPass,
    /// Any commands.
    Command,
}

impl Scope {
    /// By Vulkan's number; what is not known counts as the widest.
    pub fn of(number: i32) -> Scope {
        match number {
            1 => Scope::RenderPass,
            2 => Scope::Command,
            _ => Scope::CommandBuffer,
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Scope::CommandBuffer => "command buffer",
            Scope::RenderPass => "render pass",
            Scope::Command => "command",
        }
    }
}

/// How a result is stored (`VkPerformanceCounterStorageKHR`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named by Vulkan")]
pub enum Storage {
    Int32,
    Int64,
    Uint32,
    Uint64,
    Float32,
    Float64,
}

/// A result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Whole(u64),
    /// A whole number with a sign.
    Signed(i64),
    /// Any number.
    Real(f64),
}

impl Storage {
    /// By Vulkan's number; what is not known counts as the widest whole number.
    pub fn of(number: i32) -> Storage {
        match number {
            0 => Storage::Int32,
            1 => Storage::Int64,
            2 => Storage::Uint32,
            4 => Storage::Float32,
            5 => Storage::Float64,
            _ => Storage::Uint64,
        }
    }

    /// What a result says: of the eight bytes of `VkPerformanceCounterResultKHR` a counter of four has the first.
    pub fn value(self, word: u64) -> Value {
        match self {
            Storage::Int32 => Value::Signed(i64::from((word as u32).cast_signed())),
            Storage::Int64 => Value::Signed(word.cast_signed()),
            Storage::Uint32 => Value::Whole(u64::from(word as u32)),
            Storage::Uint64 => Value::Whole(word),
            Storage::Float32 => Value::Real(f64::from(f32::from_bits(word as u32))),
            Storage::Float64 => Value::Real(f64::from_bits(word)),
        }
    }
}

/// Results of queries as bytes: words of eight, little endian. For each query the count of its results and these; of one that did not end 0.
pub fn write(results: &[Option<Vec<u64>>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for result in results {
        let words = result.as_deref().unwrap_or_default();
        bytes.extend((words.len() as u64).to_le_bytes());
        words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    }
    bytes
}

/// What [`write`] wrote; `None` of other bytes.
pub fn read(bytes: &[u8]) -> Option<Vec<Option<Vec<u64>>>> {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
    let mut results = Vec::new();
    while let Some(count) = words.next() {
        // A count is not trusted: there are as many words, or these are no results.
        if count > words.len() as u64 {
            return None;
        }
        let result: Vec<u64> = words.by_ref().take(count as usize).collect();
        results.push((count != 0).then_some(result));
    }
    rest.is_empty().then_some(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_as_they_are_stored() {
        let all = |word: u64| [0, 1, 2, 3, 4, 5].map(|number| Storage::of(number).value(word));
        let minus = 0xdead_beef_ffff_ffffu64;
        assert_eq!(
            all(minus)[..4],
            [Value::Signed(-1), Value::Signed(minus.cast_signed()), Value::Whole(0xffff_ffff), Value::Whole(minus)]
        );
        assert_eq!(Storage::Float32.value(u64::from(0.5f32.to_bits()) | 7 << 32), Value::Real(0.5));
        assert_eq!(Storage::Float64.value((-2.5f64).to_bits()), Value::Real(-2.5));
    }

    #[test]
    fn units_are_those_of_vulkan() {
        let names: Vec<&str> = (0..12).map(|number| Unit::of(number).name()).collect();
        let wanted = ["count", "%", "ns", "bytes", "bytes/s", "K", "W", "V", "A", "Hz", "cycles", "other"];
        assert_eq!(names, wanted);
        assert!(Unit::of(3).adds() && !Unit::of(1).adds() && !Unit::of(-1).adds());
    }

    #[test]
    fn other_bytes_are_no_results() {
        assert_eq!(read(&2u64.to_le_bytes()), None);
        assert_eq!(read(&u64::MAX.to_le_bytes()), None);
        assert_eq!(read(&[]), Some(vec![]));
    }
}
