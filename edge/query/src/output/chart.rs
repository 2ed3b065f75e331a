//! `--plot x,y`: two columns as a chart, in SVG or in characters.
//!
//! If x is text, each row is a bar. If x is a number, the chart divides the range of x into equal stretches and shows the greatest y of each.
//! Invariant: memory is bounded. Rows beyond the limit are left out, and the chart says how many.

use super::text::plain;
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, SchemaRef};
use datafusion::arrow::record_batch::RecordBatch;
use std::io::{self, Write};

/// Most bars.
const BARS: usize = 200;
/// Most points.
const POINTS: usize = 1_000_000;
/// Columns and lines of a chart in characters.
const SIGNS: (usize, usize) = (100, 20);
/// Stretches of a chart in SVG, and its height: units of its view box.
const PICTURE: (usize, usize) = (1000, 400);

/// A chart under way.
pub(crate) struct Chart<W> {
    to: W,
    svg: bool,
    /// Places of x and y in the answer, and their names.
    columns: [(usize, String); 2],
    bars: Option<Vec<(String, f64)>>,
    points: Vec<(f64, f64)>,
    left_out: u64,
}

impl<W: Write> Chart<W> {
    pub(crate) fn new(to: W, svg: bool, columns: &str, schema: &SchemaRef) -> Result<Chart<W>, String> {
        let names: Vec<&str> = columns.split(',').map(str::trim).collect();
        let [x, y] = names[..] else { return Err(format!("--plot takes two names, x,y: {columns} are not two")) };
        let find = |name: &str| {
            let names = || schema.fields().iter().map(|field| field.name().as_str());
            let near = || crate::message::near(name, names());
            let all = || names().collect::<Vec<_>>().join(", ");
            schema
                .index_of(name)
                .map_err(|_| format!("--plot: the answer has no column {name}{}; it has {}", near(), all()))
        };
        let (at_x, at_y) = (find(x)?, find(y)?);
        if !schema.field(at_y).data_type().is_numeric() {
            return Err(format!("--plot: {y} is no number, and has no height"));
        }
        let bars = (!schema.field(at_x).data_type().is_numeric()).then(Vec::new);
        Ok(Chart { to, svg, columns: [(at_x, x.into()), (at_y, y.into())], bars, points: Vec::new(), left_out: 0 })
    }

    pub(crate) fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let column = |at: usize, to: &DataType| cast(batch.column(at), to).map_err(io::Error::other);
        let y = column(self.columns[1].0, &DataType::Float64)?;
        let y = y.as_primitive::<Float64Type>();
        if let Some(bars) = &mut self.bars {
            let x = column(self.columns[0].0, &DataType::Utf8)?;
            let x = x.as_string::<i32>();
            for row in (0..batch.num_rows()).filter(|row| y.is_valid(*row) && y.value(*row).is_finite()) {
                if bars.len() >= BARS {
                    self.left_out += 1;
                    continue;
                }
                bars.push((if x.is_null(row) { "null".into() } else { plain(x.value(row)) }, y.value(row)));
            }
            return Ok(());
        }
        let x = column(self.columns[0].0, &DataType::Float64)?;
        let x = x.as_primitive::<Float64Type>();
        for row in 0..batch.num_rows() {
            if x.is_null(row) || y.is_null(row) || !x.value(row).is_finite() || !y.value(row).is_finite() {
                continue;
            }
            match self.points.len() < POINTS {
                true => self.points.push((x.value(row), y.value(row))),
                false => self.left_out += 1,
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        if self.left_out > 0 {
            eprintln!("reprise query: the chart leaves out {} rows: ask for fewer, or group them", self.left_out);
        }
        let text = match (&self.bars, self.svg) {
            (Some(bars), false) => bars_in_signs(bars),
            (Some(bars), true) => bars_in_svg(bars, &self.columns),
            (None, false) => points_in_signs(&self.points, &self.columns),
            (None, true) => points_in_svg(&self.points, &self.columns),
        };
        self.to.write_all(text.as_bytes())?;
        self.to.flush()
    }
}

fn bars_in_signs(bars: &[(String, f64)]) -> String {
    let width = bars.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let most = bars.iter().map(|(_, y)| *y).fold(0.0, f64::max);
    let mut text = String::new();
    for (name, y) in bars {
        let share = if most > 0.0 { (y.max(0.0) / most * 60.0 * 8.0).round() as usize } else { 0 };
        let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][share % 8];
        let space = " ".repeat(width - name.chars().count());
        text += &format!("{name}{space} {}{part} {y}\n", "█".repeat(share / 8));
    }
    text
}

/// Least and greatest value.
type Range = (f64, f64);

