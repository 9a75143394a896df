//! The modules and auths of snmp_exporter's `snmp.yml`: which objects to poll, and their metrics.

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
pub struct ModuleConfiguration {
    /// Credentials by name.
    pub auths: BTreeMap<String, Arc<Auth>>,
    /// Modules by name.
    pub modules: BTreeMap<String, Arc<Module>>,
    document: Arc<Document>,
}

/// The objects to poll, and their metrics.
#[derive(Debug)]
pub struct Module {
    /// Its name.
    pub name: Arc<str>,
    /// Subtrees to walk, sorted; none contains another.
    pub walk: Vec<Oid>,
    /// Instances to get.
    pub get: Vec<Oid>,
    /// Filters, which select rows by the values of an object.
    pub filters: Vec<Filter>,
    /// Parameters of its requests.
    pub parameters: WalkParameters,
    /// Sorted by object; no name is a prefix of another.
    pub(crate) metrics: Vec<Metric>,
    families: Vec<Family>,
    /// The number of distinct `rows` among the metrics.
    pub(crate) groups: usize,
}

/// Selects rows by the values of an object.
#[derive(Debug)]
pub struct Filter {
    /// The object.
    pub oid: Oid,
    /// The objects to poll in rows that pass.
    pub targets: Vec<Oid>,
    /// A row passes if the value matches any of these.
    pub values: Vec<Regex>,
}

/// Parameters of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkParameters {
    /// Maximum of repetitions in a GetBulkRequest and of names in a GetRequest. Without it, the client requests as many
    /// repetitions as a message holds, or 25 without retransmissions, and 25 names. 0 leaves repetitions to the client and
    /// limits names to 1.
    pub max_repetitions: Option<u16>,
    /// Number of retransmissions.
    pub retries: u32,
    /// Time to wait for a response before a retransmission.
    pub timeout: Duration,
    /// Accept responses from any address.
    pub use_unconnected_udp_socket: bool,
    /// Accept names that do not increase.
    pub allow_nonincreasing_oids: bool,
}

impl Default for WalkParameters {
    fn default() -> Self {
        Self {
            max_repetitions: None,
            retries: 3,
            timeout: Duration::from_secs(5),
            use_unconnected_udp_socket: false,
            allow_nonincreasing_oids: false,
        }
    }
}

impl ModuleConfiguration {
    /// Parses the text of one file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::new(files::parse(text, None)?, false)
    }

    /// Reads files, by name or by pattern such as `snmp*.yml`. With `expand`, `$NAME` and `${NAME}` in user names and
    /// passwords are environment variables.
    ///
    /// # Errors
    /// What is wrong with which file.
    pub fn load(patterns: &[impl AsRef<Path>], expand: bool) -> Result<Self, Error> {
        Self::new(files::load(patterns)?, expand)
    }

    /// As [`load`](Self::load), with generated modules and auths.
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
        // `shown` must not contain the values of environment variables.
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
                max_repetitions,
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

    /// The metric of an instance.
    pub(crate) fn metric(&self, name: &[u32]) -> Option<&Metric> {
        let behind = self
            .metrics
            .partition_point(|metric| metric.oid.arcs() <= name);
        // No name is a prefix of another, so there is one candidate.
        let metric = self.metrics.get(behind.checked_sub(1)?)?;
        metric.oid.is_prefix_of(name).then_some(metric)
    }

    /// Whether the root of a subtree may be an instance: a metric covers it.
    pub(crate) fn may_be_instance(&self, root: &Oid) -> bool {
        self.metric(root.arcs()).is_some()
    }
}

/// Compiles metrics. The last metric of an object wins, and a metric of a subtree hides all metrics inside.
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

/// Parses a numeric OBJECT IDENTIFIER.
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

/// The subtrees, sorted, without those inside another.
fn subtrees(mut roots: Vec<Oid>) -> Vec<Oid> {
    roots.sort_unstable_by(|a, b| a.arcs().cmp(b.arcs()));
    roots.dedup_by(|next, before| before.is_prefix_of(next.arcs()));
    roots
}

#[cfg(test)]
mod tests;
