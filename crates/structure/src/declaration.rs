//! Declarations, from tokens to layouts.

use crate::layout::{DEPTH, Packing, Structure, Type};
use crate::token::{Placed, Token, tokens};
use crate::{Error, Scalar};
use std::sync::Arc;

/// Words before a type that say nothing about its layout.
const QUALIFIERS: [&str; 11] = [
    "const",
    "precise",
    "snorm",
    "unorm",
    "nointerpolation",
    "linear",
    "centroid",
    "noperspective",
    "sample",
    "uniform",
    "volatile",
];

impl Structure {
    /// Reads a declaration: a structure, several of which the last one counts, or one by its name, or members alone. A `cbuffer` is laid out
    /// as constants whatever the packing says.
    ///
    /// # Errors
    /// Something is no declaration, or has no layout: with its line and column.
    pub fn parse(text: &str, name: Option<&str>, packing: Packing) -> Result<Self, Error> {
        parse(text, name, packing)
    }
}

fn parse(text: &str, name: Option<&str>, packing: Packing) -> Result<Structure, Error> {
    let tokens = tokens(text)?;
    // The end is told as the place behind the last token.
    let end = tokens.last().map_or((1, 1), |(_, (line, column))| (*line, column + 1));
    let mut parser = Parser {
        tokens,
        next: 0,
        end,
        packing,
        row_major: false,
        structures: Vec::new(),
        places: Vec::new(),
        numbers: Vec::new(),
        depth: 0,
    };
    let found = parser.text()?;
    let Some(name) = name else { return Ok(found) };
    // A structure that a `cbuffer` has as a member was laid out twice: the packing that was asked for counts.
    let of_name = || parser.structures.iter().rev().filter(|known| known.name() == Some(name));
    let known = of_name().find(|known| known.packing() == packing).or_else(|| of_name().next());
    known.map(|known| (**known).clone()).ok_or_else(|| {
        let names: Vec<&str> = parser.structures.iter().filter_map(|known| known.name()).collect();
        let reason = if names.is_empty() { "none has a name".into() } else { names.join(", ") };
        Error { place: None, reason: format!("there is no structure {name}: {reason}") }
    })
}

struct Parser {
    tokens: Vec<Placed>,
    next: usize,
    end: (usize, usize),
    packing: Packing,
    row_major: bool,
    structures: Vec<Arc<Structure>>,
    /// Where the braces of named structures open, and whether matrices are of rows there: a structure may be wanted by another packing later.
    places: Vec<(String, usize, bool)>,
    /// `static const uint N = 4;`
    numbers: Vec<(String, u64)>,
    depth: usize,
}

impl Parser {
    /// The whole text: the last structure, or the members that stand alone.
    fn text(&mut self) -> Result<Structure, Error> {
        let mut alone = Structure::new(None, self.packing);
        let mut last = None;
        while self.next < self.tokens.len() {
            if self.takes(';') || self.pragma() {
                continue;
            }
            if self.is_word("static") {
                self.constant()?;
                continue;
            }
            let declares =
                self.is_word("struct") && matches!(self.tokens.get(self.next + 2), Some((Token::Sign('{'), _)));
            if declares {
                self.next += 1;
                let (name, place) = self.word("a name")?;
                let found = self.declare(Some(name), self.packing, place)?;
                // Behind it may stand a variable of it: then it is a member.
                if !self.is_sign(';') && self.next < self.tokens.len() {
                    self.declarators(&mut alone, &Type::Structure(found))?;
                    continue;
                }
                last = Some(found);
                continue;
            }
            if self.is_word("cbuffer") || self.is_word("tbuffer") {
                self.next += 1;
                let (name, place) = self.word("a name")?;
                self.semantic()?;
                let packing = std::mem::replace(&mut self.packing, Packing::Constant);
                last = Some(self.declare(Some(name), Packing::Constant, place)?);
                self.packing = packing;
                continue;
            }
            self.member(&mut alone)?;
        }
        match last {
            _ if !alone.members().is_empty() => Ok(alone),
            Some(last) => Ok((*last).clone()),
            None => Err(Error::at(
                self.end,
                "no member is declared: write `struct Name { float3 position; uint kind; };`, or members alone",
            )),
        }
    }

