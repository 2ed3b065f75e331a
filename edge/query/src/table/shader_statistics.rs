//! `shader_statistics`: what the driver made of shaders, as `reprise time --shaders --save` asked it, from the file beside the trace.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;

/// See the module.
#[derive(Debug)]
pub(super) struct ShaderStatistics;

impl Table for ShaderStatistics {
    fn name(&self) -> &str {
        "shader_statistics"
    }

    fn about(&self) -> &str {
        "what the driver made of the shaders of each pipeline, of `reprise time --shaders --save`: a row for each number"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("pipeline", Kind::Number, "the pipeline state or state object"),
            Column::new("executable", Kind::Number, "which of the pipeline's executables, from 0"),
            Column::new("name", Kind::Text, "the executable, as the driver calls it"),
            Column::new("stages", Kind::Text, "the stages that it is of, with ' ' between"),
            Column::new("lanes", Kind::Number, "lanes of a wave; null: the driver does not say"),
            Column::new("statistic", Kind::Text, "what the number is, as the driver calls it"),
            Column::new("value", Kind::Real, "the number; 1 and 0 for yes and no"),
            Column::new("about", Kind::Text, "what it is, in the driver's words"),
        ]
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let times = source.times().map_err(Stop::Trace)?;
        if times.executables.is_empty() {
            let what = format!(
                "{}: its times say nothing of shaders: `reprise time --shaders --save` asks for them, on our runtime and a driver with \
                 VK_KHR_pipeline_executable_properties",
                source.name
            );
            return Err(Stop::Trace(what));
        }
        for (pipeline, executables) in &times.executables {
            for (number, one) in (0..).zip(executables) {
                let stages = one.stages.join(" ");
                for statistic in &one.statistics {
                    sink.row(&[
                        Cell::object(*pipeline),
                        Cell::Number(number),
                        Cell::Text(&one.name),
                        Cell::Text(&stages),
                        Cell::some((one.lanes != 0).then_some(u64::from(one.lanes))),
                        Cell::Text(&statistic.name),
                        Cell::Real(statistic.value),
                        Cell::Text(&statistic.about),
                    ])?;
                }
            }
        }
        Ok(())
    }
}
