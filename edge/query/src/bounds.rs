//! The part of a question's filters that readers of a trace can use.
//!
//! Invariant: a row that the filters accept is within the bounds. Other rows may be, too: the engine filters again.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, Operator};
use std::collections::BTreeSet;

/// Calls of a part at least.
const PART: u64 = 1 << 17;
/// Parts of a trace at most: a few for each processor.
const PARTS: u64 = 16;

/// Bounds, all of which hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Least and greatest call.
    pub(crate) calls: (u64, u64),
    /// Least and greatest frame, from 1.
    pub(crate) frames: (u64, u64),
    /// These methods only, by their names without the interface.
    pub(crate) methods: Option<BTreeSet<String>>,
    /// Calls on these objects only, and records about them.
    pub(crate) objects: Option<BTreeSet<u32>>,
    /// Calls whose arguments name an object of each of these sets only.
    pub(crate) named: Vec<BTreeSet<u32>>,
    /// Least and greatest time, in nanoseconds from the session's beginning.
    pub(crate) times: (u64, u64),
    /// These traces only.
    pub(crate) traces: Option<BTreeSet<String>>,
}

/// The columns of a table that hold objects, where the contents of chunks tell of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Objects {
    /// The object of the call, or the object that the record is about.
    pub(crate) of_call: &'static [&'static str],
    /// Objects that the arguments of the call name.
    pub(crate) named: &'static [&'static str],
}

/// The list of a command.
pub(crate) const LIST: Objects = Objects { of_call: &["list"], named: &[] };

impl Default for Bounds {
    fn default() -> Bounds {
        let all = (0, u64::MAX);
        Bounds { calls: all, frames: all, methods: None, objects: None, named: Vec::new(), times: all, traces: None }
    }
}

impl Bounds {
    /// The bounds of all these filters together.
    pub(crate) fn of(filters: &[Expr], of: Objects) -> Bounds {
        let mut bounds = Bounds::default();
        filters.iter().for_each(|filter| {
            bounds.take(filter, of);
        });
        bounds
    }

    /// Whether bounds can express a part of the filter.
    pub(crate) fn know(filter: &Expr, of: Objects) -> bool {
        Bounds::default().take(filter, of)
    }

    /// Whether frames are bounded.
    pub(crate) fn of_frames(&self) -> bool {
        self.frames != (0, u64::MAX)
    }

    /// Whether only a part of the trace is asked for, by calls or frames.
    pub(crate) fn of_a_part(&self) -> bool {
        self.of_frames() || self.calls != (0, u64::MAX)
    }

    /// Splits the bounds into parts that can be read at the same time: ranges of calls that together are all of them. `calls` is how many the
    /// trace has.
    pub(crate) fn split(&self, calls: u64) -> Vec<Bounds> {
        let (first, last) = (self.calls.0.max(1), self.calls.1.min(calls));
        if self.of_frames() || first > last {
            return vec![self.clone()];
        }
        let step = (last - first + 1).div_ceil(PARTS).max(PART);
        let part = |at: u64| {
            let begin = first + at * step;
            // The last part reaches as far as the bounds: a damaged trace may have more calls than it says.
            let end = if begin + step > last { self.calls.1 } else { begin + step - 1 };
            Bounds { calls: (begin, end), ..self.clone() }
        };
        (0..(last - first + 1).div_ceil(step)).map(part).collect()
    }

    /// Whether methods, objects, names or times are bounded.
    pub(crate) fn seek(&self) -> bool {
        self.methods.is_some() || self.objects.is_some() || !self.named.is_empty() || self.times != (0, u64::MAX)
    }

    /// Whether no row can be within.
    pub(crate) fn is_empty(&self) -> bool {
        let none = |set: &Option<BTreeSet<String>>| set.as_ref().is_some_and(BTreeSet::is_empty);
        let ranges = [self.calls, self.frames, self.times];
        ranges.iter().any(|(from, to)| from > to)
            || none(&self.methods)
            || none(&self.traces)
            || self.objects.as_ref().is_some_and(BTreeSet::is_empty)
    }

