//! What to ask for and what becomes of it: the modules and auths of snmp_exporter's `snmp.yml`.

mod auth;
pub(crate) mod date_time;
mod document;
pub(crate) mod duration;
mod error;
mod expression;
mod files;
pub mod generator;
pub(crate) mod metric;
pub(crate) mod rows;
pub(crate) mod syntax;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use regex::Regex;
use varbind::Oid;

pub use auth::Auth;
use document::Document;
pub use error::{Error, Reason};
use generator::Generated;
pub use metric::{Family, FamilyKind, Metric};
use rows::Rows;

/// Modules and auths.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// Credentials by name.
    pub auths: BTreeMap<String, Arc<Auth>>,
    /// Modules by name.
    pub modules: BTreeMap<String, Arc<Module>>,
    document: Arc<Document>,
}

/// What is asked of an agent, and the metrics that the answers become.
#[derive(Debug)]
pub struct Module {
    /// Its name.
    pub name: Arc<str>,
    /// Subtrees that are walked, in order; none lies in another.
    pub walk: Vec<Oid>,
    /// Instances that are asked for.
    pub get: Vec<Oid>,
    /// Objects whose values decide which rows are asked for.
    pub filters: Vec<Filter>,
    /// How agents are asked.
    pub parameters: WalkParameters,
    /// By name of the objects; none begins with another.
    pub(crate) metrics: Vec<Metric>,
    families: Vec<Family>,
    /// How many different ways there are to make labels of an index.
    pub(crate) groups: usize,
}

/// Rows that are asked for depend on the values of an object in them.
#[derive(Debug)]
pub struct Filter {
    /// The object.
    pub oid: Oid,
    /// The objects that are asked for in rows that pass.
    pub targets: Vec<Oid>,
    /// A row passes if its value matches one of these.
    pub values: Vec<Regex>,
}

/// How agents are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkParameters {
    /// The most repetitions of a GetBulkRequest, and the most names of a GetRequest; 0 leaves it to the client.
    pub max_repetitions: u16,
    /// How often a request is sent again.
    pub retries: u32,
    /// How long an answer is waited for before that.
    pub timeout: Duration,
    /// Answers are taken from any address.
    pub use_unconnected_udp_socket: bool,
    /// Names that do not increase are taken.
    pub allow_nonincreasing_oids: bool,
}

impl Default for WalkParameters {
    fn default() -> Self {
        Self {
            max_repetitions: 25,
            retries: 3,
            timeout: Duration::from_secs(5),
            use_unconnected_udp_socket: false,
            allow_nonincreasing_oids: false,
        }
    }
}

impl Configuration {
    /// Reads the text of one file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::new(files::parse(text, None)?, false)
    }

    /// Reads files, whose names may be patterns such as `snmp*.yml`. With `expand`, `$NAME` and `${NAME}` in user names and
    /// passwords are variables of the environment.
    ///
    /// # Errors
    /// What is wrong with which file.
    pub fn load(patterns: &[impl AsRef<Path>], expand: bool) -> Result<Self, Error> {
        Self::new(files::load(patterns)?, expand)
    }

    /// As [`load`](Self::load), with modules and auths that were generated from other files.
    ///
    /// # Errors
    /// What is wrong with which file.
    pub fn load_with(
        patterns: &[impl AsRef<Path>],
        generated: Vec<(PathBuf, Generated)>,
        expand: bool,
    ) -> Result<Self, Error> {
        let mut document = files::load(patterns)?;
        for (path, generated) in generated {
            files::merge(&mut document, generated.document, &path)?;
        }
        Self::new(document, expand)
    }

    fn new(mut document: Document, expand: bool) -> Result<Self, Error> {
        // What is shown must not hold what was put in place of variables.
        let shown = Arc::new(document.clone());
        if expand {
            files::expand_environment(&mut document)?;
        }
        let mut auths = BTreeMap::new();
        for (name, auth) in &document.auths {
            let auth = Auth::new(auth).map_err(|reason| Error::Auth {
                name: name.clone(),
                reason,
            })?;
            auths.insert(name.clone(), Arc::new(auth));
        }
        let mut modules = BTreeMap::new();
        for (name, module) in &document.modules {
            let module = Module::new(name, module).map_err(|reason| Error::Module {
                module: name.clone(),
                reason,
            })?;
            modules.insert(name.clone(), Arc::new(module));
        }
        Ok(Self {
            auths,
            modules,
            document: shown,
        })
    }

    /// The configuration as YAML, without secrets.
    #[must_use]
    pub fn shown(&self) -> String {
        serde_saphyr::to_string(&*self.document).unwrap_or_default()
    }
}

