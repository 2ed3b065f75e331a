//! A table as text.

use std::fmt;

/// Fields by row and column, each row and column once, in the order of their first field.
#[derive(Default)]
pub(super) struct Grid {
    fields: Vec<(String, String, String)>,
}

impl Grid {
    pub(super) fn add(&mut self, row: &str, column: &str, field: &str) {
        self.fields.push((row.to_owned(), column.to_owned(), field.to_owned()));
    }

    fn distinct<'g>(&'g self, of: fn(&'g (String, String, String)) -> &'g str) -> Vec<&'g str> {
        let mut distinct = Vec::new();
        for field in self.fields.iter().map(of) {
            if !distinct.contains(&field) {
                distinct.push(field);
            }
        }
        distinct
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, columns) = (self.distinct(|field| &field.0), self.distinct(|field| &field.1));
        let named = rows.iter().map(|row| row.len()).max().unwrap_or(0).max(7);
        let line = |name: &str, fields: &[&str]| {
            let pair = |(field, column): (&&str, &&str)| format!("  {field:<width$}", width = column.len().max(8));
            let fields: String = fields.iter().zip(&columns).map(pair).collect();
            format!("{name:<named$}{fields}").trim_end().to_owned()
        };
        write!(f, "{}", line("program", &columns))?;
        for row in rows {
            let field = |column: &&str| {
                let found = self.fields.iter().find(|(at, of, _)| at == row && of == column);
                found.map_or("", |(_, _, field)| field.as_str())
            };
            write!(f, "\n{}", line(row, &columns.iter().map(field).collect::<Vec<_>>()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_stand_in_the_order_of_their_first_field() {
        let mut grid = Grid::default();
        grid.add("b", "two", "1");
        grid.add("a", "one", "2");
        grid.add("b", "one", "3");
        let lines: Vec<String> = grid.to_string().lines().map(str::to_owned).collect();
        assert_eq!(lines, ["program  two       one", "b        1         3", "a                  2"]);
    }
}
