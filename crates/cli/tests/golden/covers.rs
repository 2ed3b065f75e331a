//! When something that is said later is still what was said: additions are allowed, everything else is not.

use serde_json::Value as Json;

/// Whether all that `expected` says is in `found`: each key of an object, each element of an array in its place, each other
/// value exactly. Keys that are new are additions.
///
/// # Errors
/// Where they differ, and how.
pub(crate) fn covers(expected: &Json, found: &Json) -> Result<(), String> {
    let at = |place: &str, what: String| {
        if what.starts_with(['.', '[']) { format!("{place}{what}") } else { format!("{place}: {what}") }
    };
    match (expected, found) {
        (Json::Object(expected), Json::Object(found)) => {
            for (key, value) in expected {
                let other = found.get(key).ok_or_else(|| format!(".{key}: is gone"))?;
                covers(value, other).map_err(|what| at(&format!(".{key}"), what))?;
            }
            Ok(())
        }
        (Json::Array(expected), Json::Array(found)) => {
            if expected.len() != found.len() {
                return Err(format!("{} elements, {} before", found.len(), expected.len()));
            }
            let pairs = expected.iter().zip(found).enumerate();
            pairs.into_iter().try_for_each(|(index, (one, other))| {
                covers(one, other).map_err(|what| at(&format!("[{index}]"), what))
            })
        }
        (expected, found) if expected == found => Ok(()),
        (expected, found) => Err(format!("is {found}, was {expected}")),
    }
}

#[test]
fn additions_are_covered_and_nothing_else() {
    let json = |text: &str| serde_json::from_str::<Json>(text).unwrap();
    let before = json(r#"{"call": 1, "args": {"a": [1, {"b": null}]}}"#);
    let added = json(r#"{"call": 1, "new": 2, "args": {"a": [1, {"b": null, "c": 3}]}}"#);
    assert_eq!(covers(&before, &added), Ok(()));
    assert_eq!(covers(&added, &before), Err(".new: is gone".into()));
    let longer = json(r#"{"call": 1, "args": {"a": [1, {"b": null}, 2]}}"#);
    assert_eq!(covers(&before, &longer), Err(".args.a: 3 elements, 2 before".into()));
    let other = json(r#"{"call": 1, "args": {"a": [1, {"b": 0}]}}"#);
    assert_eq!(covers(&before, &other), Err(".args.a[1].b: is 0, was null".into()));
}
