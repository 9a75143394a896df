use varbind::codec::smi::VarBind;
use varbind_mib::{Mib, OutputOptions, dotted, escape_controls, format_value};

use super::heading::{common_prefix, short};
use super::rows::{Row, Rows};

/// How a table is shown to people.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// The columns of a line at most; the rest of the table follows in parts.
    pub(crate) width: Option<usize>,
    /// Between two columns, without any padding.
    pub(crate) separator: Option<String>,
    /// The width of every column; longer content is cut.
    pub(crate) column_width: Option<usize>,
    /// Show the instance identifier.
    pub(crate) with_instance: bool,
    pub(crate) full_names: bool,
    pub(crate) without_header: bool,
    pub(crate) header_only: bool,
    /// All columns left-justified, also numbers.
    pub(crate) left: bool,
}

/// A column as text.
pub(super) struct Text {
    pub(super) heading: String,
    pub(super) cells: Vec<String>,
    pub(super) is_number: bool,
    /// Of the widest cell, or of the heading.
    pub(super) width: usize,
}

impl Text {
    fn new(heading: String, cells: Vec<String>) -> Self {
        let is_number = |cell: &String| {
            let digits = cell.trim_start_matches('-');
            cell == MISSING
                || digits
                    .bytes()
                    .all(|octet| octet.is_ascii_digit() || octet == b'.')
        };
        Self {
            is_number: cells.iter().all(is_number),
            width: cells
                .iter()
                .map(|cell| width(cell))
                .fold(width(&heading), usize::max),
            heading,
            cells,
        }
    }
}

impl Text {
    /// Makes the column this wide, and cuts what is longer.
    fn cut(&mut self, width: usize) {
        self.width = width;
        for text in self.cells.iter_mut().chain([&mut self.heading]) {
            if let Some((at, _)) = text.char_indices().nth(width) {
                text.truncate(at);
            }
        }
    }
}

pub(super) fn width(text: &str) -> usize {
    text.chars().count()
}

/// Stands for a value that the agent does not have.
const MISSING: &str = "?";
pub(super) const GAP: &str = "  ";

impl Layout {
    /// Appends the table to `out`.
    pub(crate) fn append(
        &self,
        mib: &Mib,
        options: &OutputOptions,
        rows: &Rows<'_>,
        out: &mut String,
    ) {
        let (mut index, mut columns) = self.texts(mib, options, rows);
        if let Some(width) = self.column_width {
            for text in index.iter_mut().chain(&mut columns) {
                text.cut(width);
            }
        }
        let title = rows.table().object();
        let title = format!("{}::{}", title.module(), title.name());
        let count = if self.header_only { 0 } else { rows.len() };
        let parts = self.parts(&index, &columns);
        for (number, part) in parts.iter().enumerate() {
            if !self.without_header {
                match number {
                    0 => out.push_str(&format!("SNMP table: {title}\n\n")),
                    _ => out.push_str(&format!("\nSNMP table {title}, part {}\n\n", number + 1)),
                }
            }
            let shown: Vec<&Text> = index.iter().chain(part.iter().copied()).collect();
            if !self.without_header {
                self.append_line(&shown, |text| &text.heading, out);
            }
            for at in 0..count {
                self.append_line(
                    &shown,
                    |text| text.cells.get(at).map_or("", String::as_str),
                    out,
                );
            }
        }
    }

    /// The columns of the index, and the others.
    pub(super) fn texts(
        &self,
        mib: &Mib,
        options: &OutputOptions,
        rows: &Rows<'_>,
    ) -> (Vec<Text>, Vec<Text>) {
        let columns = rows.columns();
        let names: Vec<String> = columns.iter().map(|column| column.name()).collect();
        let mut all: Vec<&str> = names.iter().map(String::as_str).collect();
        if all.is_empty() {
            all = rows.index_names();
        }
        let prefix = if self.full_names {
            ""
        } else {
            common_prefix(rows.table().row().name(), &all)
        };
        let heading = |name: &str| short(name, prefix).to_owned();
        let mut index = Vec::new();
        if self.with_instance || !rows.index_is_valid() {
            let names = rows.rows().map(|row| dotted(row.instance)).collect();
            index.push(Text::new("index".to_owned(), names));
        }
        for (at, name) in rows.index_names().into_iter().enumerate() {
            let part = |row: Row<'_>| {
                let shown = rows.table().index().show(row.instance);
                shown
                    .and_then(|parts| parts.into_iter().nth(at))
                    .map(|part| escape_controls(&part).into_owned())
                    .unwrap_or_default()
            };
            index.push(Text::new(heading(name), rows.rows().map(part).collect()));
        }
        let mut quick = options.clone();
        quick.quick = true;
        quick.quick_with_equals = true;
        let texts = columns.iter().zip(&names).map(|(column, name)| {
            let cell = |row: Row<'_>| match column.cell(&row) {
                None => MISSING.to_owned(),
                Some(VarBind { name, value }) => {
                    let mut shown = String::new();
                    format_value(mib, &quick, name.arcs(), value.as_value_ref(), &mut shown);
                    one_line(&shown)
                }
            };
            Text::new(heading(name), rows.rows().map(cell).collect())
        });
        (index, texts.collect())
    }

    /// Which columns go side by side.
    fn parts<'t>(&self, index: &[Text], columns: &'t [Text]) -> Vec<Vec<&'t Text>> {
        let taken = |text: &Text| text.width + GAP.len();
        let fixed: usize = index.iter().map(taken).sum();
        let limit = match (self.width, &self.separator) {
            (Some(width), None) => width + GAP.len(),
            _ => usize::MAX,
        };
        let mut parts = vec![Vec::new()];
        let mut used = fixed;
        for column in columns {
            let width = taken(column);
            if used + width > limit && parts.last().is_some_and(|part| !part.is_empty()) {
                parts.push(Vec::new());
                used = fixed;
            }
            used += width;
            if let Some(part) = parts.last_mut() {
                part.push(column);
            }
        }
        parts
    }

    fn append_line<'t>(
        &self,
        texts: &[&'t Text],
        cell: impl Fn(&'t Text) -> &'t str,
        out: &mut String,
    ) {
        for (at, text) in texts.iter().enumerate() {
            let content = cell(text);
            if let Some(separator) = &self.separator {
                out.push_str(if at > 0 { separator } else { "" });
                out.push_str(content);
                continue;
            }
            out.push_str(if at > 0 { GAP } else { "" });
            let padding = text.width.saturating_sub(width(content));
            let is_right = text.is_number && !self.left;
            if is_right {
                out.extend(std::iter::repeat_n(' ', padding));
            }
            out.push_str(content);
            if !is_right && at + 1 < texts.len() {
                out.extend(std::iter::repeat_n(' ', padding));
            }
        }
        out.push('\n');
    }
}

fn one_line(text: &str) -> String {
    let text = text.trim_end();
    if text.contains(['\n', '\r']) {
        text.split(['\n', '\r'])
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    } else {
        text.to_owned()
    }
}
