//! Generates a module of `snmp.yml` from one of `generator.yml`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_saphyr::Spanned;
use varbind::Oid;
use varbind_mib::{Access, Object, dotted};

use super::document::{Module, Overrides};
use super::error::GenerationProblem;
use super::kinds;
use super::names::Names;
use crate::module::document::{self, EnumValues};
use crate::module::expression;

/// A line of `generator.yml`, and what is there.
pub(super) struct Located<T>(pub(super) u64, pub(super) T);

/// A module in the making.
pub(super) struct Generation<'g, 'm> {
    pub(super) names: &'g Names<'m>,
    pub(super) module: &'g Module,
    /// Subtrees that are walked, and instances, which end in a full stop.
    pub(super) requested: BTreeSet<String>,
    /// The indexes of single instances that are requested, by column.
    pub(super) instances: HashMap<String, Vec<String>>,
    pub(super) warnings: Vec<Located<String>>,
}

/// Separates subtrees from instances, without those inside others.
fn subtrees_and_instances(requested: &BTreeSet<String>) -> (Vec<String>, Vec<String>) {
    let (mut walk, mut get) = (Vec::new(), Vec::new());
    let mut last = None;
    for name in requested {
        if last
            .as_ref()
            .is_some_and(|last: &String| format!("{name}.").starts_with(last))
        {
            continue;
        }
        match name.strip_suffix('.') {
            Some(instance) => get.push(instance.to_owned()),
            None => {
                walk.push(name.clone());
                last = Some(format!("{name}."));
            }
        }
    }
    (walk, get)
}

/// A name as Prometheus takes it for a metric or label.
pub(super) fn label_name(name: &str) -> String {
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars()
        .map(|c| if valid(c) { c } else { '_' })
        .collect()
}

/// Objects below `root` become metrics; the line says where it is named.
struct Root {
    oid: Oid,
    line: u64,
}

impl<'g, 'm> Generation<'g, 'm> {
    pub(super) fn new(names: &'g Names<'m>, module: &'g Module) -> Self {
        Self {
            names,
            module,
            requested: BTreeSet::new(),
            instances: HashMap::new(),
            warnings: Vec::new(),
        }
    }

    /// Makes the module.
    pub(super) fn run(&mut self) -> Result<document::Module, Located<GenerationProblem>> {
        self.check_overrides()?;
        let mut metrics = Vec::new();
        for root in self.roots()? {
            let names = self.names;
            for object in names.subtree(root.oid.arcs()).filter(has_values) {
                let metric = self.metric(&object, root.line);
                let metric = metric.map_err(|problem| Located(root.line, problem))?;
                metrics.extend(metric.map(|metric| (object, metric)));
            }
        }
        let filtered = self.static_filters()?;
        self.add_lookups(&mut metrics, &filtered)?;
        for (object, metric) in &mut metrics {
            self.check_address(object, metric);
            self.apply_overrides(object, metric)?;
        }
        for (target, indices) in &filtered {
            self.request_instances(target, indices);
        }
        let filters = self.dynamic_filters()?;
        let (walk, get) = subtrees_and_instances(&self.requested);
        let is_there = |list: &Vec<String>| !list.is_empty();
        let module = self.module;
        Ok(document::Module {
            walk: Some(walk).filter(is_there),
            get: Some(get).filter(is_there),
            metrics: Some(metrics.into_iter().map(|(_, metric)| metric).collect()),
            max_repetitions: module.max_repetitions,
            retries: module.retries,
            timeout: module.timeout.clone(),
            use_unconnected_udp_socket: module.use_unconnected_udp_socket,
            allow_nonincreasing_oids: module.allow_nonincreasing_oids,
            filters: Some(filters).filter(|filters| !filters.is_empty()),
        })
    }

    /// Finds the subtrees to walk, without those inside others.
    fn roots(&mut self) -> Result<Vec<Root>, Located<GenerationProblem>> {
        let mut named = BTreeMap::new();
        for entry in &self.module.walk {
            let line = line(entry);
            let text = entry.value.strip_prefix('.').unwrap_or(&entry.value);
            let oid = self.names.oid(text);
            let oid = oid.map_err(|problem| Located(line, problem))?;
            named.insert(oid.arcs().to_vec(), (line, text, oid));
        }
        let mut roots: Vec<(String, Root)> = Vec::new();
        for (arcs, (line, text, oid)) in named {
            let last = roots.last();
            if last.is_some_and(|(_, last)| last.oid.is_prefix_of(&arcs)) {
                continue;
            }
            let oid = self.request(text, oid);
            let oid = oid.map_err(|problem| Located(line, problem))?;
            roots.push((oid.to_string(), Root { oid, line }));
        }
        // The order of snmp_exporter's generator.
        roots.sort_by(|(a, _), (b, _)| a.cmp(b));
        roots.dedup_by(|(a, _), (b, _)| a == b);
        Ok(roots.into_iter().map(|(_, root)| root).collect())
    }

    /// Requests a subtree or an instance. The objects below the result become metrics.
    fn request(&mut self, text: &str, oid: Oid) -> Result<Oid, GenerationProblem> {
        let mib = self.names.mib;
        let nothing = || GenerationProblem::NoObjects {
            text: text.to_owned(),
        };
        let resolved = mib.object(oid.arcs()).ok_or_else(nothing)?;
        let object = resolved.object;
        let is_polled = has_values(&object) && self.kind(&object).is_some();
        let is_column = self.names.row(&object).is_some();
        let name = oid.to_string();
        if resolved.instance.is_empty() {
            let instance = is_polled && !is_column;
            self.requested.insert(match instance {
                true => format!("{name}.0."),
                false => name,
            });
            return Ok(oid);
        }
        if object.syntax().is_none() {
            // A point of the tree without a name.
            self.names.subtree(oid.arcs()).next().ok_or_else(nothing)?;
            self.requested.insert(name);
            return Ok(oid);
        }
        if !is_polled || (!is_column && resolved.instance != [0]) {
            return Err(GenerationProblem::NoInstance {
                text: text.to_owned(),
                object: object.name().to_owned(),
            });
        }
        self.requested.insert(format!("{name}."));
        let instances = self.instances.entry(dotted(object.oid())).or_default();
        instances.push(dotted(resolved.instance));
        Oid::new(object.oid()).map_err(|_| nothing())
    }

