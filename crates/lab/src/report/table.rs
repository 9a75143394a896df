use std::io::{self, Write};

/// A table of text: the first columns to the left, numbers to the right.
#[derive(Debug, Default)]
pub(crate) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    left_columns: usize,
}

impl Table {
    pub(crate) fn new(left_columns: usize, header: &[&str]) -> Self {
        Self {
            header: header.iter().map(|&cell| cell.to_owned()).collect(),
            rows: Vec::new(),
            left_columns,
        }
    }

    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes it with columns padded to their widest cell. Repeated leading cells are left blank.
    pub(crate) fn write(&self, output: &mut dyn Write, colour: bool) -> io::Result<()> {
        let lines = || std::iter::once(&self.header).chain(&self.rows);
        let widths: Vec<usize> = (0..self.header.len())
            .map(|column| {
                let cells = lines().filter_map(|row| row.get(column));
                cells
                    .map(|cell| cell.chars().count())
                    .max()
                    .unwrap_or_default()
            })
            .collect();
        let (bold, plain) = if colour {
            ("\x1b[1m", "\x1b[0m")
        } else {
            ("", "")
        };
        writeln!(
            output,
            "{bold}{}{plain}",
            self.line(&self.header, None, &widths)
        )?;
        let mut previous = None;
        for row in &self.rows {
            writeln!(output, "{}", self.line(row, previous, &widths))?;
            previous = Some(row);
        }
        Ok(())
    }

    /// Writes it as Markdown.
    pub(crate) fn write_markdown(&self, output: &mut dyn Write) -> io::Result<()> {
        let row = |cells: &[String]| {
            let cells = cells.iter().map(|cell| cell.replace('|', "\\|"));
            format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule = vec!["---".to_owned(); self.header.len()];
        for line in [&self.header, &rule].into_iter().chain(&self.rows) {
            writeln!(output, "{}", row(line))?;
        }
        Ok(())
    }

    fn line(&self, row: &[String], previous: Option<&Vec<String>>, widths: &[usize]) -> String {
        let mut line = String::new();
        let mut repeats = true;
        for (column, (cell, &width)) in row.iter().zip(widths).enumerate() {
            repeats &= previous.and_then(|row| row.get(column)) == Some(cell);
            // The last of the left columns distinguishes the rows: it is always shown.
            let cell = if repeats && column + 1 < self.left_columns {
                ""
            } else {
                cell
            };
            if column > 0 {
                line.push_str("  ");
            }
            if column < self.left_columns {
                line.push_str(&format!("{cell:width$}"));
            } else {
                line.push_str(&format!("{cell:>width$}"));
            }
        }
        line.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_repeated_heads_are_blank() {
        let mut table = Table::new(2, &["what", "who", "us"]);
        table.push(vec!["get".into(), "a".into(), "1".into()]);
        table.push(vec!["get".into(), "b".into(), "100".into()]);
        let mut output = Vec::new();
        table.write(&mut output, false).unwrap();
        assert_eq!(
            String::from_utf8(output).unwrap(),
            "what  who   us\nget   a      1\n      b    100\n"
        );
    }
}
