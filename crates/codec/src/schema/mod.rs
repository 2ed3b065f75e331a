//! Names and layouts of what a trace uses, as the trace carries them. FORMAT.md, "Schema", states the text.
//!
//! The writer stores [`of`] the methods that occur. [`model`] gives a trace's own tables back, from this form or from the
//! JSON of earlier builds ([`debug`]). What differs from the tables of this build is the matter of [`crate::translate`].
//!
//! Invariant: equal bytes mean that every payload of these methods is understood as it was written.

mod debug;
pub(crate) mod models;
mod read;
mod tables;
mod token;
mod write;

use reprise_d3d12::model::Model;

/// The first line of the text: its version.
const FIRST_LINE: &str = "schema 2";

/// A schema that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SchemaError {
    /// The schema is damaged, or something else wrote it.
    #[error(
        "the trace's schema is not understood: {0}; if the file is a copy, copy it again, else read it with the version of \
         Reprise that wrote it"
    )]
    Malformed(String),
    /// The schema's first line states a version that this build does not know.
    #[error("the trace's schema is of a later version (`{0}`, this build reads `{FIRST_LINE}`): update Reprise")]
    Newer(String),
    /// Another build recorded the trace, and its writer did not get to the schema.
    #[error(
        "the trace has no schema, because its writer did not finish, and another build of Reprise recorded it: make it \
         whole with that build's `reprise repair`"
    )]
    Missing,
}

/// The schema of these methods, by rising number: they, and every type that they reach.
pub fn of(model: &Model, methods: &[u16]) -> Vec<u8> {
    write::text(model, methods).into_bytes()
}

/// As [`of`], by the model of the build with this fingerprint: today's, or one that [`models`] knows. `None` for others.
pub fn of_build(fingerprint: u64, methods: &[u16]) -> Option<Vec<u8>> {
    if fingerprint == 0 || fingerprint == reprise_d3d12::FINGERPRINT {
        return Some(of(&reprise_d3d12::MODEL, methods));
    }
    let model = model(&models::of(fingerprint)?).ok()?;
    Some(of(&model, methods))
}

/// The tables that a schema describes, with the trace's own numbers of methods. A number that the trace does not use has a
/// method without a name. The tables live as long as the process: a program opens one trace or a few.
///
/// # Errors
/// The schema is malformed, or says something that cannot be.
pub fn model(schema: &[u8]) -> Result<Model, SchemaError> {
    if schema.first() == Some(&b'{') { debug::model(schema) } else { read::model(schema) }
}

/// Whether a schema is what these tables give, without reading it further.
pub fn is_of(model: &Model, schema: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(schema) else { return false };
    let numbers = text.lines().filter_map(|line| line.strip_prefix("method ")?.split(' ').next());
    let methods: Result<Vec<u16>, _> = numbers.map(str::parse).collect();
    methods.is_ok_and(|methods| write::text(model, &methods) == text)
}

/// The numbers of the methods that a trace uses.
pub(crate) fn used(model: &Model) -> Vec<u16> {
    (0..=u16::MAX).zip(model.methods).filter(|(_, method)| method.name != tables::UNUSED).map(|(id, _)| id).collect()
}

/// The text of [`of`].
pub(crate) fn text(model: &Model, methods: &[u16]) -> String {
    write::text(model, methods)
}

/// The declarations of a schema's text, each with its fields.
pub(crate) fn declarations(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.match_indices('\n').map(|(at, _)| at + 1).filter(|at| !text[*at..].starts_with(' '));
    let mut begin = 0;
    ends.map(move |end| &text[std::mem::replace(&mut begin, end)..end])
}

#[cfg(test)]
mod tests;
