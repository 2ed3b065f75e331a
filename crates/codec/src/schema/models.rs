//! The whole schemas of the models that builds had, today's included, by fingerprint.
//!
//! A trace whose writer died in its first second has no schema, only the fingerprint of the model that it was recorded with. These files
//! let every later build read it. When the model changes, the new one gets a file (`cargo run -p reprise-codec --example whole_schema`)
//! and a line here; the others stay. Invariant: today's model is among them, so no build that a test has seen leaves traces that
//! the next one cannot read.

/// The schema of all methods of the model with this fingerprint; `None` for a model that no build of ours had.
pub(crate) fn of(fingerprint: u64) -> Option<Vec<u8>> {
    let (_, packed) = MODELS.iter().find(|(known, _)| *known == fingerprint)?;
    zstd::stream::decode_all(*packed).ok()
}

/// By fingerprint, the oldest first.
const MODELS: [(u64, &[u8]); 5] = [
    (0xa6c3_f4f0_4232_0403, include_bytes!("models/a6c3f4f042320403.zst")),
    (0x7d88_bcd1_e58a_f981, include_bytes!("models/7d88bcd1e58af981.zst")),
    (0xd19c_ff87_3456_876c, include_bytes!("models/d19cff873456876c.zst")),
    (0xdd60_dae5_b5b5_7f47, include_bytes!("models/dd60dae5b5b57f47.zst")),
    (0x6158_459d_8785_107a, include_bytes!("models/6158459d8785107a.zst")),
];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_d3d12::{FINGERPRINT, MODEL};

    #[test]
    fn each_describes_a_whole_model() {
        for (fingerprint, _) in MODELS {
            let model = crate::schema::model(&of(fingerprint).unwrap()).unwrap();
            // The oldest has 823 methods, and none was taken away since.
            assert!(crate::schema::used(&model).len() >= 823, "{fingerprint:x}");
        }
        assert_eq!(of(0), None);
    }

    #[test]
    fn todays_is_among_them() {
        let all: Vec<u16> = (0..MODEL.methods.len() as u16).collect();
        let how =
            "the model has changed: run the example whole_schema, which writes its file, and add a line to MODELS";
        assert!(of(FINGERPRINT).is_some_and(|schema| schema == crate::schema::of(&MODEL, &all)), "{how}");
    }
}
