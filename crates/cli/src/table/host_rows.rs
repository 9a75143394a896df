use varbind_mib::{Mib, OutputOptions, escape_controls};

use super::layout::{GAP, Layout, Text, width};
use super::rows::Rows;

/// Rows of many hosts, as they come: each line begins with the host. Headings appear where the columns are others than before.
pub(crate) struct HostRows {
    layout: Layout,
    host_width: usize,
    headings: Vec<String>,
    /// Columns never get narrower.
    widths: Vec<usize>,
}

const HOST: &str = "host";

impl HostRows {
    /// `host_width` is that of the names of hosts.
    pub(crate) fn new(host_width: usize, full_names: bool) -> Self {
        Self {
            layout: Layout {
                full_names,
                ..Layout::default()
            },
            host_width: host_width.max(HOST.len()),
            headings: Vec::new(),
            widths: Vec::new(),
        }
    }

    /// Appends the rows of a host.
    pub(crate) fn append(
        &mut self,
        mib: &Mib,
        options: &OutputOptions,
        host: &str,
        rows: &Rows<'_>,
        out: &mut String,
    ) {
        let host = escape_controls(host);
        let indent = self.host_width;
        if rows.len() == 0 {
            out.push_str(&format!("{host:<indent$}{GAP}no rows\n"));
            return;
        }
        let (index, columns) = self.layout.texts(mib, options, rows);
        let texts: Vec<Text> = index.into_iter().chain(columns).collect();
        let headings: Vec<_> = texts.iter().map(|text| text.heading.clone()).collect();
        if headings != self.headings {
            if !self.headings.is_empty() {
                out.push('\n');
            }
            self.headings = headings;
            self.widths = texts.iter().map(|text| text.width).collect();
            self.append_line(HOST, &texts, |text| &text.heading, out);
        }
        for (width, text) in self.widths.iter_mut().zip(&texts) {
            *width = text.width.max(*width);
        }
        for at in 0..rows.len() {
            let cell = |text: &'_ Text| text.cells.get(at).cloned().unwrap_or_default();
            self.append_line(&host, &texts, cell, out);
        }
    }

    fn append_line<'t, C: AsRef<str>>(
        &self,
        host: &str,
        texts: &'t [Text],
        cell: impl Fn(&'t Text) -> C,
        out: &mut String,
    ) {
        let indent = self.host_width;
        let mut line = format!("{host:<indent$}");
        for (text, full) in texts.iter().zip(&self.widths) {
            let content = cell(text);
            let content = content.as_ref();
            let padding = " ".repeat(full.saturating_sub(width(content)));
            line.push_str(GAP);
            match text.is_number {
                true => line.extend([&padding, content]),
                false => line.extend([content, &padding]),
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}