/// The greatest y in each of `count` stretches of x, and the ranges of x and y. The range of y includes 0.
fn stretches(points: &[(f64, f64)], count: usize) -> (Vec<Option<f64>>, Range, Range) {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
    };
    let x = range(&mut points.iter().map(|point| point.0));
    let y = range(&mut points.iter().map(|point| point.1).chain([0.0]));
    let mut greatest: Vec<Option<f64>> = vec![None; count];
    let span = (x.1 - x.0).max(f64::MIN_POSITIVE);
    for (at, value) in points {
        let place = ((at - x.0) / span * count as f64) as usize;
        if let Some(own) = greatest.get_mut(place.min(count - 1)) {
            *own = Some(own.map_or(*value, |own| own.max(*value)));
        }
    }
    (greatest, x, y)
}

fn points_in_signs(points: &[(f64, f64)], columns: &[(usize, String); 2]) -> String {
    if points.is_empty() {
        return "no points\n".into();
    }
    let (greatest, x, y) = stretches(points, SIGNS.0);
    let span = (y.1 - y.0).max(f64::MIN_POSITIVE);
    let mut text = format!("{} (greatest of a stretch), {} to {}\n", columns[1].1, y.0, y.1);
    for line in (0..SIGNS.1).rev() {
        let row = greatest.iter().map(|value| {
            let height = value.map_or(0.0, |value| (value - y.0) / span * SIGNS.1 as f64) - line as f64;
            ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][(height * 8.0).round().clamp(0.0, 8.0) as usize]
        });
        let row: String = row.map(|sign| if sign == '·' { ' ' } else { sign }).collect();
        text += &format!("│{}\n", row.trim_end());
    }
    text += &format!("└{}\n {}: {} to {}\n", "─".repeat(SIGNS.0), columns[0].1, x.0, x.1);
    text
}

/// The text with XML's special characters escaped.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const STYLE: &str = "<style>text{font:12px sans-serif;fill:#888}rect,path{fill:#4a86c7}line{stroke:#888}</style>";

fn bars_in_svg(bars: &[(String, f64)], columns: &[(usize, String); 2]) -> String {
    let most = bars.iter().map(|(_, y)| *y).fold(0.0, f64::max);
    let height = bars.len() * 18 + 30;
    let title = escaped(&plain(&format!("{} by {}", columns[1].1, columns[0].1)));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1000 {height}\">{STYLE}<text x=\"4\" y=\"16\">{title}</text>\n"
    );
    for (at, (name, y)) in bars.iter().enumerate() {
        let top = at * 18 + 26;
        let width = if most > 0.0 { y.max(0.0) / most * 560.0 } else { 0.0 };
        svg += &format!(
            "<text x=\"300\" y=\"{}\" text-anchor=\"end\">{}</text><rect x=\"308\" y=\"{top}\" width=\"{width:.1}\" height=\"14\"/><text x=\"{:.1}\" y=\"{}\">{y}</text>\n",
            top + 12,
            escaped(name),
            314.0 + width,
            top + 12
        );
    }
    svg + "</svg>\n"
}

fn points_in_svg(points: &[(f64, f64)], columns: &[(usize, String); 2]) -> String {
    let (wide, high) = PICTURE;
    let (greatest, x, y) = stretches(points, wide);
    let span = (y.1 - y.0).max(f64::MIN_POSITIVE);
    let title = escaped(&plain(&format!("{}: {} to {}; {}: {} to {}", columns[1].1, y.0, y.1, columns[0].1, x.0, x.1)));
    let bottom = high + 30;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {}\">{STYLE}<text x=\"4\" y=\"16\">{title}</text>\
         <line x1=\"0\" y1=\"{bottom}\" x2=\"{wide}\" y2=\"{bottom}\"/>\n",
        bottom + 10
    );
    for (at, value) in greatest.iter().enumerate() {
        let Some(value) = value else { continue };
        let height = ((value - y.0) / span * high as f64).max(1.0);
        svg += &format!("<rect x=\"{at}\" y=\"{:.1}\" width=\"1\" height=\"{height:.1}\"/>", bottom as f64 - height);
    }
    svg + "\n</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_have_the_greatest() {
        let (greatest, x, y) = stretches(&[(0.0, 1.0), (1.0, 5.0), (1.5, 3.0), (9.0, 2.0)], 3);
        assert_eq!(greatest, [Some(5.0), None, Some(2.0)]);
        assert_eq!((x, y), ((0.0, 9.0), (0.0, 5.0)));
    }

    #[test]
    fn names_in_pictures_are_text() {
        let columns = [(0, "<x>".to_owned()), (1, "y".to_owned())];
        let svg = bars_in_svg(&[("<script>".into(), 1.0)], &columns);
        assert!(svg.contains("&lt;script&gt;") && !svg.contains("<script>") && svg.contains("by &lt;x&gt;"));
    }
}
