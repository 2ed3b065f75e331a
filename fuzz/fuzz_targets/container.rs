//! Arbitrary bytes as a shader container: its parts, signatures, program and root signatures are read or refused, and what
//! is read can be built again.
#![no_main]

use reprise_dxbc::{Checksum, Container, Part, Program, RootSignature, Tag, container, library, signature};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = library::root_signature(bytes, "main");
    let _ = RootSignature::from_container(bytes);
    let Ok(container) = Container::parse(bytes) else { return };
    let _ = container.checksum();
    for part in container.parts() {
        let _ = signature::parse(part);
    }
    let _ = Program::of(&container);
    let parts: Vec<_> = container.parts().iter().map(|part| (part.tag, part.data)).collect();
    let again = container::build(&parts);
    let again = Container::parse(&again).expect("what was built can be read");
    assert!(again.checksum() == Checksum::Valid);
    // Parts are padded to words.
    let same = |(part, (tag, data)): (&Part<'_>, &(Tag, &[u8]))| part.tag == *tag && part.data.starts_with(data);
    assert_eq!(again.parts().len(), parts.len());
    assert!(again.parts().iter().zip(&parts).all(same));
});
