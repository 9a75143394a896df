use std::mem;

use varbind::codec::smi::Oid;
use varbind_mib::{Kind, Mib, ResolveError};

use super::console::Console;
use super::words::UNKNOWN_OBJECT;

/// How names are read, and what the last one that was looked for in vain left behind.
pub(super) struct Names<'m> {
    mib: &'m Mib,
    prefix: String,
    suffix: String,
    /// Stands before names that do not begin with a dot (`-Iu`).
    ucd_prefix: Option<&'static str>,
    best_match: bool,
    /// Net-SNMP's library keeps this until an error is told, whichever it is: a name that is not a path from the top is
    /// looked for in vain first, and scripts know what then stands behind other errors.
    detail: Option<String>,
}

/// How names are read, as `-I` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct InputOptions {
    pub(super) prefix: String,
    pub(super) suffix: String,
    pub(super) ucd: bool,
    pub(super) best_match: bool,
    pub(super) random: bool,
    pub(super) no_range_check: bool,
}

const MIB_2: &str = ".1.3.6.1.2.1.";

impl<'m> Names<'m> {
    pub(super) fn new(mib: &'m Mib, options: &InputOptions) -> Self {
        Self {
            mib,
            prefix: options.prefix.clone(),
            suffix: options.suffix.clone(),
            ucd_prefix: options.ucd.then_some(MIB_2),
            best_match: options.best_match,
            detail: None,
        }
    }

    /// What stands behind the next error.
    pub(super) fn take_detail(&mut self) -> Option<String> {
        mem::take(&mut self.detail)
    }

    pub(super) fn set_detail(&mut self, detail: impl Into<String>) {
        self.detail = Some(detail.into());
    }

    /// Reads a name as tools with an agent do: anywhere in the tree.
    pub(super) fn read(&mut self, text: &str) -> Option<Oid> {
        let text = self.affixed(text);
        if self.best_match && !text.contains(':') {
            return self.best(&text);
        }
        if is_label(&text) && !self.is_root(&text) {
            let first = text.split('.').next().unwrap_or_default();
            self.detail = Some(format!("Sub-id not found: (top) -> {first}"));
        }
        self.resolve(&text)
    }

    /// Reads a name as snmptranslate does without options: from the top of the tree.
    pub(super) fn read_from_top(&mut self, text: &str) -> Option<Oid> {
        if is_label(text) && !self.is_root(text) {
            let first = text.split('.').next().unwrap_or_default();
            self.detail = Some(format!("Sub-id not found: (top) -> {first}"));
            return None;
        }
        self.resolve(text)
    }

    /// The object whose name fits a pattern best.
    pub(super) fn best(&self, pattern: &str) -> Option<Oid> {
        crate::command::matching_objects(self.mib, pattern)?
            .into_iter()
            .next()
    }

    fn affixed(&self, text: &str) -> String {
        let dot = match self.suffix.as_str() {
            "" => "",
            suffix if suffix.starts_with('.') => "",
            _ => ".",
        };
        let text = format!("{}{text}{dot}{}", self.prefix, self.suffix);
        match self.ucd_prefix {
            Some(prefix) if !text.starts_with('.') && !text.contains(':') => {
                format!("{prefix}{text}")
            }
            _ => text,
        }
    }

    /// Whether a path begins with one of the three roots.
    fn is_root(&self, text: &str) -> bool {
        let first = text.split('.').next().unwrap_or_default();
        let object = self.mib.named(first);
        object.is_some_and(|object| object.oid().len() == 1)
    }

    fn resolve(&mut self, text: &str) -> Option<Oid> {
        let error = match self.mib.resolve(text) {
            Ok(name) => return Some(name),
            Err(error) => error,
        };
        if let Some(detail) = self.detail_of(text, &error) {
            self.detail = Some(detail);
        }
        None
    }

