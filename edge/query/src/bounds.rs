//! What a question's filters say about the rows that a table must read.
//!
//! Invariant: bounds leave out only rows that the filters leave out. They may let others through; the engine filters again.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, Operator};
use std::collections::BTreeSet;

/// Bounds, all of which hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Least and greatest call.
    pub(crate) calls: (u64, u64),
    /// Least and greatest frame, from 1.
    pub(crate) frames: (u64, u64),
    /// These methods only, by their names without the interface.
    pub(crate) methods: Option<BTreeSet<String>>,
    /// These traces only.
    pub(crate) traces: Option<BTreeSet<String>>,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { calls: (0, u64::MAX), frames: (0, u64::MAX), methods: None, traces: None }
    }
}

impl Bounds {
    /// The bounds of all these filters.
    pub(crate) fn of(filters: &[Expr]) -> Bounds {
        let mut bounds = Bounds::default();
        filters.iter().for_each(|filter| {
            bounds.take(filter);
        });
        bounds
    }

    /// Whether a filter says anything that bounds can say.
    pub(crate) fn know(filter: &Expr) -> bool {
        Bounds::default().take(filter)
    }

    /// Whether frames are bounded.
    pub(crate) fn of_frames(&self) -> bool {
        self.frames != (0, u64::MAX)
    }

    /// Whether no row can be within.
    pub(crate) fn is_empty(&self) -> bool {
        let none = |set: &Option<BTreeSet<String>>| set.as_ref().is_some_and(BTreeSet::is_empty);
        self.calls.0 > self.calls.1 || self.frames.0 > self.frames.1 || none(&self.methods) || none(&self.traces)
    }

    fn take(&mut self, filter: &Expr) -> bool {
        match filter {
            Expr::BinaryExpr(both) if both.op == Operator::And => {
                let (left, right) = (self.take(&both.left), self.take(&both.right));
                left || right
            }
            Expr::BinaryExpr(both) => match (column(&both.left), value(&both.right)) {
                (Some(column), Some(value)) => self.compare(column, both.op, &[value]),
                _ => match (value(&both.left), column(&both.right), both.op.swap()) {
                    (Some(value), Some(column), Some(op)) => self.compare(column, op, &[value]),
                    _ => false,
                },
            },
            Expr::Between(between) if !between.negated => {
                match (column(&between.expr), value(&between.low), value(&between.high)) {
                    (Some(column), Some(low), Some(high)) => {
                        self.compare(column, Operator::GtEq, &[low]) | self.compare(column, Operator::LtEq, &[high])
                    }
                    _ => false,
                }
            }
            Expr::InList(list) if !list.negated => {
                let values: Option<Vec<&ScalarValue>> = list.list.iter().map(value).collect();
                match (column(&list.expr), values) {
                    (Some(column), Some(values)) if !values.is_empty() => self.compare(column, Operator::Eq, &values),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Takes in that a column compares so with a value, or is equal to one of several.
    fn compare(&mut self, column: &str, op: Operator, values: &[&ScalarValue]) -> bool {
        let range = match column {
            "call" => &mut self.calls,
            "frame" => &mut self.frames,
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
                // Nothing is below zero: an empty range.
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

    #[test]
    fn bounds_are_those_of_all_filters() {
        let filters = [
            col("call").gt(lit(4i64)).and(lit(9i64).gt_eq(col("call"))),
            col("frame").in_list(vec![lit(3i64), lit(7i64)], false),
            col("method").eq(lit("Close")),
        ];
        let bounds = Bounds::of(&filters);
        assert_eq!((bounds.calls, bounds.frames), ((5, 9), (3, 7)));
        assert_eq!(bounds.methods, Some(BTreeSet::from(["Close".to_owned()])));
        assert!(!bounds.is_empty());
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
            assert!(!Bounds::know(&filter), "{filter}");
            assert_eq!(Bounds::of(std::slice::from_ref(&filter)), Bounds::default(), "{filter}");
        }
    }

    #[test]
    fn ranges_without_numbers_are_empty() {
        assert!(Bounds::of(&[col("call").lt(lit(0i64))]).is_empty());
        assert!(Bounds::of(&[col("call").eq(lit(2i64)), col("call").eq(lit(3i64))]).is_empty());
        assert!(Bounds::of(&[col("call").between(lit(5i64), lit(4i64))]).is_empty());
    }
}
