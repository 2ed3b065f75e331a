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
//! else against the trace in [`plan`](crate::plan()).

mod scanner;
mod value;

use crate::place::{Place, SyntaxError};
use reprise_codec::literal::Literal;
use reprise_d3d12::MODEL;
use scanner::{Scanned, Scanner};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
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
    /// The commands of the bundle that it runs stand in its place.
    Unroll,
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
    /// The function that is compiled, of HLSL.
    pub(crate) entry: Option<String>,
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
        // Some editors begin files with a mark of the byte order, which nobody sees.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, line) in text.lines().enumerate() {
            let mut scanner = Scanner::new(line, Place { source: source.to_owned(), line: index + 1 });
            if !scanner.is_at_end() {
                list.push(edit(&mut scanner, read)?);
            }
        }
        Ok(Edits { list })
    }

    /// The files that shaders and contents come from.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().filter_map(|edit| match &edit.what {
            What::Shader(shader) => Some(&*shader.file),
            What::Contents(contents) => Some(&*contents.file),
            What::Calls(..) | What::Insert(_) | What::Force(_) => None,
        })
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
    if scanner.keyword("unroll") {
        return Ok(vec![Action::Unroll]);
    }
    let mut actions = Vec::new();
    loop {
        let path = value::path(scanner)
            .map_err(|error| SyntaxError { what: format!("`drop`, `repeat`, `unroll`, or {}", error.what), ..error })?;
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
    if opened && scanner.peek().is_some_and(|c| c.is_ascii_digit()) && !is_method(&method) {
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
    let file = scanner.file()?;
    let entry = match scanner.keyword("entry") {
        true => Some(scanner.name("the name of a function")?.to_owned()),
        false => None,
    };
    if entry.is_some() && !is_source(&file) {
        return Err(
            scanner.wrong("only HLSL has entries to choose from, and the file's name does not end in .hlsl".into())
        );
    }
    Ok(Shader { of, file, entry })
}

/// Whether a file is to be compiled.
pub(crate) fn is_source(file: &std::path::Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("hlsl"))
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Vec<Edit>, SyntaxError> {
        Edits::parse(text, "test", &mut |name| Ok(name.display().to_string().into_bytes())).map(|edits| edits.list)
    }

    fn one(text: &str) -> What {
        let mut list = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(list.len(), 1, "{text}");
        list.remove(0).what
    }

    fn word(text: &str) -> Literal {
        Literal::Word(text.to_owned())
    }

    #[test]
    fn values_are_written_as_a_dump_shows_them() {
        let value = |text: &str| match one(&format!("call 1: a = {text}")) {
            What::Calls(_, actions) => match actions.into_iter().next() {
                Some(Action::Set(path, value)) if path == "a" => value,
                other => panic!("{text}: {other:?}"),
            },
            other => panic!("{text}: {other:?}"),
        };
        for number in ["640", "-1", "1.5", "-inf", "inf", "NaN", "0x1f", "1e-3", "true"] {
            assert_eq!(value(number), word(number));
        }
        assert_eq!(value("NaN(0x7fc00001)"), word("NaN(0x7fc00001)"));
        assert_eq!(
            value("D3D12_CLEAR_FLAG_DEPTH|D3D12_CLEAR_FLAG_STENCIL"),
            word("D3D12_CLEAR_FLAG_DEPTH|D3D12_CLEAR_FLAG_STENCIL")
        );
        assert_eq!(value("0ec870a6-5d7e-4c22-8cfc-5baae07616ed"), word("0ec870a6-5d7e-4c22-8cfc-5baae07616ed"));
        assert_eq!(value("null"), Literal::Null);
        assert_eq!(value(r#""a \"b\" \\ # c""#), Literal::Text("a \"b\" \\ # c".into()));
        assert_eq!(value("ID3D12Resource(12)"), Literal::Object(12));
        assert_eq!(value("heap 12[3]"), Literal::Descriptor { heap: 12, index: 3 });
        assert_eq!(value("resource 12+0x40"), Literal::Address { resource: 12, offset: 0x40 });
        assert_eq!(value("file \"x.bin\""), Literal::Bytes(b"x.bin".to_vec()));
        assert_eq!(value("[1, [2], ]"), Literal::List(vec![word("1"), Literal::List(vec![word("2")])]));
        let members = vec![("a".to_owned(), word("1")), ("b".to_owned(), Literal::Members(Vec::new()))];
        assert_eq!(value("{a = 1, b={}}"), Literal::Members(members));
    }

    #[test]
    fn every_form_of_an_edit_is_read() {
        let edits = parse(
            "# A comment\n\n  call 12: pViewports[0].Width = 640, pViewports[0].Height = 1 # and one here\n\
             calls 1-9 DrawInstanced where InstanceCount = 1 and StartInstanceLocation = 0: drop\n\
             frames 2-3: every ID3D12GraphicsCommandList::DrawInstanced: repeat\n",
        )
        .unwrap();
        assert_eq!(edits.iter().map(|edit| edit.place.line).collect::<Vec<_>>(), [3, 4, 5]);
        let What::Calls(calls, actions) = &edits[0].what else { panic!("{edits:?}") };
        assert_eq!((calls.numbers.clone(), calls.method.clone(), actions.len()), (Some(12..=12), None, 2));
        let What::Calls(calls, actions) = &edits[1].what else { panic!("{edits:?}") };
        assert_eq!((calls.numbers.clone(), calls.conditions.len()), (Some(1..=9), 2));
        assert_eq!(actions, &[Action::Drop]);
        assert_eq!(edits[2].frames, Some(2..=3));
        let insert =
            one("insert after call 7: ID3D12GraphicsCommandList(3)::DrawInstanced(VertexCountPerInstance=4, b = [1])");
        let arguments = vec![
            (Some("VertexCountPerInstance".to_owned()), word("4")),
            (Some("b".to_owned()), Literal::List(vec![word("1")])),
        ];
        let method = "DrawInstanced".to_owned();
        assert_eq!(insert, What::Insert(Insert { after: true, call: 7, method, object: Some(3), arguments }));
        let What::Insert(insert) = one("insert before call 7: DrawInstanced(3, 1, 0, 0)") else { panic!() };
        assert_eq!((insert.after, insert.object, insert.arguments.len()), (false, None, 4));
        // Methods whose names begin as those of interfaces do are no objects.
        let What::Insert(insert) = one("insert before call 7: IASetPrimitiveTopology(4)") else { panic!() };
        assert_eq!(
            (insert.method.as_str(), insert.object, insert.arguments.len()),
            ("IASetPrimitiveTopology", None, 1)
        );
        let shader = Shader { of: ShaderOf::Pipeline(57, "PS".into()), file: "a b.dxil".into(), entry: None };
        assert_eq!(one("shader of 57 PS = \"a b.dxil\""), What::Shader(shader));
        let shader = Shader { of: ShaderOf::Hash(0x1f), file: "x".into(), entry: None };
        assert_eq!(one("shader 0000000000000000000000000000001f = \"x\""), What::Shader(shader));
        let What::Shader(shader) = one("shader of 57 CS = \"a.hlsl\" entry other") else { panic!() };
        assert_eq!((shader.entry.as_deref(), is_source(&shader.file)), (Some("other"), true));
        let contents = Contents { resource: 3, part: Part::Bytes(16), file: "x".into() };
        assert_eq!(one("buffer 3+0x10 = \"x\""), What::Contents(contents));
        let contents = Contents { resource: 3, part: Part::Subresource(2), file: "x".into() };
        assert_eq!(one("texture 3 subresource 2 = \"x\""), What::Contents(contents));
        assert_eq!(one("force samples 4 = 2"), What::Force(Force::Samples(4, 2)));
        assert_eq!(one("force size 64x32 = 8x4"), What::Force(Force::Size([64, 32], [8, 4])));
        let formats = one("force format DXGI_FORMAT_R8G8B8A8_UNORM = DXGI_FORMAT_B8G8R8A8_UNORM");
        assert_eq!(formats, What::Force(Force::Format(28, 87)));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_an_edit() {
        let edits = parse("\u{feff}call 1: drop\r\ncall 2: drop").unwrap();
        assert_eq!(edits.iter().map(|edit| &*edit.text).collect::<Vec<_>>(), ["call 1: drop", "call 2: drop"]);
        assert_eq!(parse("\u{feff}drop call 1").unwrap_err().column, 1);
        // Within a text it is no space.
        assert!(parse("call 1: drop\n\u{feff}call 2: drop").is_err());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (text, column, says) in [
            ("drop call 1", 1, "an edit:"),
            ("call : drop", 6, "the number of a call"),
            ("call 99999999999999999999: drop", 6, "the number of a call"),
            ("call 9-3: drop", 9, "before the first"),
            ("call 1 drop", 8, "the name of a method"),
            ("call 1", 7, "`:` is expected, and the line ends"),
            ("call 1:", 8, "`drop`, `repeat`, `unroll`, or the name of an argument"),
            ("call 1: a", 10, "`=`"),
            ("call 1: a = ", 13, "a value"),
            ("call 1: a = [1", 15, "`,` or `]`"),
            ("call 1: a = {b = 1, b = 2}", 23, "twice"),
            ("call 1: a = \"x", 13, "no end"),
            ("call 1: a[ = 1", 12, "the number of an element"),
            ("call 1: a. = 1", 12, "the name of a member"),
            ("call 1: a = 1 b", 15, "the end of the line"),
            ("call 1: drop, drop", 13, "the end of the line"),
            ("frame 0x: every DrawInstanced: drop", 7, "the number of a frame"),
            ("every Draw: drop", 7, "the name of a method of the API"),
            ("insert call 1: DrawInstanced()", 8, "`before` or `after`"),
            ("insert before call 1: Draw()", 23, "a method of the API"),
            ("shader of 1 XS = \"x\"", 13, "a stage: VS"),
            ("shader 12 = \"x\"", 8, "32 hexadecimal digits"),
            ("shader of 1 PS = \"x.dxil\" entry a", 34, "only HLSL"),
            ("force size 0x1 = 1x1", 12, "640x480"),
            ("force format DXGI = DXGI", 14, "DXGI_FORMAT_"),
            ("force colour", 7, "`format`, `samples` or `size`"),
        ] {
            let error = parse(&format!("# first\n{text}")).unwrap_err();
            assert_eq!((error.place.line, error.column), (2, column), "{text}: {error}");
            assert!(error.what.contains(says), "{text}: {error}");
        }
        let deep = format!("call 1: a = {}", "[".repeat(100_000));
        assert!(parse(&deep).unwrap_err().what.contains("too deeply"));
        let unread = Edits::parse("call 1: a = file \"x\"", "test", &mut |_| Err("x cannot be read".into()));
        assert_eq!(unread.unwrap_err().what, "x cannot be read");
    }

    proptest! {
        #[test]
        fn any_text_gives_edits_or_an_error(text in "\\PC*") {
            _ = parse(&text);
        }

        #[test]
        fn any_bytes_give_edits_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            _ = parse(&String::from_utf8_lossy(&bytes));
        }

        /// Pieces of the language in any order come further than bytes do.
        #[test]
        fn any_words_give_edits_or_an_error(words in proptest::collection::vec(prop_oneof![
            Just("call"), Just("calls"), Just("every"), Just("insert"), Just("before"), Just("after"), Just("shader"), Just("of"),
            Just("buffer"), Just("texture"), Just("force"), Just("frame"), Just("where"), Just("and"), Just("drop"), Just("="), Just(":"),
            Just("("), Just(")"), Just("["), Just("]"), Just("{"), Just("}"), Just(","), Just("."), Just("\""), Just("\\"), Just("1"),
            Just("0x"), Just("-"), Just("DrawInstanced"), Just("a"), Just("PS"), Just("heap"), Just("resource"), Just("file"), Just("\n"),
            Just("é"), Just("size"), Just("1x1"), Just("NaN"), Just("::"),
        ], 0..40), gap in prop_oneof![Just(" "), Just("")]) {
            _ = parse(&words.join(gap));
        }
    }
}