    /// The overrides of an object: by its name, its OBJECT IDENTIFIER, or its name with the module.
    fn overrides(&self, object: &Object<'_>) -> Option<&'g Overrides> {
        let all = &self.module.overrides;
        let name = object.name();
        let found = all
            .get(name)
            .or_else(|| all.get(&label_name(name)))
            .or_else(|| all.get(&dotted(object.oid())))
            .or_else(|| all.get(&format!("{}::{name}", object.module())));
        found.map(|overrides| &overrides.value)
    }

    /// The type of a metric of an object.
    pub(super) fn kind(&self, object: &Object<'_>) -> Option<&'g str> {
        match self.overridden_kind(object) {
            Some(kind) => Some(kind),
            None => kinds::of_object(self.names.mib, object),
        }
    }

    fn overridden_kind(&self, object: &Object<'_>) -> Option<&'g str> {
        let kind = self.overrides(object)?.kind.as_ref()?;
        Some(kind.value.as_str())
    }

    /// The type of a label with the values of an object: numbers with names become these.
    pub(super) fn label_kind(&self, object: &Object<'_>) -> Option<&'g str> {
        let kind = self.kind(object)?;
        let stays = kind == "EnumAsStateSet" || self.overridden_kind(object) == Some("gauge");
        let is_named = enum_values(object).is_some() && !stays;
        Some(if is_named { "EnumAsInfo" } else { kind })
    }

    pub(super) fn is_ignored(&self, object: &Object<'_>) -> bool {
        self.overrides(object)
            .is_some_and(|overrides| overrides.ignore)
    }

    fn check_overrides(&mut self) -> Result<(), Located<GenerationProblem>> {
        for (name, overrides) in &self.module.overrides {
            if let Some(kind) = &overrides.value.kind
                && !kinds::OVERRIDES.contains(&kind.value.as_str())
            {
                let problem = GenerationProblem::UnknownType {
                    kind: kind.value.clone(),
                    known: kinds::OVERRIDES.join(", "),
                };
                return Err(Located(line(kind), problem));
            }
            if self.names.object(name).is_none() && !self.names.has_label(name) {
                let text = format!("overrides: no MIB module has an object {name}");
                self.warnings.push(Located(line(overrides), text));
            }
        }
        Ok(())
    }

    fn apply_overrides(
        &self,
        object: &Object<'_>,
        metric: &mut document::Metric,
    ) -> Result<(), Located<GenerationProblem>> {
        let Some(overrides) = self.overrides(object) else {
            return Ok(());
        };
        let mut extracts = BTreeMap::new();
        for (suffix, list) in overrides.regex_extracts.iter().flatten() {
            let list: Result<Vec<_>, _> = list.iter().map(extract).collect();
            extracts.insert(suffix.clone(), list?);
        }
        metric.regex_extracts = Some(extracts).filter(|extracts| !extracts.is_empty());
        metric
            .datetime_pattern
            .clone_from(&overrides.datetime_pattern);
        metric.offset = overrides.offset.filter(|offset| *offset != 0.0);
        metric.scale = overrides.scale.filter(|scale| *scale != 0.0);
        if let Some(help) = &overrides.help {
            metric.help.clone_from(help);
        }
        if let Some(name) = &overrides.name {
            metric.name.clone_from(name);
        }
        metric.display_hint = display_hint(overrides.display_hint.as_deref(), object);
        Ok(())
    }
}

/// A regular expression as snmp_exporter's generator writes it.
fn extract(
    extract: &super::document::Extract,
) -> Result<document::Extract, Located<GenerationProblem>> {
    let regex = &extract.regex.value;
    expression::whole(regex).map_err(|source| {
        let text = regex.clone();
        Located(
            line(&extract.regex),
            GenerationProblem::Expression { text, source },
        )
    })?;
    let value = extract.value.clone();
    Ok(document::Extract {
        value: Some(value.unwrap_or_else(|| "$1".to_owned())),
        regex: format!("^(?:{regex})$"),
    })
}

/// A DISPLAY-HINT of `generator.yml`, or with `@mib` that of the object.
pub(super) fn display_hint(text: Option<&str>, object: &Object<'_>) -> Option<String> {
    match text? {
        "" => None,
        "@mib" => object.syntax()?.display_hint().map(str::to_owned),
        hint => Some(hint.to_owned()),
    }
}

/// Whether an object has instances with values that a manager may read, or may be part of an index.
fn has_values(object: &Object<'_>) -> bool {
    object.syntax().is_some()
        && object
            .access()
            .is_some_and(|access| access != Access::AccessibleForNotify)
}

/// The names of numbers or bits.
pub(super) fn enum_values(object: &Object<'_>) -> Option<EnumValues> {
    let names = object.syntax()?.named_numbers();
    let named = |(name, number): (&str, i32)| (i64::from(number), name.to_owned());
    (!names.is_empty()).then(|| names.iter().map(named).collect())
}

/// The line on which a value stands.
pub(super) fn line<T>(value: &Spanned<T>) -> u64 {
    value.referenced.line()
}