impl Module {
    fn new(name: &str, document: &document::Module) -> Result<Self, Reason> {
        let (metrics, families, groups) = metrics(document.metrics.iter().flatten())?;
        let timeout = match &document.timeout {
            None => WalkParameters::default().timeout,
            Some(text) => {
                duration::parse(text).ok_or_else(|| Reason::Duration { text: text.clone() })?
            }
        };
        let usual = WalkParameters::default();
        let max_repetitions = document
            .max_repetitions
            .map(|count| u16::try_from(count).unwrap_or(u16::MAX));
        Ok(Self {
            name: name.into(),
            walk: subtrees(oids(document.walk.as_ref(), "walk")?),
            get: oids(document.get.as_ref(), "get")?,
            filters: filters(document.filters.iter().flatten())?,
            parameters: WalkParameters {
                max_repetitions: max_repetitions.unwrap_or(usual.max_repetitions),
                retries: document.retries.unwrap_or(usual.retries),
                timeout,
                use_unconnected_udp_socket: document.use_unconnected_udp_socket.unwrap_or_default(),
                allow_nonincreasing_oids: document.allow_nonincreasing_oids.unwrap_or_default(),
            },
            metrics,
            families,
            groups,
        })
    }

    /// The families of all its metrics.
    #[must_use]
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// The metric that an instance is of.
    pub(crate) fn metric(&self, name: &[u32]) -> Option<&Metric> {
        let behind = self
            .metrics
            .partition_point(|metric| metric.oid.arcs() <= name);
        // None begins with another, so there is one candidate.
        let metric = self.metrics.get(behind.checked_sub(1)?)?;
        metric.oid.is_prefix_of(name).then_some(metric)
    }

    /// Whether a subtree may be a single instance: some metric is about it alone.
    pub(crate) fn may_be_instance(&self, root: &Oid) -> bool {
        self.metric(root.arcs()).is_some()
    }
}

/// Compiles metrics. Of two for one object the last counts, and one for a whole subtree hides those in it.
fn metrics<'d>(
    documents: impl Iterator<Item = &'d document::Metric>,
) -> Result<(Vec<Metric>, Vec<Family>, usize), Reason> {
    let mut by_name = BTreeMap::new();
    for document in documents {
        let place = format!("metric {}", document.name);
        by_name.insert(oid(&document.oid, &place)?.arcs().to_vec(), document);
    }
    let mut metrics: Vec<Metric> = Vec::new();
    let mut families = Vec::new();
    let mut known = HashMap::new();
    for (name, document) in by_name {
        let last = metrics.last();
        if last.is_some_and(|last| last.oid.is_prefix_of(&name)) {
            continue;
        }
        let next = known.len();
        let (rows, group) = match known.get(&(&document.indexes, &document.lookups)) {
            Some((rows, group)) => (Arc::clone(rows), *group),
            None => {
                let rows = Arc::new(Rows::new(document)?);
                let key = (&document.indexes, &document.lookups);
                known.insert(key, (Arc::clone(&rows), next));
                (rows, next)
            }
        };
        metrics.push(Metric::new(document, rows, group, &mut families)?);
    }
    let groups = known.len();
    Ok((metrics, families, groups))
}

fn filters<'d>(
    documents: impl Iterator<Item = &'d document::Filter>,
) -> Result<Vec<Filter>, Reason> {
    documents
        .map(|document| {
            let values = document.values.iter().flatten().map(|text| {
                expression::compile(text).map_err(|source| Reason::Expression {
                    place: "filters".to_owned(),
                    text: text.clone(),
                    source,
                })
            });
            Ok(Filter {
                oid: oid(&document.oid, "filters")?,
                targets: oids(document.targets.as_ref(), "filters: targets")?,
                values: values.collect::<Result<_, _>>()?,
            })
        })
        .collect()
}

/// Reads a numeric name.
fn oid(text: &str, place: &str) -> Result<Oid, Reason> {
    let numbers = text.strip_prefix('.').unwrap_or(text);
    numbers.parse().map_err(|source| Reason::Oid {
        place: place.to_owned(),
        text: text.to_owned(),
        source,
    })
}

fn oids(texts: Option<&Vec<String>>, place: &str) -> Result<Vec<Oid>, Reason> {
    let texts = texts.into_iter().flatten();
    texts.map(|text| oid(text, place)).collect()
}

/// The subtrees in order, without those that lie in another.
fn subtrees(mut roots: Vec<Oid>) -> Vec<Oid> {
    roots.sort_unstable_by(|a, b| a.arcs().cmp(b.arcs()));
    roots.dedup_by(|next, before| before.is_prefix_of(next.arcs()));
    roots
}

#[cfg(test)]
mod tests;
