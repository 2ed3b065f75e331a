//! A generated program, as a tree.
//!
//! Variables of a function are its parameters, then its locals, by number. All are declared and initialised at its beginning, so
//! that a statement can go without taking a declaration with it.

use crate::value::{Base, Type, Value};

/// A whole program.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// What it was generated from.
    pub seed: u64,
    pub(crate) kind: Kind,
    /// Threads of a group.
    pub(crate) threads: u32,
    /// Groups of the dispatch.
    pub groups: u32,
    /// Of the constant buffer.
    pub(crate) members: Vec<Member>,
    /// Arrays of constants.
    pub(crate) statics: Vec<Vec<Value>>,
    /// Each calls those before it; the last is the entry point.
    pub(crate) functions: Vec<Function>,
}

impl Program {
    pub(crate) fn main(&self) -> &Function {
        &self.functions[self.functions.len() - 1]
    }

    /// Threads of the whole dispatch.
    pub(crate) fn all_threads(&self) -> usize {
        (self.threads * self.groups) as usize
    }
}

/// What a program asks of the compilers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Shader model 5 says all of it.
    Common,
    /// Integers of 64 bits, waves: shader model 6.0.
    Wide,
    /// Numbers of 16 bits: shader model 6.2.
    Narrow,
}

/// Something in the constant buffer.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Member {
    pub(crate) ty: Type,
    /// Elements, each at the beginning of a register but for the first, which is where `word` says.
    pub(crate) count: Option<usize>,
    /// Where it begins.
    pub(crate) word: usize,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Function {
    /// Handed in; those behind `inputs` are handed in and out.
    pub(crate) parameters: Vec<Type>,
    pub(crate) inputs: usize,
    pub(crate) locals: Vec<Local>,
    pub(crate) body: Vec<Statement>,
    pub(crate) result: Option<Expression>,
}

impl Function {
    /// The type of a variable, or of its elements.
    pub(crate) fn variable(&self, number: usize) -> Type {
        match self.parameters.get(number) {
            Some(ty) => *ty,
            None => self.locals[number - self.parameters.len()].ty,
        }
    }

    /// Elements of an array.
    pub(crate) fn elements(&self, number: usize) -> Option<usize> {
        let local = &self.locals[number.checked_sub(self.parameters.len())?];
        local.is_array.then_some(local.initial.len())
    }

    pub(crate) fn variables(&self) -> usize {
        self.parameters.len() + self.locals.len()
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Local {
    pub(crate) ty: Type,
    pub(crate) is_array: bool,
    /// One, or one for each element; an element without is not written.
    pub(crate) initial: Vec<Option<Expression>>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Statement {
    Assign {
        variable: usize,
        part: Part,
        value: Expression,
    },
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
        hint: &'static str,
    },
    Switch {
        on: Expression,
        cases: Vec<(u32, Vec<Statement>)>,
        default: Vec<Statement>,
    },
    Loop {
        kind: LoopKind,
        counter: usize,
        times: Expression,
        body: Vec<Statement>,
        hint: &'static str,
    },
    /// Leaves the loop, or begins its next turn, where the condition is true.
    Leave {
        next: bool,
        condition: Expression,
    },
    Call {
        function: usize,
        inputs: Vec<Expression>,
        outputs: Vec<usize>,
        result: usize,
    },
    /// Writes a word that belongs to the thread.
    Output {
        view: View,
        slot: usize,
        value: Expression,
    },
    /// Writes the thread's cell of shared memory.
    Share(Expression),
    Atomic {
        operation: Atomic,
        cell: Cell,
        value: Expression,
        /// Receives what was there before.
        before: Option<usize>,
    },
    Barrier,
}

/// What of a variable is assigned.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Part {
    Whole,
    /// These components, each once.
    Components(Vec<u8>),
    /// A component that is only known as it runs.
    Component(Expression),
    Element(Expression),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LoopKind {
    For,
    While,
    Do,
}

/// By which of the views of the output a word is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum View {
    Raw,
    Structured,
    Typed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Atomic {
    Add,
    And,
    Or,
    Xor,
    Min,
    Max,
    Exchange,
    /// Stores the value where the constant is.
    CompareExchange(u32),
}

/// What an atomic operation works on.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Cell {
    /// Of shared memory.
    Shared(Expression),
    /// A word of the thread's own.
    Own(View, usize),
    /// A word for all threads.
    Common(View, Expression),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Expression {
    Constant(Value),
    Variable(usize),
    /// Of a local array.
    Element(usize, Box<Expression>),
    /// Of a vector.
    Component(usize, Box<Expression>),
    Static(usize, Box<Expression>),
    Member(usize, Option<Box<Expression>>),
    /// So many components of an element of the input.
    Load(Source, usize, Box<Expression>),
    Thread(Id),
    /// Of shared memory.
    Shared(Box<Expression>),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    Ternary(Ternary, Box<[Expression; 3]>),
    Convert(Base, Box<Expression>),
    /// `asint`, `asuint` and `asfloat`.
    Bits(Base, Box<Expression>),
    Swizzle(Box<Expression>, Vec<u8>),
    Construct(Base, Vec<Expression>),
    /// Of a member of the constant buffer, which is the same in all threads.
    Wave(Wave, usize),
}

/// A part of the input, by one of its views.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    RawUint,
    RawFloat,
    StructuredUint,
    TypedUint,
    TypedFloat,
    /// Floating point of all kinds but denormals.
    Wild,
}

impl Source {
    pub(crate) fn base(self) -> Base {
        match self {
            Self::RawUint | Self::StructuredUint | Self::TypedUint => Base::Uint,
            Self::RawFloat | Self::TypedFloat | Self::Wild => Base::Float,
        }
    }

