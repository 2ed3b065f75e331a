//! Whole schemas of models that earlier builds had.
//!
//! A trace whose writer died in its first second has no schema, only the fingerprint of the model that it was recorded with. These files
//! let every later build read it: `past/FINGERPRINT.zst` is the schema of all methods of that model, compressed. When the model
//! changes, the one before gets a file here (`cargo test -p reprise-codec past` names what is missing).

/// The schema of the model with this fingerprint; `None` for models that no build was released with.
pub(crate) fn of(fingerprint: u64) -> Option<Vec<u8>> {
    let (_, packed) = PAST.iter().find(|(known, _)| *known == fingerprint)?;
    zstd::stream::decode_all(*packed).ok()
}

/// By fingerprint, the oldest first.
const PAST: [(u64, &[u8]); 1] = [(0xa6c3_f4f0_4232_0403, include_bytes!("past/a6c3f4f042320403.zst"))];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn each_is_the_schema_of_a_whole_model() {
        for (fingerprint, _) in PAST {
            let schema = of(fingerprint).unwrap();
            let model = crate::schema::model(&schema).unwrap();
            // The first model that traces were recorded with had 823 methods, and none was taken away since.
            assert!(crate::schema::used(&model).len() >= 823, "{fingerprint:x}");
            // It is a past one: today's needs none.
            assert_ne!(fingerprint, reprise_d3d12::FINGERPRINT);
        }
        assert_eq!(of(0), None);
    }
}
