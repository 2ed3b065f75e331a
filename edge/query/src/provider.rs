//! A table of this program as the engine sees it: which columns, which bounds, which parts.

use crate::bounds::Bounds;
use crate::sink::{Sink, Stop};
use crate::source::Source;
use crate::table::{self, Table};
use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use std::sync::Arc;

/// Batches that a reader may be ahead of the engine.
const AHEAD: usize = 4;

/// A table over the traces that were opened.
#[derive(Debug)]
pub(crate) struct Provider {
    table: Arc<dyn Table>,
    sources: Arc<[Arc<Source>]>,
    schema: SchemaRef,
}

impl Provider {
    pub(crate) fn new(table: Arc<dyn Table>, sources: Arc<[Arc<Source>]>) -> Provider {
        let schema = table::schema(&table.columns());
        Provider { table, sources, schema }
    }
}

#[async_trait]
impl TableProvider for Provider {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let answer = |filter: &&Expr| match Bounds::know(filter, self.table.objects()) {
            true => TableProviderFilterPushDown::Inexact,
            false => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(answer).collect())
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let projection = projection.cloned().unwrap_or_else(|| (0..self.schema.fields().len()).collect());
        let schema = Arc::new(self.schema.project(&projection)?);
        let columns: Vec<usize> = projection.iter().filter_map(|index| index.checked_sub(1)).collect();
        let bounds = Bounds::of(filters, self.table.objects());
        let mut parts: Vec<Arc<dyn PartitionStream>> = Vec::new();
        for source in self.sources.iter() {
            let other = bounds.traces.as_ref().is_some_and(|traces| !traces.contains(&source.name));
            if other || bounds.is_empty() {
                continue;
            }
            source.look_into(&bounds);
            for bounds in self.table.parts(source, &bounds, &columns) {
                let (table, source) = (Arc::clone(&self.table), Arc::clone(source));
                let (projection, schema) = (projection.clone(), Arc::clone(&schema));
                parts.push(Arc::new(Part { table, source, projection, schema, bounds: Some(bounds) }));
            }
        }
        if parts.is_empty()
            && let Some(source) = self.sources.first()
        {
            let (table, source) = (Arc::clone(&self.table), Arc::clone(source));
            parts.push(Arc::new(Part { table, source, projection, schema: Arc::clone(&schema), bounds: None }));
        }
        Ok(Arc::new(StreamingTableExec::try_new(schema, parts, None, None, false, limit)?))
    }
}

/// A part of a table: of one trace, within bounds.
#[derive(Debug)]
struct Part {
    table: Arc<dyn Table>,
    source: Arc<Source>,
    projection: Vec<usize>,
    schema: SchemaRef,
    /// `None` for a part without rows.
    bounds: Option<Bounds>,
}

impl PartitionStream for Part {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut builder = RecordBatchReceiverStreamBuilder::new(Arc::clone(&self.schema), AHEAD);
        if let Some(bounds) = self.bounds.clone() {
            let sender = builder.tx();
            let (table, source) = (Arc::clone(&self.table), Arc::clone(&self.source));
            let (projection, schema) = (self.projection.clone(), Arc::clone(&self.schema));
            builder.spawn_blocking(move || {
                let mut send = |batch| sender.blocking_send(Ok(batch)).is_ok();
                let columns = table.columns();
                let mut sink = Sink::new(&columns, &projection, schema, &source.name, &mut send);
                match table.read(&source, &bounds, &mut sink).and_then(|()| sink.flush()) {
                    Ok(()) | Err(Stop::Enough) => Ok(()),
                    Err(Stop::Trace(message)) => Err(DataFusionError::External(Box::new(Unread(message)))),
                    Err(Stop::Engine(error)) => Err(error),
                }
            });
        }
        builder.build()
    }
}

/// A trace cannot be read.
#[derive(Debug)]
pub(crate) struct Unread(String);

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unread {}
