//! What our runtime's shaders found of descriptors, in words and numbers.

/// A descriptor that a shader used and that is wrong.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// `index`, `unwritten`, `type`, `gone`, `heap` or `root`.
    pub(crate) what: &'static str,
    /// What is wrong, in words.
    pub(crate) wrong: String,
    /// The draw or dispatch; in a bundle, the call that executes it.
    pub(crate) call: u64,
    /// Its number among the operations of its list, from 1.
    pub(crate) operation: u32,
    /// `VS` and so on.
    pub(crate) stage: &'static str,
    /// The first 16 digits of the hash of the shader's container.
    pub(crate) shader: String,
    /// The root parameter; `None` where the heap is indexed directly.
    pub(crate) parameter: Option<u32>,
    /// The register and its space.
    pub(crate) register: Option<String>,
    /// Index in the heap.
    pub(crate) index: u32,
    /// Where the table begins in the heap.
    pub(crate) table: Option<u32>,
    /// The call that made the heap.
    pub(crate) heap: Option<u64>,
    /// Descriptors of the heap.
    pub(crate) descriptors: u32,
    /// The address of a root descriptor.
    pub(crate) address: Option<u64>,
    pub(crate) expected: String,
    pub(crate) found: String,
    /// The call that made the heap of the table, where that is another one than the one that is set.
    pub(crate) other: Option<u64>,
    /// The call that made the view which the slot holds.
    pub(crate) made: Option<u64>,
    /// The call that copied it there last.
    pub(crate) copied: Option<u64>,
    /// The call that released the resource.
    pub(crate) released: Option<u64>,
}