    fn detail_of(&self, text: &str, error: &ResolveError) -> Option<String> {
        Some(match error {
            ResolveError::UnknownName { name, .. } => {
                format!("Sub-id not found: (top) -> {name}")
            }
            ResolveError::NotBelow { parent, name } => {
                format!("Sub-id not found: {parent} -> {name}")
            }
            ResolveError::BadIndex { column, part, .. } => {
                format!("Index out of range: {part} ({column})")
            }
            ResolveError::NotANumber { part, .. } => match self.above(text, part) {
                Some(above) => format!("Sub-id not found: {above} -> {part}"),
                None => part.clone(),
            },
            _ => return None,
        })
    }

    /// The known object that a part would be below, if others can be below it.
    fn above(&self, text: &str, part: &str) -> Option<String> {
        let text = text.strip_prefix('.').unwrap_or(text);
        let before = text.split('.').take_while(|other| *other != part);
        let before: Vec<&str> = before.collect();
        if before.is_empty() {
            return Some("(top)".to_owned());
        }
        let above = self.mib.resolve(&before.join(".")).ok()?;
        let object = self.mib.object_at(above.arcs())?;
        let has_children = matches!(object.kind(), Kind::Node | Kind::Table | Kind::Row);
        has_children.then(|| object.name().to_owned())
    }

    /// Reads a name, or says why it cannot be read.
    pub(super) fn read_or_log(&mut self, text: &str, console: &mut Console) -> Option<Oid> {
        let name = self.read(text);
        if name.is_none() {
            self.log_error(text, UNKNOWN_OBJECT, console);
        }
        name
    }

    /// Tells an error of the library about something, with what was left behind.
    pub(super) fn log_error(&mut self, subject: &str, words: &str, console: &mut Console) {
        let text = match self.take_detail() {
            Some(detail) => format!("{subject}: {words} ({detail})\n"),
            None => format!("{subject}: {words}\n"),
        };
        console.log(&text);
    }
}

/// Whether a name begins with a label and names no module.
fn is_label(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && !text.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, options: &InputOptions) -> (Option<String>, Option<String>) {
        let mib = Mib::builtin();
        let mut names = Names::new(&mib, options);
        let name = names.read(text).map(|name| name.to_string());
        (name, names.take_detail())
    }

    #[test]
    fn names_leave_behind_what_net_snmp_leaves_behind() {
        for (text, name, detail) in [
            (
                "sysDescr.0",
                "1.3.6.1.2.1.1.1.0",
                "Sub-id not found: (top) -> sysDescr",
            ),
            ("SNMPv2-MIB::sysDescr.0", "1.3.6.1.2.1.1.1.0", ""),
            ("iso.3.6", "1.3.6", ""),
            ("1.3.6.1", "1.3.6.1", ""),
            ("sysDecsr.0", "", "Sub-id not found: (top) -> sysDecsr"),
            ("IF-MIB::nope.1", "", ""),
            ("NO-MIB::ifDescr.1", "", ""),
            ("1.3.x.1", "", "Sub-id not found: org -> x"),
            ("1..3", "", "Sub-id not found: iso -> "),
        ] {
            let text_of = |text: Option<String>| text.unwrap_or_default();
            let (found, left) = read(text, &InputOptions::default());
            assert_eq!(
                (text_of(found).as_str(), text_of(left).as_str()),
                (name, detail),
                "{text}"
            );
        }
    }

    #[test]
    fn affixes_and_ucd_style_complete_names() {
        let options = |prefix: &str, suffix: &str, ucd| InputOptions {
            prefix: prefix.to_owned(),
            suffix: suffix.to_owned(),
            ucd,
            ..InputOptions::default()
        };
        for (text, options, name) in [
            ("sysDescr", options("", "0", false), "1.3.6.1.2.1.1.1.0"),
            ("sysDescr", options("", ".0", false), "1.3.6.1.2.1.1.1.0"),
            ("Descr.0", options("sys", "", false), "1.3.6.1.2.1.1.1.0"),
            ("1.1.0", options("", "", true), "1.3.6.1.2.1.1.1.0"),
            (".1.3", options("", "", true), "1.3"),
        ] {
            assert_eq!(read(text, &options).0.as_deref(), Some(name), "{text}");
        }
    }
}
