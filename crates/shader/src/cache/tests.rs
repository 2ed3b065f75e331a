//! Damage, bounds and keys.
#![allow(clippy::unwrap_used)]

use super::*;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("reprise-shader-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn shader(words: usize) -> Spirv {
    Spirv {
        words: (0..words as u32).collect(),
        stage: Stage::Pixel,
        entry: "main".to_owned(),
        group: [1, 2, 3],
        wave: [4, 5, 6],
        uses_wave_size: true,
        patch_vertices: 7,
        patch_location_offset: 8,
    }
}

#[test]
fn keeps_what_is_stored_and_finds_no_damaged_file() {
    let folder = folder("damage");
    let cache = Cache::open(&folder, 1 << 20).unwrap();
    let key = Key(7);
    assert_eq!(cache.get(key), None);
    cache.put(key, &shader(20));
    assert_eq!(cache.get(key), Some(shader(20)));
    assert_eq!(Cache::open(&folder, 1 << 20).unwrap().get(key), Some(shader(20)));
    let path = cache.path(key);
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(cache.get(key), None, "cut to {length} bytes");
    }
    for bit in 0..whole.len() * 8 {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(parse(damaged, key), None, "bit {bit}");
    }
    // A file under another's name is not taken for it.
    fs::write(cache.path(Key(8)), &whole).unwrap();
    assert_eq!(cache.get(Key(8)), None);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn stays_below_its_limit_and_keeps_the_newest() {
    let folder = folder("limit");
    let cache = Cache::open(&folder, 10_000).unwrap();
    for number in 0..100 {
        cache.put(Key(number), &shader(200));
        let held: u64 = files(&folder).unwrap().iter().map(|file| file.size).sum();
        assert!(held <= 10_000, "{held} bytes after {number}");
        assert_eq!(cache.get(Key(number)), Some(shader(200)));
    }
    // Too large for the cache as a whole.
    cache.put(Key(1000), &shader(4000));
    assert_eq!(cache.get(Key(1000)), None);
    assert_eq!(cache.get(Key(99)), Some(shader(200)));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn bytes_are_replaced_and_are_no_shader() {
    let folder = folder("bytes");
    let cache = Cache::open(&folder, 10_000).unwrap();
    let key = Key::of(b"name");
    cache.put_bytes(key, b"first");
    cache.put_bytes(key, b"second");
    assert_eq!(cache.bytes(key).as_deref(), Some(&b"second"[..]));
    assert_eq!(cache.get(key), None);
    assert_eq!(cache.bytes(Key::of(b"other")), None);
    cache.put_bytes(key, &[0; 10_001]);
    assert_eq!(cache.bytes(key).as_deref(), Some(&b"second"[..]), "too large for the folder");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn all_that_matters_is_in_the_key() {
    let interface = Interface::default();
    let (link, target) = (Link::default(), Target::default());
    let key = Key::new(b"a", Stage::Pixel, &interface, &link, &target);
    assert_eq!(key, Key::new(b"a", Stage::Pixel, &interface.clone(), &link, &target));
    let others = [
        Key::new(b"b", Stage::Pixel, &interface, &link, &target),
        Key::new(b"a", Stage::Vertex, &interface, &link, &target),
        Key::new(b"a", Stage::Pixel, &Interface { root_words: 1, ..Interface::default() }, &link, &target),
        Key::new(b"a", Stage::Pixel, &interface, &Link { dual_source: true, ..Link::default() }, &target),
        Key::new(b"a", Stage::Pixel, &interface, &link, &Target { storage_alignment: 4, ..target }),
    ];
    for (place, other) in others.iter().enumerate() {
        assert_ne!(key, *other, "{place}");
        assert!(!others[..place].contains(other), "{place}");
    }
}
