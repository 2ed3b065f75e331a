//! `GROUP BY` of names, done by numbers: the engine groups dictionaries by their texts, row by row, which takes several times as long as all
//! else.
//!
//! The names of methods and interfaces have the numbers of one list ([`Names`]), so keys of dictionaries can stand for them. Other names
//! are grouped as views of texts, for which the engine has a quick way. Invariant: the answer, its names and its types are as without.

use crate::names::{self, Names};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, DictionaryArray, StringArray, UInt16Array};
use datafusion::arrow::datatypes::{DataType, UInt16Type};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{
    Aggregate, ColumnarValue, Expr, ExprSchemable, LogicalPlan, Projection, ScalarUDF, Volatility, cast, create_udf,
};
use datafusion::optimizer::AnalyzerRule;
use std::sync::Arc;

/// The rule.
#[derive(Debug)]
pub(crate) struct ByNumber {
    /// From names of methods and interfaces to their numbers.
    number: ScalarUDF,
    /// And back.
    name: ScalarUDF,
}

/// What stands for a column of names while it is grouped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Means {
    Itself,
    Number,
    View,
}

impl ByNumber {
    pub(crate) fn new() -> ByNumber {
        let (text, number) = (names::of_methods(), DataType::UInt16);
        let to = Arc::new(|arguments: &[ColumnarValue]| each(arguments, numbers));
        let back = Arc::new(|arguments: &[ColumnarValue]| each(arguments, named));
        ByNumber {
            number: create_udf("reprise_number", vec![text.clone()], number.clone(), Volatility::Immutable, to),
            name: create_udf("reprise_name", vec![number], text, Volatility::Immutable, back),
        }
    }

    fn rewrite(&self, plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Aggregate(aggregate) = &plan else { return Ok(Transformed::no(plan)) };
        let means = |expr: &Expr| {
            let kind = expr.get_type(aggregate.input.schema()).ok().filter(|_| matches!(expr, Expr::Column(_)));
            match kind {
                Some(kind) if kind == names::of_methods() => Means::Number,
                Some(kind) if kind == names::of_few() => Means::View,
                _ => Means::Itself,
            }
        };
        let means: Vec<Means> = aggregate.group_expr.iter().map(means).collect();
        if means.iter().all(|means| *means == Means::Itself) {
            return Ok(Transformed::no(plan));
        }
        let groups = aggregate.group_expr.iter().zip(&means).map(|(expr, means)| match means {
            Means::Itself => expr.clone(),
            Means::Number => self.number.call(vec![expr.clone()]),
            Means::View => cast(expr.clone(), DataType::Utf8View),
        });
        let input = Arc::clone(&aggregate.input);
        let grouped = Aggregate::try_new(input, groups.collect(), aggregate.aggr_expr.clone())?;
        let columns = aggregate.schema.iter().zip(grouped.schema.iter()).enumerate().map(|(at, (old, new))| {
            let column = Expr::Column(Column::from(new));
            let column = match means.get(at) {
                Some(Means::Number) => self.name.call(vec![column]),
                Some(Means::View) => cast(column, names::of_few()),
                _ => return column,
            };
            column.alias_qualified(old.0.cloned(), old.1.name())
        });
        let columns = columns.collect();
        let named = Projection::try_new(columns, Arc::new(LogicalPlan::Aggregate(grouped)))?;
        Ok(Transformed::yes(LogicalPlan::Projection(named)))
    }
}

impl AnalyzerRule for ByNumber {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_up(|plan| self.rewrite(plan))?.data)
    }

    fn name(&self) -> &str {
        "group_by_number"
    }
}

/// Applies a function to the one argument.
fn each(arguments: &[ColumnarValue], function: fn(&ArrayRef) -> Result<ArrayRef>) -> Result<ColumnarValue> {
    match arguments {
        [ColumnarValue::Array(array)] => Ok(ColumnarValue::Array(function(array)?)),
        [ColumnarValue::Scalar(value)] => {
            let array = function(&value.to_array()?)?;
            Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?))
        }
        _ => Err(DataFusionError::Internal("one argument is expected".into())),
    }
}

/// The numbers of names.
fn numbers(array: &ArrayRef) -> Result<ArrayRef> {
    let unexpected = || DataFusionError::Internal(format!("{} are no names of methods", array.data_type()));
    let names = array.as_any().downcast_ref::<DictionaryArray<UInt16Type>>().ok_or_else(unexpected)?;
    if Names::are(names.values()) {
        return Ok(Arc::new(names.keys().clone()));
    }
    // The engine has joined dictionaries, and has numbered the names anew.
    let values = names.values().as_any().downcast_ref::<StringArray>().ok_or_else(unexpected)?;
    let numbers: Vec<Option<u16>> = values.iter().map(|name| Names::number(name?)).collect();
    let number = |key: Option<u16>| numbers.get(usize::from(key?)).copied().flatten();
    Ok(Arc::new(names.keys().iter().map(number).collect::<UInt16Array>()))
}

/// The names with these numbers.
fn named(array: &ArrayRef) -> Result<ArrayRef> {
    Names::of(array.as_primitive::<UInt16Type>().clone())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_from_their_numbers() {
        let one = Names::of([Some(0), None, Some(7), Some(0)].into_iter().collect()).unwrap();
        let same = numbers(&one).unwrap();
        assert_eq!(same.as_primitive::<UInt16Type>(), &UInt16Array::from(vec![Some(0), None, Some(7), Some(0)]));
        // Numbered anew.
        let texts: Vec<Option<&str>> =
            one.as_dictionary::<UInt16Type>().downcast_dict::<StringArray>().unwrap().into_iter().collect();
        let other: DictionaryArray<UInt16Type> = texts.iter().rev().copied().collect();
        let other: ArrayRef = Arc::new(other);
        let back = named(&numbers(&other).unwrap()).unwrap();
        let back: Vec<Option<&str>> =
            back.as_dictionary::<UInt16Type>().downcast_dict::<StringArray>().unwrap().into_iter().collect();
        assert_eq!(back, texts.into_iter().rev().collect::<Vec<_>>());
    }
}
