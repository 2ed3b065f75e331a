//! Tests that have stopped a GPU for all of its processes. They run alone and last, so that they take no other test's result along.

/// Their names, and what they did.
const DANGEROUS: &[(&str, &str)] = &[(
    "test_multisample_rendering",
    "draws to targets of other samples than the pipeline's: an NVIDIA H200 (driver 580.159) stopped for good, while our runtime \
     handed that on to Vulkan",
)];

/// The tests that may run together, and those that run alone after them; both in their order.
pub(super) fn split(names: &[String]) -> (Vec<String>, Vec<String>) {
    names.iter().cloned().partition(|name| reason(name).is_none())
}

/// Why a test runs alone and last.
pub(super) fn reason(name: &str) -> Option<&'static str> {
    DANGEROUS.iter().find(|(dangerous, _)| *dangerous == name).map(|(_, reason)| *reason)
}
