//! Labels that are looked up, and filters.

use varbind_mib::{Object, dotted};

use super::error::GenerationProblem;
use super::generation::{Generation, Located, display_hint, enum_values, label_name, line};
use crate::module::document;
use crate::module::syntax::Syntax;

/// Columns of which only some instances are requested, and these instances.
pub(super) type Filtered = Vec<(String, Vec<String>)>;

impl<'m> Generation<'_, 'm> {
    /// Adds the lookups whose indexes a metric has.
    pub(super) fn add_lookups(
        &mut self,
        metrics: &mut [(Object<'m>, document::Metric)],
        filtered: &Filtered,
    ) -> Result<(), Located<GenerationProblem>> {
        for (object, metric) in metrics.iter_mut() {
            let mut dropped = Vec::new();
            for lookup in &self.module.lookups {
                let indexes = metric.indexes.iter().flatten();
                let matching = indexes.filter(|of| lookup.source_indexes.contains(&of.labelname));
                if matching.count() != lookup.source_indexes.len() {
                    continue;
                }
                let at = line(&lookup.lookup);
                let looked_up = self.looked_up(&lookup.lookup.value, object);
                let (column, kind) = looked_up.map_err(|problem| Located(at, problem))?;
                let added = document::Lookup {
                    labels: Some(
                        lookup
                            .source_indexes
                            .iter()
                            .map(|n| label_name(n))
                            .collect(),
                    ),
                    labelname: label_name(column.name()),
                    oid: Some(dotted(column.oid())),
                    kind: Some(kind.to_owned()),
                    display_hint: display_hint(lookup.display_hint.as_deref(), &column),
                    enum_values: enum_values(&column),
                };
                self.chain(&added, metric, at)?;
                self.request_lookup(&column, metric, filtered);
                metric.lookups.get_or_insert_default().push(added);
                if lookup.drop_source_indexes {
                    dropped.extend(&lookup.source_indexes);
                }
            }
            for name in dropped {
                metric
                    .lookups
                    .get_or_insert_default()
                    .push(document::Lookup {
                        labels: Some(Vec::new()),
                        labelname: label_name(name),
                        ..document::Lookup::default()
                    });
            }
            for index in metric.indexes.iter_mut().flatten() {
                index.labelname = label_name(&index.labelname);
            }
        }
        Ok(())
    }

    fn looked_up(
        &self,
        name: &str,
        object: &Object<'m>,
    ) -> Result<(Object<'m>, &str), GenerationProblem> {
        let Some(column) = self.names.lookup(name, object) else {
            let source = self.names.mib.resolve(name).err();
            return Err(match source {
                Some(source) => GenerationProblem::UnknownName {
                    source: Box::new(source),
                },
                None => GenerationProblem::NoObjects {
                    text: name.to_owned(),
                },
            });
        };
        match self.label_kind(&column) {
            Some(kind) => Ok((column, kind)),
            None => Err(GenerationProblem::Type {
                object: name.to_owned(),
                place: "as a label",
            }),
        }
    }

    /// Adds the label of a lookup as an index if another lookup needs it.
    fn chain(
        &self,
        added: &document::Lookup,
        metric: &mut document::Metric,
        line: u64,
    ) -> Result<(), Located<GenerationProblem>> {
        let mut sources = self.module.lookups.iter().flat_map(|of| &of.source_indexes);
        if !sources.any(|name| *name == added.labelname) {
            return Ok(());
        }
        let kind = added.kind.clone().unwrap_or_default();
        if Syntax::of_index(&kind).is_err() {
            let problem = GenerationProblem::Type {
                object: format!("{} with type {kind}", added.labelname),
                place: "as an index of another lookup",
            };
            return Err(Located(line, problem));
        }
        metric
            .indexes
            .get_or_insert_default()
            .push(document::Index {
                labelname: added.labelname.clone(),
                kind,
                enum_values: added.enum_values.clone(),
                ..document::Index::default()
            });
        Ok(())
    }

    /// Requests the column of a lookup. If only some of its instances are requested, the same holds for the metric.
    fn request_lookup(
        &mut self,
        column: &Object<'m>,
        metric: &document::Metric,
        filtered: &Filtered,
    ) {
        let column = dotted(column.oid());
        self.request_beside(&metric.oid, &column);
        if let Some((_, indices)) = filtered.iter().rev().find(|(target, _)| *target == column) {
            self.request_instances(&metric.oid, indices);
        }
    }

    /// Requests instances of a column in place of the whole column.
    pub(super) fn request_instances(&mut self, column: &str, indices: &[String]) {
        self.requested.remove(column);
        for index in indices {
            self.requested.insert(format!("{column}.{index}."));
        }
    }

    /// The columns of static filters.
    pub(super) fn static_filters(&self) -> Result<Filtered, Located<GenerationProblem>> {
        let mut filtered = Vec::new();
        for filter in &self.module.filters.fixed {
            for index in &filter.indices {
                if index.value.parse::<u32>().is_err() {
                    let text = index.value.clone();
                    return Err(Located(line(index), GenerationProblem::Index { text }));
                }
            }
            let indices: Vec<_> = filter.indices.iter().map(|of| of.value.clone()).collect();
            for target in &filter.targets {
                let oid = self.names.oid(&target.value);
                let oid = oid.map_err(|problem| Located(line(target), problem))?;
                filtered.push((oid.to_string(), indices.clone()));
            }
        }
        Ok(filtered)
    }

    /// The filters that the collector applies, by number.
    pub(super) fn dynamic_filters(
        &self,
    ) -> Result<Vec<document::Filter>, Located<GenerationProblem>> {
        let filters = self.module.filters.dynamic.iter().map(|filter| {
            let oid = |text: &String| {
                let oid = self.names.oid(text.strip_prefix('.').unwrap_or(text));
                let oid = oid.map_err(|problem| Located(line(filter), problem))?;
                Ok(oid.to_string())
            };
            let targets = filter.value.targets.iter().flatten().map(oid);
            let targets: Vec<_> = targets.collect::<Result<_, Located<GenerationProblem>>>()?;
            Ok(document::Filter {
                oid: oid(&filter.value.oid)?,
                targets: Some(targets).filter(|targets| !targets.is_empty()),
                values: filter.value.values.clone(),
            })
        });
        filters.collect()
    }
}
