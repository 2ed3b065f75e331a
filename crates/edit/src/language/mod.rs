//! What is to be changed, as text: one edit a line.
//!
//! ```text
//! # A comment.
//! call 1234: pViewports[0].Width = 640, pViewports[0].Height = 360
//! calls 100-200 DrawInstanced: drop
//! frame 3: every DrawIndexedInstanced where InstanceCount = 1: drop
//! insert before call 1234: DrawInstanced(3, 1, 0, 0)
//! shader of 57 PS = "red.dxil"
//! buffer 12+0x100 = "constants.bin"
//! ```
//!
//! Invariant: reading never fails but with a place and what was expected there; names of methods are checked against the model here, all
//! else against the trace in [`crate::plan`](mod@crate::plan).

mod scanner;
mod value;

use crate::error::SyntaxError;
use reprise_codec::amend::Literal;
use reprise_d3d12::MODEL;
pub use scanner::Place;
use scanner::{Scanned, Scanner};
use std::ops::RangeInclusive;
use std::path::PathBuf;
pub use value::Read;

/// Edits, in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Edits {
    pub(crate) list: Vec<Edit>,
}

/// One edit.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Edit {
    pub(crate) place: Place,
    pub(crate) text: String,
    /// Frames from 1, where only those are meant.
    pub(crate) frames: Option<RangeInclusive<u32>>,
    pub(crate) what: What,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum What {
    Calls(Calls, Vec<Action>),
    Insert(Insert),
    Shader(Shader),
    Contents(Contents),
    Force(Force),
}

/// Which calls are meant.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Calls {
    /// By number; `None`: every one.
    pub(crate) numbers: Option<RangeInclusive<u64>>,
    /// Of a method; `Interface::Method` or `Method`.
    pub(crate) method: Option<String>,
    /// Where arguments have these values.
    pub(crate) conditions: Vec<(String, Literal)>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Action {
    Drop,
    Repeat,
    Set(String, Literal),
}

/// A call to be put beside another one.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Insert {
    pub(crate) after: bool,
    pub(crate) call: u64,
    pub(crate) method: String,
    pub(crate) object: Option<u32>,
    pub(crate) arguments: Vec<(Option<String>, Literal)>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Shader {
    pub(crate) of: ShaderOf,
    pub(crate) file: PathBuf,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ShaderOf {
    /// Of a pipeline, by its id; the stage as the pipeline's description names it: `PS`.
    Pipeline(u32, String),
    /// Wherever these bytes are.
    Hash(u128),
}

/// What a resource holds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Contents {
    pub(crate) resource: u32,
    pub(crate) part: Part,
    pub(crate) file: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Of a buffer, from this byte on.
    Bytes(u64),
    /// Of a texture.
    Subresource(u32),
}

/// The same change of all resources, views, pipelines and calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Force {
    /// `DXGI_FORMAT`s, by number.
    Format(u32, u32),
    Samples(u32, u32),
    Size([u32; 2], [u32; 2]),
}

/// Stages, as descriptions of pipelines name them.
pub(crate) const STAGES: [&str; 8] = ["VS", "HS", "DS", "GS", "PS", "CS", "AS", "MS"];

impl Edits {
    /// Reads the edits of a text. `source` names it in errors, `read` reads the files of values.
    ///
    /// # Errors
    /// The first line that is no edit.
    pub fn parse(text: &str, source: &str, read: &mut Read<'_>) -> Result<Edits, SyntaxError> {
        let mut list = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let mut scanner = Scanner::new(line, Place { source: source.to_owned(), line: index + 1 });
            if !scanner.is_at_end() {
                list.push(edit(&mut scanner, read)?);
            }
        }
        Ok(Edits { list })
    }

    /// Adds those of another text, which come later.
    pub fn and(mut self, later: Edits) -> Edits {
        self.list.extend(later.list);
        self
    }

    /// The same, with files whose names are relative looked for in a folder.
    #[must_use]
    pub fn within(mut self, folder: &std::path::Path) -> Edits {
        for edit in &mut self.list {
            match &mut edit.what {
                What::Shader(Shader { file, .. }) | What::Contents(Contents { file, .. }) => {
                    *file = folder.join(&*file)
                }
                _ => {}
            }
        }
        self
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The text of each.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|edit| &*edit.text)
    }
}

fn edit(scanner: &mut Scanner<'_>, read: &mut Read<'_>) -> Scanned<Edit> {
    let place = scanner.place().clone();
    let text = scanner.text().trim().to_owned();
    let mut frames = None;
    if scanner.keyword("frame") {
        let frame = scanner.id("the number of a frame, from 1")?;
        frames = Some(frame..=frame);
        scanner.expect(':')?;
    } else if scanner.keyword("frames") {
        frames = Some(range(scanner, "frames", |scanner| scanner.id("the number of a frame, from 1"))?);
        scanner.expect(':')?;
    }
    let what = what(scanner, read)?;
    scanner.end("the end of the line")?;
    Ok(Edit { place, text, frames, what })
}

