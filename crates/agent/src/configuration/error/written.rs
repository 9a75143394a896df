use std::ops::Range;

use super::may_hold_secret;

/// What stands where the reader of TOML found an error.
pub(super) struct Written<'t> {
    pub(super) line: &'t str,
    /// The header of the table that the line is in; nothing before the first table.
    pub(super) header: &'t str,
    /// The key of the value, unless the value is in a list.
    pub(super) key: Option<&'t str>,
    value: &'t str,
    pub(super) may_be_secret: bool,
}

impl<'t> Written<'t> {
    pub(super) fn at(text: &'t str, span: &Range<usize>) -> Option<Self> {
        let before = text.get(..span.start)?;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let (above, from) = text.split_at_checked(start)?;
        let mut lines = above.lines().map(str::trim);
        let in_front = before.get(start..)?.trim_end();
        let assigned = in_front.strip_suffix('=').map(str::trim_end);
        Some(Self {
            line: from.lines().next()?.trim(),
            header: lines
                .rfind(|line| line.starts_with('['))
                .unwrap_or_default(),
            key: assigned.and_then(|key| key.rsplit([' ', '\t', '{', ',']).next()),
            value: text.get(span.clone())?,
            may_be_secret: may_hold_secret(text, start),
        })
    }

    /// The value, or dots in place of one that may be a secret.
    pub(super) const fn value(&self) -> &'t str {
        if self.may_be_secret { ".." } else { self.value }
    }

    /// The name of the table whose header the line is.
    pub(super) fn table(&self) -> Option<&'t str> {
        table(self.line)
    }

    /// The name of a table that has this key.
    pub(super) fn path(&self, key: &str) -> String {
        match table(self.header) {
            Some(table) => format!("{table}.{key}"),
            None => key.to_owned(),
        }
    }
}

fn table(header: &str) -> Option<&str> {
    let name = header.strip_prefix('[')?.trim_start_matches('[');
    Some(name.split(']').next()?.trim())
}
