//! What differs between the members of two calls.

use super::item::Item;
use super::matching::{Matching, Which};
use serde_json::Value as Json;

/// A member whose value differs between two calls; null where only the other call has the member.
#[derive(Debug)]
pub struct Change {
    /// As in `args.pDesc.Width`.
    pub(super) path: String,
    pub(super) a: Json,
    pub(super) b: Json,
}

/// The members that differ between two calls that belong together. Objects are named by their ids in their own trace.
pub(super) fn changes(matching: &Matching, a: &Item, b: &Item) -> Vec<Change> {
    let own = [a.members(|id| id.to_string()), b.members(|id| id.to_string())].map(Json::from);
    // Partners have the same name here; an object without a partner has a name that no other object has.
    let alike =
        [a.members(|id| matching.name(Which::A, id)), b.members(|id| matching.name(Which::B, id))].map(Json::from);
    let mut found = Vec::new();
    unlike(&mut String::new(), [&alike[0], &alike[1]], [&own[0], &own[1]], &mut found);
    found
}

fn unlike(path: &mut String, alike: [&Json; 2], own: [&Json; 2], found: &mut Vec<Change>) {
    if alike[0] == alike[1] {
        return;
    }
    match (alike[0], alike[1]) {
        (Json::Object(a), Json::Object(b)) => {
            for name in a.keys().chain(b.keys().filter(|name| !a.contains_key(*name))) {
                let [a, b] = [(&alike[0][name], &own[0][name]), (&alike[1][name], &own[1][name])];
                within(path, name, |path| unlike(path, [a.0, b.0], [a.1, b.1], found));
            }
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            for index in 0..a.len() {
                let [own_a, own_b] = own.map(|own| &own[index]);
                within(path, &index.to_string(), |path| unlike(path, [&a[index], &b[index]], [own_a, own_b], found));
            }
        }
        _ => found.push(Change { path: path.clone(), a: own[0].clone(), b: own[1].clone() }),
    }
}

fn within(path: &mut String, step: &str, inside: impl FnOnce(&mut String)) {
    let length = path.len();
    if length > 0 {
        path.push('.');
    }
    path.push_str(step);
    inside(path);
    path.truncate(length);
}
