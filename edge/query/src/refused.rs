//! Parts of a question that the engine passes over without a word. They are unsupported.

use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::planner::{RelationPlanner, RelationPlannerContext, RelationPlanning};
use datafusion::sql::sqlparser::ast::TableFactor;

/// Looks at each table of a question before the engine does.
#[derive(Debug)]
pub(crate) struct Refuse;

impl RelationPlanner for Refuse {
    fn plan_relation(&self, table: TableFactor, _: &mut dyn RelationPlannerContext) -> Result<RelationPlanning> {
        match &table {
            TableFactor::Table { sample: Some(_), .. } | TableFactor::Derived { sample: Some(_), .. } => {
                plan_err!("there is no TABLESAMPLE: take some of the rows with WHERE, such as WHERE call % 10 = 0")
            }
            _ => Ok(RelationPlanning::Original(Box::new(table))),
        }
    }
}
