//! Counts in words.

/// Bytes as people read them: `1.5 MiB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if count < 1024 {
        return plural(count, "byte");
    }
    let mut value = count as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A count with its noun: `1 frame`, `12 frames`.
pub fn plural(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// A verb that agrees with its count: `differs` of one, `differ` of several.
pub fn agree<'v>(count: u64, one: &'v str, many: &'v str) -> &'v str {
    if count == 1 { one } else { many }
}

/// How much of a trace is damaged.
pub fn damaged(places: u64) -> String {
    format!("{} {} damaged", plural(places, "place"), agree(places, "is", "are"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_and_verbs_agree_with_their_count() {
        let said = [0, 1, 2].map(|count| format!("{} {}", plural(count, "frame"), agree(count, "differs", "differ")));
        assert_eq!(said, ["0 frames differ", "1 frame differs", "2 frames differ"]);
    }

    #[test]
    fn bytes_for_people() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(5 << 30), "5.0 GiB");
        assert_eq!(bytes(u64::MAX), "16384.0 PiB");
    }
}
