//! Makes a metric from an object of a MIB module.

use varbind_mib::{Object, dotted};

use super::error::GenerationProblem;
use super::generation::{Generation, Located, enum_values, label_name};
use super::kinds::{self, COMBINED};
use crate::module::document;
use crate::module::syntax::Syntax;

impl<'m> Generation<'_, 'm> {
    /// The metric of an object; `None` if it is ignored or has no metric type.
    pub(super) fn metric(
        &mut self,
        object: &Object<'m>,
        line: u64,
    ) -> Result<Option<document::Metric>, GenerationProblem> {
        let Some(kind) = self.kind(object) else {
            return Ok(None);
        };
        if self.is_ignored(object) {
            return Ok(None);
        }
        let indexes = match self.names.row(object) {
            Some(row) => match self.indexes(object, &row, line)? {
                Some(indexes) => indexes,
                None => return Ok(None),
            },
            None => Vec::new(),
        };
        let oid = dotted(object.oid());
        let description = first_sentence(object.description().unwrap_or_default());
        Ok(Some(document::Metric {
            name: label_name(object.name()),
            kind: kind.to_owned(),
            help: format!("{description} - {oid}"),
            oid,
            indexes: Some(indexes).filter(|indexes| !indexes.is_empty()),
            enum_values: enum_values(object),
            ..document::Metric::default()
        }))
    }

    /// The index of a row; `None`, and a warning, if it cannot be read from names.
    fn indexes(
        &mut self,
        object: &Object<'m>,
        row: &Object<'m>,
        line: u64,
    ) -> Result<Option<Vec<document::Index>>, GenerationProblem> {
        let mut indexes: Vec<document::Index> = Vec::new();
        // The textual conventions of the preceding parts, nearest last.
        let mut conventions: Vec<&str> = Vec::new();
        let parts = row.index().map(|index| index.parts());
        for part in parts.iter().flat_map(|parts| parts.iter()) {
            let name = part.name();
            let found = self.names.index(name, row);
            let Some((column, kind)) =
                found.and_then(|column| Some((column, self.label_kind(&column)?)))
            else {
                self.leave_out(object, line, &format!("its index {name} cannot be used"));
                return Ok(None);
            };
            if Syntax::of_index(kind).is_err() {
                return Err(GenerationProblem::Type {
                    object: format!("{name} with type {kind}"),
                    place: "as an index",
                });
            }
            if let Some((_, needed)) = COMBINED.iter().find(|(combined, _)| *combined == kind) {
                let behind = conventions.iter().rev().take(2);
                let Some(back) = behind.into_iter().position(|known| known == needed) else {
                    let reason = format!("no {needed} comes before its index {name}");
                    self.leave_out(object, line, &reason);
                    return Ok(None);
                };
                // The discriminator is part of the address.
                indexes.truncate(indexes.len().saturating_sub(back + 1));
            }
            let convention = column.syntax().and_then(|of| of.textual_convention());
            conventions.push(convention.unwrap_or_default());
            indexes.push(document::Index {
                labelname: name.to_owned(),
                kind: kind.to_owned(),
                fixed_size: kinds::fixed_size(self.names.mib, &column),
                implied: part.is_implied().then_some(true),
                enum_values: enum_values(&column),
            });
        }
        Ok(Some(indexes))
    }

    fn leave_out(&mut self, object: &Object<'_>, line: u64, reason: &str) {
        let text = format!("{} is left out: {reason}", object.name());
        self.warnings.push(Located(line, text));
    }

    /// An address needs the object before it, which says of what kind it is; without one it is octets.
    pub(super) fn check_address(&mut self, object: &Object<'m>, metric: &mut document::Metric) {
        if !matches!(
            metric.kind.as_str(),
            "InetAddress" | "InetAddressMissingSize"
        ) {
            return;
        }
        let mut before = object.oid().to_vec();
        if let Some(last) = before.last_mut() {
            *last = last.saturating_sub(1);
        }
        let kind = self.names.mib.object_at(&before);
        let convention = kind.and_then(|kind| kind.syntax()?.textual_convention());
        if convention == Some("InetAddressType") {
            self.request_beside(&metric.oid, &dotted(&before));
        } else {
            "OctetString".clone_into(&mut metric.kind);
        }
    }

    /// Requests the same instances of another column as of this one, or all.
    pub(super) fn request_beside(&mut self, column: &str, other: &str) {
        match self.instances.get(column) {
            Some(instances) => {
                for instance in instances {
                    self.requested.insert(format!("{other}.{instance}."));
                }
            }
            None => {
                self.requested.insert(other.to_owned());
            }
        }
    }
}

/// The first sentence of a description, on one line.
fn first_sentence(description: &str) -> String {
    let words: Vec<_> = description.split_whitespace().collect();
    let line = words.join(" ");
    match line.split_once(". ") {
        Some((sentence, _)) => sentence.to_owned(),
        None => line,
    }
}