/// `A-B`.
fn range<N: PartialOrd>(
    scanner: &mut Scanner<'_>,
    what: &str,
    mut number: impl FnMut(&mut Scanner<'_>) -> Scanned<N>,
) -> Scanned<RangeInclusive<N>> {
    let first = number(scanner)?;
    scanner.expect('-')?;
    let last = number(scanner)?;
    if last < first {
        return Err(scanner.wrong(format!("the last of the {what} comes before the first")));
    }
    Ok(first..=last)
}

fn what(scanner: &mut Scanner<'_>, read: &mut Read<'_>) -> Scanned<What> {
    const CALL: &str = "the number of a call";
    if scanner.keyword("call") || scanner.keyword("calls") {
        let first = scanner.number(CALL)?;
        let last = if scanner.takes('-') { scanner.number(CALL)? } else { first };
        if last < first {
            return Err(scanner.wrong("the last of the calls comes before the first".into()));
        }
        let method = match scanner.peek() {
            Some(c) if c.is_ascii_alphabetic() && scanner.peek_name() != "where" => Some(method(scanner)?),
            _ => None,
        };
        let calls = Calls { numbers: Some(first..=last), method, conditions: conditions(scanner, read)? };
        return Ok(What::Calls(calls, actions(scanner, read)?));
    }
    if scanner.keyword("every") {
        let method = Some(method(scanner)?);
        let calls = Calls { numbers: None, method, conditions: conditions(scanner, read)? };
        return Ok(What::Calls(calls, actions(scanner, read)?));
    }
    if scanner.keyword("insert") {
        return insert(scanner, read).map(What::Insert);
    }
    if scanner.keyword("shader") {
        return shader(scanner).map(What::Shader);
    }
    if scanner.keyword("buffer") {
        let resource = scanner.id("the id of a buffer")?;
        let from = if scanner.takes('+') { scanner.number("an offset in bytes")? } else { 0 };
        scanner.expect('=')?;
        return Ok(What::Contents(Contents { resource, part: Part::Bytes(from), file: scanner.file()? }));
    }
    if scanner.keyword("texture") {
        let resource = scanner.id("the id of a texture")?;
        let number = if scanner.keyword("subresource") { scanner.id("the number of a subresource")? } else { 0 };
        scanner.expect('=')?;
        return Ok(What::Contents(Contents { resource, part: Part::Subresource(number), file: scanner.file()? }));
    }
    if scanner.keyword("force") {
        return force(scanner).map(What::Force);
    }
    Err(scanner.expected(
        "an edit: `call N: …`, `calls A-B: …`, `every METHOD: …`, `insert before call N: …`, `shader …`, `buffer …`, `texture …`, `force …`",
    ))
}

/// `Method` or `Interface::Method`.
fn method(scanner: &mut Scanner<'_>) -> Scanned<String> {
    let before = scanner.expected("the name of a method of the API");
    let mut name = scanner.name("the name of a method")?.to_owned();
    if scanner.takes_text("::") {
        name = format!("{name}::{}", scanner.name("the name of a method")?);
    }
    if is_method(&name) { Ok(name) } else { Err(before) }
}

fn is_method(name: &str) -> bool {
    MODEL.methods.iter().any(|method| is_named(method, name))
}

/// Whether a method is called so: by its name, or with its interface.
pub(crate) fn is_named(method: &reprise_d3d12::model::Method, name: &str) -> bool {
    match name.split_once("::") {
        None => method.name == name,
        Some((interface, name)) => method.name == name && method.interface.is_some_and(|it| it.get().name == interface),
    }
}

fn conditions(scanner: &mut Scanner<'_>, read: &mut Read<'_>) -> Scanned<Vec<(String, Literal)>> {
    let mut conditions = Vec::new();
    if scanner.keyword("where") {
        loop {
            let path = value::path(scanner)?;
            scanner.expect('=')?;
            conditions.push((path, value::value(scanner, read)?));
            if !scanner.keyword("and") {
                break;
            }
        }
    }
    Ok(conditions)
}

fn actions(scanner: &mut Scanner<'_>, read: &mut Read<'_>) -> Scanned<Vec<Action>> {
    scanner.expect(':')?;
    if scanner.keyword("drop") {
        return Ok(vec![Action::Drop]);
    }
    if scanner.keyword("repeat") {
        return Ok(vec![Action::Repeat]);
    }
    let mut actions = Vec::new();
    loop {
        let path = value::path(scanner)
            .map_err(|error| SyntaxError { what: format!("`drop`, `repeat`, or {}", error.what), ..error })?;
        scanner.expect('=')?;
        actions.push(Action::Set(path, value::value(scanner, read)?));
        if !scanner.takes(',') {
            return Ok(actions);
        }
    }
}

fn insert(scanner: &mut Scanner<'_>, read: &mut Read<'_>) -> Scanned<Insert> {
    let after = scanner.keyword("after");
    if !after && !scanner.keyword("before") {
        return Err(scanner.expected("`before` or `after`"));
    }
    if !scanner.keyword("call") {
        return Err(scanner.expected("`call`"));
    }
    let call = scanner.number("the number of a call")?;
    scanner.expect(':')?;
    let before = scanner.expected("the name of a method of the API");
    let mut method = scanner.name("a call: METHOD(ARGUMENT, …)")?.to_owned();
    let mut object = None;
    // As a dump writes it: ID3D12GraphicsCommandList(7)::DrawInstanced(…)
    let mut opened = scanner.takes('(');
    if opened && scanner.peek().is_some_and(|c| c.is_ascii_digit()) && method.starts_with('I') {
        object = Some(scanner.id("the id of an object")?);
        scanner.expect(')')?;
        opened = false;
        if !scanner.takes_text("::") {
            return Err(scanner.expected("`::`"));
        }
        // The class in a dump is the newest interface, and need not be the method's.
        method = scanner.name("the name of a method")?.to_owned();
    } else if !opened && scanner.takes_text("::") {
        method = format!("{method}::{}", scanner.name("the name of a method")?);
    }
    if !is_method(&method) {
        return Err(before);
    }
    if !opened {
        scanner.expect('(')?;
    }
    let mut arguments = Vec::new();
    while !scanner.takes(')') {
        let mut ahead = Scanner::new(scanner.text(), scanner.place().clone());
        ahead.skip_to(scanner);
        let named = ahead.name("").ok().filter(|_| ahead.takes('=')).map(str::to_owned);
        if named.is_some() {
            scanner.skip_to(&ahead);
        }
        arguments.push((named, value::value(scanner, read)?));
        if !scanner.takes(',') && scanner.peek() != Some(')') {
            return Err(scanner.expected("`,` or `)`"));
        }
    }
    Ok(Insert { after, call, method, object, arguments })
}

fn shader(scanner: &mut Scanner<'_>) -> Scanned<Shader> {
    let of = if scanner.keyword("of") {
        let pipeline = scanner.id("the id of a pipeline")?;
        let before = scanner.expected(&format!("a stage: {}", STAGES.join(", ")));
        let stage = scanner.name("a stage")?;
        if !STAGES.contains(&stage) {
            return Err(before);
        }
        ShaderOf::Pipeline(pipeline, stage.to_owned())
    } else {
        let before = scanner
            .expected("`of PIPELINE STAGE`, or the hash of a shader: 32 hexadecimal digits, as `extract` names it");
        let digits = scanner.word("`of`, or a hash").map_err(|_| before.clone())?;
        let hash = (digits.len() == 32).then(|| u128::from_str_radix(digits, 16).ok()).flatten();
        ShaderOf::Hash(hash.ok_or(before)?)
    };
    scanner.expect('=')?;
    Ok(Shader { of, file: scanner.file()? })
}

fn force(scanner: &mut Scanner<'_>) -> Scanned<Force> {
    if scanner.keyword("format") {
        let format = |scanner: &mut Scanner<'_>| {
            let before = scanner.expected("a format: DXGI_FORMAT_…");
            let name = scanner.name("a format: DXGI_FORMAT_…")?;
            format_number(name).ok_or(before)
        };
        let from = format(scanner)?;
        scanner.expect('=')?;
        return Ok(Force::Format(from, format(scanner)?));
    }
    if scanner.keyword("samples") {
        let from = scanner.id("a number of samples")?;
        scanner.expect('=')?;
        return Ok(Force::Samples(from, scanner.id("a number of samples")?));
    }
    if scanner.keyword("size") {
        let from = size(scanner)?;
        scanner.expect('=')?;
        return Ok(Force::Size(from, size(scanner)?));
    }
    Err(scanner.expected("`format`, `samples` or `size`"))
}

/// The number of a `DXGI_FORMAT`.
fn format_number(name: &str) -> Option<u32> {
    let formats = MODEL.enums.iter().find(|of| of.name == "DXGI_FORMAT")?;
    formats.members.iter().find(|(member, _)| *member == name).map(|(_, number)| *number as u32)
}

/// `640x480`.
fn size(scanner: &mut Scanner<'_>) -> Scanned<[u32; 2]> {
    let before = scanner.expected("a size: 640x480");
    let word = scanner.word("a size: 640x480")?;
    let sides = word.split_once('x').and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    sides.filter(|sides| !sides.contains(&0)).ok_or(before)
}
