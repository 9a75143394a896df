use std::io;

use super::super::console::Console;
use super::Table;
use super::rows::Rows;

/// How a table is laid out.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) left: bool,
    pub(super) no_headers: bool,
    pub(super) with_index: bool,
    pub(super) separator: Option<String>,
    /// Parts are at most this wide; 0 if they may have any width.
    pub(super) max_width: usize,
    /// All columns are this wide; 0 if each is as wide as it needs to be.
    pub(super) column_width: usize,
    /// Whether the headings were written.
    was_printed: bool,
}

impl Layout {
    /// Writes rows, the first time with headings.
    pub(super) fn print(
        &mut self,
        table: &Table,
        rows: &Rows,
        headers_only: bool,
        console: &mut Console,
    ) -> io::Result<()> {
        let mut text = String::new();
        let is_first = !self.was_printed;
        if !self.no_headers && !headers_only && is_first {
            text.push_str(&format!("SNMP table: {}\n\n", table.name));
        }
        let (mut first, mut part) = (0, 0);
        while first < table.columns.len() {
            part += 1;
            if part > 1 && !self.no_headers {
                text.push_str(&format!("\nSNMP table {}, part {part}\n\n", table.name));
            }
            first = self.append_part(table, rows, first, is_first, &mut text);
        }
        self.was_printed = true;
        console.print(&text)
    }

    /// Appends the columns from one on that fit, and returns the first that does not.
    fn append_part(
        &self,
        table: &Table,
        rows: &Rows,
        first: usize,
        is_first: bool,
        out: &mut String,
    ) -> usize {
        let has_headings = !self.no_headers && is_first;
        let mut width = 0;
        if self.with_index && has_headings && self.column_width == 0 {
            width = rows.index_width;
            out.push_str(&self.index("index", rows.index_width));
        }
        let mut last = first;
        for (at, column) in table.columns.iter().enumerate().skip(first) {
            if self.max_width > 0 && self.column_width > 0 {
                if has_headings {
                    self.break_line(at != first, &mut width, out);
                }
            } else if self.max_width > 0 {
                width += column.width + 1;
                if at != first && width > self.max_width {
                    break;
                }
            }
            if has_headings {
                out.push_str(&self.cell(at, &column.label, column.width));
            }
            last = at + 1;
        }
        if has_headings {
            out.push('\n');
        }
        for row in &rows.rows {
            let mut width = 0;
            if self.with_index {
                if self.column_width == 0 {
                    width = rows.index_width;
                }
                out.push_str(&self.index(&row.index, rows.index_width));
            }
            let columns = table.columns.iter().zip(&row.cells).enumerate();
            for (at, (column, cell)) in columns.take(last).skip(first) {
                if self.max_width > 0 && self.column_width > 0 {
                    self.break_line(at != first, &mut width, out);
                }
                let cell = cell.as_deref().unwrap_or("?");
                out.push_str(&self.cell(at, cell, column.width));
            }
            out.push('\n');
        }
        last
    }

    /// Begins a line where columns of one width exceed it.
    fn break_line(&self, may_break: bool, width: &mut usize, out: &mut String) {
        *width += self.column_width + 1;
        if may_break && *width > self.max_width {
            out.push('\n');
            *width = self.column_width + 1;
        }
    }

    fn cell(&self, at: usize, text: &str, width: usize) -> String {
        if self.column_width > 0 {
            let cut: String = text.chars().take(self.column_width).collect();
            return self.padded(&cut, self.column_width + 1);
        }
        match &self.separator {
            None => self.padded(text, width + 1),
            Some(_) if at == 0 && !self.with_index => text.to_owned(),
            Some(separator) => format!("{separator}{text}"),
        }
    }

    fn index(&self, text: &str, width: usize) -> String {
        match &self.separator {
            _ if self.column_width > 0 => format!("\nindex: {text}\n"),
            None => self.padded(text, width),
            Some(_) => text.to_owned(),
        }
    }

    /// Widths count octets, as in C.
    fn padded(&self, text: &str, width: usize) -> String {
        let blanks = " ".repeat(width.saturating_sub(text.len()));
        match self.left {
            true => format!("{text}{blanks}"),
            false => format!("{blanks}{text}"),
        }
    }
}