    fn take(&mut self, filter: &Expr, of: Objects) -> bool {
        match filter {
            Expr::BinaryExpr(both) if both.op == Operator::And => {
                let (left, right) = (self.take(&both.left, of), self.take(&both.right, of));
                left || right
            }
            Expr::BinaryExpr(both) => match (column(&both.left), value(&both.right)) {
                (Some(column), Some(value)) => self.compare(column, both.op, &[value], of),
                _ => match (value(&both.left), column(&both.right), both.op.swap()) {
                    (Some(value), Some(column), Some(op)) => self.compare(column, op, &[value], of),
                    _ => false,
                },
            },
            Expr::Between(between) if !between.negated => {
                match (column(&between.expr), value(&between.low), value(&between.high)) {
                    (Some(column), Some(low), Some(high)) => {
                        self.compare(column, Operator::GtEq, &[low], of)
                            | self.compare(column, Operator::LtEq, &[high], of)
                    }
                    _ => false,
                }
            }
            Expr::InList(list) if !list.negated => {
                let values: Option<Vec<&ScalarValue>> = list.list.iter().map(value).collect();
                match (column(&list.expr), values) {
                    (Some(column), Some(values)) if !values.is_empty() => {
                        self.compare(column, Operator::Eq, &values, of)
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Narrows the bounds by a comparison of a column with a value, or with several of which it equals one. `false` where bounds cannot express it.
    fn compare(&mut self, column: &str, op: Operator, values: &[&ScalarValue], of: Objects) -> bool {
        let range = match column {
            "call" => &mut self.calls,
            "frame" => &mut self.frames,
            "time_ns" => &mut self.times,
            column if op == Operator::Eq && of.of_call.contains(&column) => {
                let numbers: Option<Vec<i128>> = values.iter().map(|value| number(value)).collect();
                let Some(numbers) = numbers else { return false };
                // Ids are positive and have 32 bits; no row has another number here.
                let objects = numbers.into_iter().filter_map(|number| u32::try_from(number).ok());
                let objects: BTreeSet<u32> = objects.filter(|object| *object != 0).collect();
                self.objects = Some(match self.objects.take() {
                    Some(before) => before.intersection(&objects).copied().collect(),
                    None => objects,
                });
                return true;
            }
            column if op == Operator::Eq && of.named.contains(&column) => {
                let numbers: Option<Vec<i128>> = values.iter().map(|value| number(value)).collect();
                let Some(numbers) = numbers else { return false };
                self.named.push(numbers.into_iter().filter_map(|number| u32::try_from(number).ok()).collect());
                return true;
            }
            "method" | "trace" if op == Operator::Eq => {
                let texts: Option<BTreeSet<String>> = values.iter().map(|value| text(value)).collect();
                let Some(texts) = texts else { return false };
                let place = if column == "method" { &mut self.methods } else { &mut self.traces };
                *place = Some(match place.take() {
                    Some(before) => before.intersection(&texts).cloned().collect(),
                    None => texts,
                });
                return true;
            }
            _ => return false,
        };
        let numbers: Option<Vec<i128>> = values.iter().map(|value| number(value)).collect();
        let Some(numbers) = numbers else { return false };
        let (Some(&least), Some(&greatest)) = (numbers.iter().min(), numbers.iter().max()) else { return false };
        let clamped = |number: i128| u64::try_from(number.max(0)).unwrap_or(u64::MAX);
        let mut at_least = |number: i128| range.0 = range.0.max(clamped(number));
        match op {
            Operator::Gt => at_least(least + 1),
            Operator::GtEq => at_least(least),
            Operator::Lt | Operator::LtEq | Operator::Eq => {
                if op == Operator::Eq {
                    at_least(least);
                }
                let end = if op == Operator::Lt { greatest - 1 } else { greatest };
                // No row has a number below zero: the range is empty.
                if end < 0 { *range = (1, 0) } else { range.1 = range.1.min(clamped(end)) }
            }
            _ => return false,
        }
        true
    }
}

fn column(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Column(column) => Some(&column.name),
        Expr::Alias(alias) => column(&alias.expr),
        _ => None,
    }
}

fn value(expr: &Expr) -> Option<&ScalarValue> {
    match expr {
        Expr::Literal(value, _) => Some(value),
        _ => None,
    }
}

fn text(value: &ScalarValue) -> Option<String> {
    match value {
        ScalarValue::Utf8(text) | ScalarValue::LargeUtf8(text) | ScalarValue::Utf8View(text) => text.clone(),
        ScalarValue::Dictionary(_, value) => self::text(value),
        _ => None,
    }
}

fn number(value: &ScalarValue) -> Option<i128> {
    Some(match value {
        ScalarValue::Int8(number) => (*number)?.into(),
        ScalarValue::Int16(number) => (*number)?.into(),
        ScalarValue::Int32(number) => (*number)?.into(),
        ScalarValue::Int64(number) => (*number)?.into(),
        ScalarValue::UInt8(number) => (*number)?.into(),
        ScalarValue::UInt16(number) => (*number)?.into(),
        ScalarValue::UInt32(number) => (*number)?.into(),
        ScalarValue::UInt64(number) => (*number)?.into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::prelude::{col, lit};

    fn on(of_call: &'static [&'static str]) -> Objects {
        Objects { of_call, named: &[] }
    }

    #[test]
    fn names_in_several_columns_are_each_wanted() {
        let of = Objects { of_call: &["list"], named: &["source", "destination"] };
        let filters = [col("source").eq(lit(3i64)), col("destination").in_list(vec![lit(7i64), lit(-1i64)], false)];
        let bounds = Bounds::of(&filters, of);
        assert_eq!((bounds.named, bounds.objects), (vec![BTreeSet::from([3]), BTreeSet::from([7])], None));
        assert_eq!(Bounds::of(&filters, LIST), Bounds::default());
        assert!(!Bounds::know(&col("source").gt(lit(7i64)), of));
    }

    #[test]
    fn bounds_are_those_of_all_filters() {
        let filters = [
            col("call").gt(lit(4i64)).and(lit(9i64).gt_eq(col("call"))),
            col("frame").in_list(vec![lit(3i64), lit(7i64)], false),
            col("method").eq(lit("Close")),
            col("time_ns").lt(lit(100i64)),
        ];
        let bounds = Bounds::of(&filters, Objects::default());
        assert_eq!((bounds.calls, bounds.frames), ((5, 9), (3, 7)));
        assert_eq!(bounds.methods, Some(BTreeSet::from(["Close".to_owned()])));
        assert_eq!((bounds.times, &bounds.objects), ((0, 99), &None));
        assert!(!bounds.is_empty());
    }

    #[test]
    fn objects_are_bounded_where_the_column_is_the_one_of_the_call() {
        let filters = [col("list").in_list(vec![lit(3i64), lit(7i64), lit(-1i64)], false), col("object").eq(lit(7i64))];
        assert_eq!(Bounds::of(&filters, LIST).objects, Some(BTreeSet::from([3, 7])));
        assert_eq!(Bounds::of(&filters, on(&["list", "object"])).objects, Some(BTreeSet::from([7])));
        assert_eq!(Bounds::of(&filters, Objects::default()), Bounds::default());
        assert!(Bounds::of(&[col("object").eq(lit(0i64))], on(&["object"])).is_empty());
        assert!(!Bounds::know(&col("object").gt(lit(7i64)), on(&["object"])));
    }

    #[test]
    fn what_bounds_cannot_say_changes_nothing() {
        for filter in [
            col("call").gt(lit(4i64)).or(col("call").eq(lit(1i64))),
            col("call").not_eq(lit(4i64)),
            col("frame").in_list(vec![lit(3i64)], true),
            col("call").gt(lit(4.5f64)),
            col("bytes").gt(lit(4i64)),
        ] {
            assert!(!Bounds::know(&filter, on(&["object"])), "{filter}");
            assert_eq!(Bounds::of(std::slice::from_ref(&filter), on(&["object"])), Bounds::default(), "{filter}");
        }
    }

    #[test]
    fn ranges_without_numbers_are_empty() {
        assert!(Bounds::of(&[col("call").lt(lit(0i64))], Objects::default()).is_empty());
        assert!(Bounds::of(&[col("call").eq(lit(2i64)), col("call").eq(lit(3i64))], Objects::default()).is_empty());
        assert!(Bounds::of(&[col("call").between(lit(5i64), lit(4i64))], Objects::default()).is_empty());
    }
}
