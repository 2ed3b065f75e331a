//! Arbitrary bytes as a serialised root signature: refused, or checked and written again in every version to the same value.
#![no_main]

use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::Version;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok((signature, version)) = RootSignature::parse(bytes) else { return };
    let _ = (signature.check(), signature.cost());
    let (again, same) = RootSignature::parse(&signature.serialise(version)).expect("what was written can be read");
    assert_eq!(version, same);
    // Compared as text: floats that are not numbers are unlike themselves.
    assert_eq!(format!("{signature:?}"), format!("{again:?}"));
    for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
        let converted = signature.in_version(version);
        let (_, written) = RootSignature::from_container(&converted.to_container(version)).expect("converted");
        assert_eq!(written, version);
    }
});