    /// `#pragma pack_matrix(row_major)`, which the rest of the text has.
    fn pragma(&mut self) -> bool {
        let Some((Token::Word(word), _)) = self.tokens.get(self.next) else { return false };
        let is_row_major = word == "pack_matrix(row_major)";
        if !is_row_major && word != "pack_matrix(column_major)" {
            return false;
        }
        self.row_major = is_row_major;
        self.next += 1;
        true
    }

    /// Members in braces, as a structure that later ones may name.
    fn declare(
        &mut self,
        name: Option<String>,
        packing: Packing,
        place: (usize, usize),
    ) -> Result<Arc<Structure>, Error> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Error::at(place, format!("structures lie in each other more than {DEPTH} deep")));
        }
        if let Some(name) = &name
            && !self.places.iter().any(|(known, at, _)| known == name && *at == self.next)
        {
            if self.places.iter().any(|(known, ..)| known == name) {
                return Err(Error::at(place, format!("the structure {name} is declared twice")));
            }
            self.places.push((name.clone(), self.next, self.row_major));
        }
        self.expect('{')?;
        let mut structure = Structure::new(name, packing);
        while !self.takes('}') {
            if !self.pragma() {
                self.member(&mut structure)?;
            }
        }
        self.depth -= 1;
        if structure.members().is_empty() {
            return Err(Error::at(place, "a structure without members has no bytes"));
        }
        let structure = Arc::new(structure);
        self.structures.push(Arc::clone(&structure));
        Ok(structure)
    }

    /// A declaration of one or several members, up to its semicolon.
    fn member(&mut self, structure: &mut Structure) -> Result<(), Error> {
        let kind = self.kind()?;
        self.declarators(structure, &kind)
    }

    /// `a, b[2][3] : COLOR;`
    fn declarators(&mut self, structure: &mut Structure, kind: &Type) -> Result<(), Error> {
        loop {
            let (name, place) = self.word("a member's name")?;
            if structure.members().iter().any(|known| known.name == name) {
                return Err(Error::at(place, format!("{name} is declared twice")));
            }
            let mut counts = Vec::new();
            while self.takes('[') {
                counts.push(self.count()?);
                self.expect(']')?;
            }
            if counts.len() > DEPTH {
                return Err(Error::at(place, format!("{name} has more than {DEPTH} dimensions")));
            }
            let mut whole = kind.clone();
            for count in counts.into_iter().rev() {
                whole = Type::array(whole, count, self.packing).map_err(|reason| Error::at(place, reason))?;
            }
            let offset = self.semantic()?;
            structure.push(name, whole, offset).map_err(|reason| Error::at(place, reason))?;
            if self.takes(';') {
                return Ok(());
            }
            // The last member of a text may lack it.
            if self.next == self.tokens.len() && self.depth == 0 {
                return Ok(());
            }
            if !self.takes(',') {
                let (found, place) = self.found();
                return Err(Error::at(place, format!("`;` or `,` is expected, and {found} stands here")));
            }
        }
    }

    /// `: POSITION`, `: register(b0)`, or `: packoffset(c1.y)`, whose byte is given.
    fn semantic(&mut self) -> Result<Option<u32>, Error> {
        if !self.takes(':') {
            return Ok(None);
        }
        let (word, place) = self.word("a semantic")?;
        if !self.takes('(') {
            return Ok(None);
        }
        let (register, at) = self.word("a register")?;
        let mut component = 0;
        if word == "packoffset" && self.takes('.') {
            let (letter, at) = self.word("a component")?;
            component = ["x", "y", "z", "w"]
                .iter()
                .position(|known| *known == letter)
                .ok_or_else(|| Error::at(at, format!("{letter:?} is no component: write x, y, z or w")))?;
        }
        while self.takes(',') {
            self.word("a space")?;
        }
        self.expect(')')?;
        match (word.as_str(), register.strip_prefix('c').and_then(|number| number.parse::<u32>().ok())) {
            ("packoffset", Some(number)) if number < 1 << 20 => Ok(Some(number * 16 + component as u32 * 4)),
            ("packoffset", _) => {
                Err(Error::at(at, format!("{register:?} is no register of constants: write c0 or c1.y")))
            }
            ("register", _) => Ok(None),
            _ => Err(Error::at(place, format!("{word} is unsupported here"))),
        }
    }

    /// A type, with what stands before it.
    fn kind(&mut self) -> Result<Type, Error> {
        let mut row_major = self.row_major;
        loop {
            let (word, place) = self.word("a type")?;
            match word.as_str() {
                "row_major" => row_major = true,
                "column_major" => row_major = false,
                word if QUALIFIERS.contains(&word) => {}
                "struct" => {
                    // `struct Name x;`, `struct Name { … } x;`, or without a name.
                    let name = if self.is_sign('{') { None } else { Some(self.word("a structure's name")?) };
                    if !self.is_sign('{')
                        && let Some((name, place)) = name
                    {
                        return self.known(&name, place);
                    }
                    let found = self.declare(name.map(|(name, _)| name), self.packing, place)?;
                    return Ok(Type::Structure(found));
                }
                "vector" | "matrix" => return self.generic(&word, row_major, place),
                "unsigned" => {
                    let (word, place) = self.word("int")?;
                    let kind = named(&format!("u{word}"), row_major, self.packing, place)?;
                    return kind.ok_or_else(|| Error::at(place, "int is expected behind unsigned"));
                }
                _ => {
                    return match named(&word, row_major, self.packing, place)? {
                        Some(kind) => Ok(kind),
                        None => self.known(&word, place),
                    };
                }
            }
        }
    }

    /// A structure that was declared before, laid out as it is wanted here.
    fn known(&mut self, name: &str, place: (usize, usize)) -> Result<Type, Error> {
        let known = self.structures.iter().rev();
        let mut known = known.filter(|known| known.name() == Some(name)).peekable();
        if known.peek().is_none() {
            return Err(Error::at(place, format!("{name} is no type, and no structure of this name stands before")));
        }
        if let Some(known) = known.find(|known| known.packing() == self.packing).cloned() {
            return Ok(Type::Structure(known));
        }
        let there = self.places.iter().find(|(known, ..)| known == name).cloned();
        let (_, at, row_major) = there.ok_or_else(|| Error::at(place, format!("{name} is of another packing")))?;
        let back = (std::mem::replace(&mut self.next, at), std::mem::replace(&mut self.row_major, row_major));
        let found = self.declare(Some(name.to_owned()), self.packing, place);
        (self.next, self.row_major) = back;
        Ok(Type::Structure(found?))
    }

    /// `vector<float, 3>`, `matrix<float, 4, 4>`.
    fn generic(&mut self, word: &str, row_major: bool, place: (usize, usize)) -> Result<Type, Error> {
        self.expect('<')?;
        let (name, at) = self.word("a scalar")?;
        let scalar = scalar(&name, self.packing, at)?.ok_or_else(|| Error::at(at, format!("{name} is no scalar")))?;
        let mut sizes = Vec::new();
        while self.takes(',') {
            sizes.push(self.count()?);
        }
        self.expect('>')?;
        match (word, &sizes[..]) {
            ("vector", [count @ 1..=4]) => Ok(Type::Vector(scalar, *count)),
            ("matrix", [rows @ 1..=4, columns @ 1..=4]) => {
                Ok(Type::matrix(scalar, (*rows, *columns), row_major, self.packing))
            }
            _ => Err(Error::at(place, format!("{word} with these sizes is unsupported: 1 to 4"))),
        }
    }

    /// `static const uint N = 4;`
    fn constant(&mut self) -> Result<(), Error> {
        self.next += 1;
        while self.is_word("const") {
            self.next += 1;
        }
        self.word("a type")?;
        let (name, _) = self.word("a name")?;
        self.expect('=')?;
        let value = self.count()?;
        self.numbers.push((name, value.into()));
        self.expect(';')
    }

    /// A whole number above 0, or the name of one.
    fn count(&mut self) -> Result<u32, Error> {
        let (found, place) = self.found();
        let value = match self.tokens.get(self.next) {
            Some((Token::Number(value), _)) => Some(*value),
            Some((Token::Word(name), _)) => {
                self.numbers.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
            }
            _ => None,
        };
        self.next += 1;
        value
            .and_then(|value| u32::try_from(value).ok())
            .filter(|value| *value > 0)
            .ok_or_else(|| Error::at(place, format!("a whole number above 0 is expected, and {found} stands here")))
    }

    fn word(&mut self, what: &str) -> Result<(String, (usize, usize)), Error> {
        match self.tokens.get(self.next) {
            Some((Token::Word(word), place)) => {
                self.next += 1;
                Ok((word.clone(), *place))
            }
            _ => {
                let (found, place) = self.found();
                Err(Error::at(place, format!("{what} is expected, and {found} stands here")))
            }
        }
    }

    fn expect(&mut self, sign: char) -> Result<(), Error> {
        if self.takes(sign) {
            return Ok(());
        }
        let (found, place) = self.found();
        Err(Error::at(place, format!("`{sign}` is expected, and {found} stands here")))
    }

    fn takes(&mut self, sign: char) -> bool {
        let there = self.is_sign(sign);
        self.next += usize::from(there);
        there
    }

    fn is_sign(&self, sign: char) -> bool {
        matches!(self.tokens.get(self.next), Some((Token::Sign(there), _)) if *there == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.tokens.get(self.next), Some((Token::Word(there), _)) if there == word)
    }

    /// What stands next, for messages.
    fn found(&self) -> (String, (usize, usize)) {
        match self.tokens.get(self.next) {
            Some((Token::Word(word), place)) => (format!("`{word}`"), *place),
            Some((Token::Number(number), place)) => (format!("`{number}`"), *place),
            Some((Token::Sign(sign), place)) => (format!("`{sign}`"), *place),
            None => ("the end".into(), self.end),
        }
    }
}

