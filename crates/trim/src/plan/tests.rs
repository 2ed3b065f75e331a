use super::*;

/// A view of constants at an address, as a state has it.
fn constants(address: u64) -> View {
    let mut desc = address.to_le_bytes().to_vec();
    desc.extend(256_u64.to_le_bytes());
    let view = serde_json::json!({ "kind": "Constants", "resource": 0, "second": 0, "desc": desc, "call": 1 });
    serde_json::from_value(view).expect("a view")
}

/// Such a view names no resource. Where it was made again for a buffer that is gone, the part asked for an address at which nothing lies.
#[test]
fn constants_of_a_buffer_that_is_gone_are_gone() {
    let state = State::default();
    assert!(!is_alive(&state, &constants(0x10_0000)), "no buffer lies there");
    assert!(is_alive(&state, &constants(0)), "null is no buffer's");
}
