//! Why a program did not come to its end.
//!
//! Invariant: a library that says that it lacks something is not wrong, and one that gives a wrong result is not excused.

use reprise_d3d12::model::MethodId;
use std::fmt;

/// What the program says on standard error, and by its exit code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// There is no such library: exit code 2.
    NoLibrary(String),
    /// The library does not have what the program is about, and said so: exit code 3.
    Cannot(String),
    /// A call failed that should not, or a result is not what the API promises: exit code 1.
    Wrong(String),
}

const E_NOTIMPL: u32 = 0x8000_4001;
const DXGI_ERROR_UNSUPPORTED: u32 = 0x887a_0004;

impl Failure {
    /// The result of a call that failed. Two of the results say "not here"; all others say that something is wrong.
    pub(crate) fn of_call(method: MethodId, result: u32) -> Self {
        let name = method.get().name;
        match result {
            E_NOTIMPL => Self::Cannot(format!("{name} answers E_NOTIMPL")),
            DXGI_ERROR_UNSUPPORTED => Self::Cannot(format!("{name} answers DXGI_ERROR_UNSUPPORTED")),
            _ => Self::Wrong(format!("{name} answers 0x{result:08x}")),
        }
    }

    /// What the process ends with.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Wrong(_) => 1,
            Self::NoLibrary(_) => 2,
            Self::Cannot(_) => 3,
        }
    }

    /// A self-check: wrong unless `right`.
    pub(crate) fn unless(right: bool, what: impl FnOnce() -> String) -> Result<(), Self> {
        if right { Ok(()) } else { Err(Self::Wrong(what())) }
    }

    /// A self-check of a whole result against what the processor computed: wrong at the first element that differs.
    pub(crate) fn unless_equal<T: PartialEq + fmt::Debug>(what: &str, got: &[T], expected: &[T]) -> Result<(), Self> {
        Self::unless(got.len() == expected.len(), || {
            format!("{what}: {} elements instead of {}", got.len(), expected.len())
        })?;
        match got.iter().zip(expected).position(|(got, expected)| got != expected) {
            None => Ok(()),
            Some(at) => {
                Err(Self::Wrong(format!("{what}: element {at} is {:x?} instead of {:x?}", got[at], expected[at])))
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLibrary(reason) => f.write_str(reason),
            Self::Cannot(reason) => write!(f, "cannot run here: {reason}"),
            Self::Wrong(reason) => write!(f, "wrong: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_feature_is_told_from_a_wrong_result() {
        let method = reprise_d3d12::method("ID3D12Device", "CreateFence");
        assert_eq!(Failure::of_call(method, E_NOTIMPL), Failure::Cannot("CreateFence answers E_NOTIMPL".into()));
        assert_eq!(Failure::of_call(method, 0x8007_000e), Failure::Wrong("CreateFence answers 0x8007000e".into()));
        assert_eq!(Failure::unless_equal("sum", &[1, 2], &[1, 2]), Ok(()));
        let wrong = Failure::unless_equal("sum", &[1, 0x1f], &[1, 0x20]);
        assert_eq!(wrong, Err(Failure::Wrong("sum: element 1 is 1f instead of 20".into())));
        assert!(Failure::unless_equal("sum", &[1], &[1, 2]).is_err());
    }
}