/// A scalar by its word. Those of minimum precision have a layout among constants on which fxc and dxc disagree
/// (`findings/hlsl-min16-constants.sh`).
fn scalar(word: &str, packing: Packing, place: (usize, usize)) -> Result<Option<Scalar>, Error> {
    if packing == Packing::Constant && word.starts_with("min1") {
        let reason = format!(
            "{word}: compilers lay out constants of minimum precision each in their own way; give members of full precision and packoffset"
        );
        return Err(Error::at(place, reason));
    }
    Ok(Scalar::of_word(word))
}

/// A scalar, vector or matrix by its word: `uint`, `float3`, `int16_t2`, `float4x4`.
fn named(word: &str, row_major: bool, packing: Packing, place: (usize, usize)) -> Result<Option<Type>, Error> {
    if let Some(scalar) = scalar(word, packing, place)? {
        return Ok(Some(Type::Scalar(scalar)));
    }
    let size = |text: &str| text.parse().ok().filter(|size| (1..=4u32).contains(size));
    let tail = |count: usize| {
        word.len().checked_sub(count).and_then(|at| word.is_char_boundary(at).then(|| word.split_at(at)))
    };
    if let Some((head, tail)) = tail(3)
        && let Some((rows, columns)) = tail.split_once('x')
        && let (Some(rows), Some(columns), Some(scalar)) = (size(rows), size(columns), scalar(head, packing, place)?)
    {
        return Ok(Some(Type::matrix(scalar, (rows, columns), row_major, packing)));
    }
    if let Some((head, tail)) = tail(1)
        && let (Some(count), Some(scalar)) = (size(tail), scalar(head, packing, place)?)
    {
        return Ok(Some(Type::Vector(scalar, count)));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        parse(text, None, Packing::Structured).unwrap_err().to_string()
    }

    #[test]
    fn the_last_structure_counts_or_one_by_its_name() {
        let text = "struct A { float x; }; struct B { A a[2]; uint y; };";
        assert_eq!(parse(text, None, Packing::Structured).unwrap().bytes(), 12);
        assert_eq!(parse(text, Some("A"), Packing::Structured).unwrap().bytes(), 4);
        assert!(parse(text, Some("C"), Packing::Structured).unwrap_err().reason.contains("A, B"));
        assert_eq!(parse("float3 position; half2 uv", None, Packing::Structured).unwrap().bytes(), 20);
    }

    #[test]
    fn all_ways_to_write_a_type_are_known() {
        let same = ["float3x4 m;", "matrix<float, 3, 4> m;", "const float3x4 m : WORLD;", "float32_t3x4 m"];
        let all = same.map(|text| parse(text, None, Packing::Structured).unwrap());
        assert!(all.iter().all(|it| *it == all[0]));
        let vector = parse("vector<uint, 2> a, b[3];", None, Packing::Structured).unwrap();
        assert_eq!(vector.leaves().len(), 8);
        assert_eq!(vector.leaves()[5].path, "b[1].y");
        let rows = parse("#pragma pack_matrix(row_major)\nfloat2x3 m;", None, Packing::Structured).unwrap();
        assert_eq!(rows, parse("row_major float2x3 m;", None, Packing::Structured).unwrap());
        for text in [
            "#pragma pack_matrix(row_major)\nstruct A { float2x3 m; };",
            "struct A {\n#pragma pack_matrix(row_major)\nfloat2x3 m; };",
            "#pragma pack_matrix(row_major)\nstruct A { float2x3 m; }; cbuffer C { A a; };",
        ] {
            let found = parse(text, Some("A"), Packing::Structured).unwrap();
            assert_eq!(found.leaves()[1].offset, 4, "{text}");
            assert_eq!(
                parse(&text.replace("row", "column"), Some("A"), Packing::Structured).unwrap().leaves()[1].offset,
                8
            );
        }
        let inner = parse("struct { float a; struct In { uint b; } in1; In in2; };", None, Packing::Structured);
        assert!(inner.is_err(), "a structure at the top needs a name or a member");
        let inner = parse(
            "struct T { float a; struct In { uint b; } in1; In in2; unsigned int c; };",
            None,
            Packing::Structured,
        );
        assert_eq!(
            inner.unwrap().leaves().iter().map(|leaf| leaf.path.as_str()).collect::<Vec<_>>(),
            ["a", "in1.b", "in2.b", "c"]
        );
        let counts = parse("#define N 4\nstatic const uint M = 2; float a[N][M];", None, Packing::Structured).unwrap();
        assert_eq!(counts.bytes(), 32);
    }

    #[test]
    fn what_is_no_declaration_is_refused_where_it_stands() {
        for (text, what) in [
            ("", "no member"),
            ("struct A { };", "without members"),
            ("struct A { float x }", "line 1, column 20: `;` or `,` is expected, and `}`"),
            ("struct A { float x;", "line 1, column 20: a type is expected, and the end"),
            ("float x; float x;", "x is declared twice"),
            ("struct A { float x; }; struct A { uint y; };", "A is declared twice"),
            ("struct A { A a; };", "A is no type"),
            ("float5 x;", "float5 is no type"),
            ("float x[0];", "above 0"),
            ("float x[K];", "`K` stands here"),
            ("float x : packoffset(c1);", "packoffset is for constant"),
            ("Texture2D t;", "Texture2D is no type"),
            ("float x = 3;", "`=` stands here"),
            ("float x[100000000];", "more than structures may have"),
            ("float x[3000][3000];", "more than structures may have"),
            ("é x;", "`é` stands here"),
        ] {
            let said = refused(text);
            assert!(said.contains(what), "{text}: {said}");
        }
        let chain = (0..6000)
            .fold("struct S0 { int a; };".to_owned(), |text, at| format!("{text} struct S{} {{ S{at} s; }};", at + 1));
        assert!(refused(&chain).contains("32 deep"));
        assert!(refused(&"int a;".repeat(2)).contains("declared twice"));
        let many: String = (0..5000).map(|at| format!("int a{at};")).collect();
        assert!(refused(&many).contains("one member too many"));
        let deep = "struct { ".repeat(40) + "float x; " + &"} a;".repeat(40);
        assert!(refused(&deep).contains("32 deep"));
        let wide = (0..40).fold("struct S0 { float x; };".to_owned(), |text, at| {
            format!("{text} struct S{} {{ S{at} a; S{at} b; }};", at + 1)
        });
        assert!(refused(&wide).contains("structures may have"));
    }
}