    /// Words from an element to the next.
    pub(crate) fn stride(self) -> usize {
        match self {
            Self::TypedUint | Self::Wild => 1,
            Self::RawUint | Self::RawFloat | Self::StructuredUint | Self::TypedFloat => 4,
        }
    }

    /// Where in an element so many components are.
    pub(crate) fn offset(self, width: usize) -> usize {
        // The members of the structure are of one, two and one words.
        usize::from(self == Self::StructuredUint && matches!(width, 2 | 3))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Id {
    Thread,
    Group,
    Global,
}

/// Names operations and lists them all.
macro_rules! operations {
    ($(#[$about:meta])* $name:ident { $($operation:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $(#[allow(missing_docs)] $operation,)* }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$operation,)*];
        }
    };
}

operations!(
    /// Operations on one value.
    Unary {
        Negate, Complement, Not, Abs, Sign, Saturate, CountBits, ReverseBits, FirstBitHigh, FirstBitLow, Floor, Ceil, Trunc,
        Round, Frac, IsNan, IsInf, IsFinite, Any, All, F16ToF32, F32ToF16, Sqrt, Rsqrt, Rcp, Exp2, Log2, Sin, Cos,
    }
);
operations!(
    /// Operations on two values.
    Binary {
        Add, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr, Min, Max, Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual,
        BothTrue, EitherTrue, Dot, Step,
    }
);
operations!(
    /// Operations on three values.
    Ternary { Select, Mad, Clamp, Lerp, }
);
/// Operations on the threads of a wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wave {
    First,
    Min,
    Max,
    And,
    Or,
    AllEqual,
}

/// Any operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operation {
    /// On one value.
    Unary(Unary),
    /// On two.
    Binary(Binary),
    /// On three.
    Ternary(Ternary),
}

impl Operation {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let unary = Unary::ALL.iter().map(|operation| Self::Unary(*operation));
        let binary = Binary::ALL.iter().map(|operation| Self::Binary(*operation));
        unary.chain(binary).chain(Ternary::ALL.iter().map(|operation| Self::Ternary(*operation)))
    }
}

impl Binary {
    pub(crate) fn compares(self) -> bool {
        matches!(self, Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual | Self::Equal | Self::NotEqual)
    }
}

/// The type of an expression inside a function.
pub(crate) fn type_of(expression: &Expression, program: &Program, function: &Function) -> Type {
    let of = |expression| type_of(expression, program, function);
    match expression {
        Expression::Constant(value) => value.ty,
        Expression::Variable(number) | Expression::Element(number, _) => function.variable(*number),
        Expression::Component(number, _) => Type::scalar(function.variable(*number).base),
        Expression::Static(number, _) => program.statics[*number][0].ty,
        Expression::Member(number, _) => program.members[*number].ty,
        Expression::Load(source, width, _) => Type { base: source.base(), width: *width },
        Expression::Thread(_) | Expression::Shared(_) => Type::UINT,
        Expression::Unary(operation, of_what) => {
            let ty = of(of_what);
            match operation {
                Unary::Any | Unary::All => Type::BOOL,
                Unary::Not | Unary::IsNan | Unary::IsInf | Unary::IsFinite => ty.with(Base::Bool),
                Unary::F16ToF32 => ty.with(Base::Float),
                // Of signed integers, too.
                Unary::FirstBitHigh | Unary::F32ToF16 => ty.with(Base::Uint),
                Unary::Sign => ty.with(Base::Int),
                _ => ty,
            }
        }
        Expression::Binary(operation, left, _) => match operation {
            Binary::Dot => Type::scalar(of(left).base),
            operation if operation.compares() => of(left).with(Base::Bool),
            _ => of(left),
        },
        Expression::Ternary(_, of_what) => of(&of_what[2]),
        Expression::Convert(base, of_what) | Expression::Bits(base, of_what) => of(of_what).with(*base),
        Expression::Swizzle(of_what, places) => Type { base: of(of_what).base, width: places.len() },
        Expression::Construct(base, parts) => {
            Type { base: *base, width: parts.iter().map(|part| of(part).width).sum() }
        }
        Expression::Wave(Wave::AllEqual, member) => program.members[*member].ty.with(Base::Bool),
        Expression::Wave(_, member) => program.members[*member].ty,
    }
}

/// The expressions that an expression is made of.
pub(crate) fn parts(expression: &Expression) -> Vec<&Expression> {
    match expression {
        Expression::Constant(_) | Expression::Variable(_) | Expression::Thread(_) | Expression::Wave(..) => Vec::new(),
        Expression::Member(_, at) => at.iter().map(|at| &**at).collect(),
        Expression::Element(_, of)
        | Expression::Component(_, of)
        | Expression::Static(_, of)
        | Expression::Load(_, _, of)
        | Expression::Shared(of)
        | Expression::Unary(_, of)
        | Expression::Convert(_, of)
        | Expression::Bits(_, of)
        | Expression::Swizzle(of, _) => vec![of],
        Expression::Binary(_, left, right) => vec![left, right],
        Expression::Ternary(_, of) => of.iter().collect(),
        Expression::Construct(_, of) => of.iter().collect(),
    }
}
