use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use varbind::Oid;

use super::Number;
use crate::module::metric::Metric;
use crate::module::{Family, Module};

/// Names and values of labels, sorted by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LabelSet {
    names: Arc<[Arc<str>]>,
    /// The label sets of one row share them.
    values: Box<[Arc<str>]>,
}

impl LabelSet {
    pub(crate) fn new(names: Arc<[Arc<str>]>, values: Vec<Arc<str>>) -> Self {
        Self {
            names,
            values: values.into(),
        }
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let names = self.names.iter().map(|name| &**name);
        names.zip(self.values.iter().map(|value| &**value))
    }

    pub(super) fn values(&self) -> &[Arc<str>] {
        &self.values
    }
}

/// A sample among [`Samples`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    family: u32,
    /// The place of its label set.
    pub(crate) labels: u32,
    /// The value.
    pub value: Number,
}

/// A sample with its family and labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleRef<'s> {
    /// The family.
    pub family: &'s Family,
    /// Its labels.
    pub labels: &'s LabelSet,
    /// The value.
    pub value: Number,
}

impl SampleRef<'_> {
    /// Whether two samples of one poll belong to the same row: they share their labels.
    #[must_use]
    pub fn is_same_row(&self, other: &Self) -> bool {
        std::ptr::eq(self.labels, other.labels)
    }
}

/// The series of a module from the objects of an agent. Samples of one row share their labels.
#[derive(Clone, Debug)]
pub struct Samples {
    module: Arc<Module>,
    label_sets: Vec<LabelSet>,
    samples: Vec<Sample>,
    faults: Vec<Fault>,
    fault_count: u64,
    objects: usize,
}

/// A value that was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The instance.
    pub name: Vec<u32>,
    /// Why.
    pub reason: FaultReason,
}

/// Why a value was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultReason {
    /// The value is not a date and time.
    #[error("the value is not a date and time")]
    NoTime,
    /// The value of BITS is not an OCTET STRING.
    #[error("the value of BITS is not an OCTET STRING")]
    NoBits,
    /// Another row has the same labels.
    #[error("another row has the same labels: keep an index as a label")]
    Duplicate,
    /// A label would occur twice.
    #[error("an index has the name of the metric: rename the label of the index")]
    LabelTwice,
}

/// Limit of the faults that are kept; all are counted.
const KEPT_FAULTS: usize = 16;

impl Samples {
    pub(super) fn new(module: Arc<Module>, objects: usize) -> Self {
        Self {
            module,
            label_sets: Vec::new(),
            samples: Vec::with_capacity(objects),
            faults: Vec::new(),
            fault_count: 0,
            objects,
        }
    }

    /// A single sample of the first family of a module.
    pub(crate) fn single(module: &Arc<Module>, labels: LabelSet, value: Number) -> Self {
        let mut samples = Self::new(Arc::clone(module), 1);
        let labels = samples.add_label_set(labels);
        samples.push(0, labels, value);
        samples
    }

    /// The module.
    #[must_use]
    pub fn module(&self) -> &Arc<Module> {
        &self.module
    }

    /// How many samples there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// How many objects the samples come from.
    #[must_use]
    pub fn objects(&self) -> usize {
        self.objects
    }

    /// The rejected values: the first few, and their total number.
    #[must_use]
    pub fn faults(&self) -> (&[Fault], u64) {
        (&self.faults, self.fault_count)
    }

    /// All samples, in the order of their objects.
    pub fn iter(&self) -> impl Iterator<Item = SampleRef<'_>> {
        self.samples.iter().filter_map(|sample| {
            Some(SampleRef {
                family: self.module.families().get(sample.family as usize)?,
                labels: self.label_sets.get(sample.labels as usize)?,
                value: sample.value,
            })
        })
    }

    /// Samples that follow each other and are of one family.
    pub(crate) fn by_family(&self) -> impl Iterator<Item = (&Family, &[Sample])> {
        let runs = self.samples.chunk_by(|a, b| a.family == b.family);
        runs.filter_map(|samples| {
            let family = samples.first()?.family;
            Some((self.module.families().get(family as usize)?, samples))
        })
    }

    pub(crate) fn label_sets(&self) -> &[LabelSet] {
        &self.label_sets
    }

    /// All samples, grouped by label set.
    #[must_use]
    pub fn by_row(&self) -> Vec<SampleRef<'_>> {
        let mut samples: Vec<_> = self.samples.iter().collect();
        samples.sort_by_key(|sample| sample.labels);
        let samples = samples.into_iter().filter_map(|sample| {
            Some(SampleRef {
                family: self.module.families().get(sample.family as usize)?,
                labels: self.label_sets.get(sample.labels as usize)?,
                value: sample.value,
            })
        });
        samples.collect()
    }

    pub(super) fn push(&mut self, family: usize, labels: u32, value: Number) {
        let family = u32::try_from(family).unwrap_or(u32::MAX);
        self.samples.push(Sample {
            family,
            labels,
            value,
        });
    }

    pub(super) fn add_label_set(&mut self, labels: LabelSet) -> u32 {
        self.label_sets.push(labels);
        u32::try_from(self.label_sets.len() - 1).unwrap_or(u32::MAX)
    }

    /// A label set by its place.
    pub(super) fn label_set(&self, at: u32) -> &LabelSet {
        static EMPTY: std::sync::LazyLock<LabelSet> =
            std::sync::LazyLock::new(|| LabelSet::new(Arc::new([]), Vec::new()));
        self.label_sets.get(at as usize).unwrap_or(&EMPTY)
    }

    pub(super) fn fault(&mut self, metric: &Metric, index: &[u32], reason: FaultReason) {
        self.fault_count += 1;
        if self.faults.len() < KEPT_FAULTS {
            let name = [metric.oid.arcs(), index].concat();
            self.faults.push(Fault { name, reason });
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match Oid::new(&self.name) {
            Ok(name) => write!(f, "{name}: {}", self.reason),
            Err(_) => self.reason.fmt(f),
        }
    }
}

/// Finds duplicate series.
#[derive(Debug, Default)]
pub(super) struct Collision {
    hasher: RandomState,
    /// Label sets by family and hash.
    known: HashMap<(usize, u64), Vec<u32>>,
}

impl Collision {
    pub(super) fn is_new(&mut self, family: usize, labels: u32, samples: &Samples) -> bool {
        let set = samples.label_set(labels);
        let hash = self.hasher.hash_one(set);
        match self.known.entry((family, hash)) {
            Entry::Vacant(place) => {
                place.insert(vec![labels]);
                true
            }
            Entry::Occupied(mut known) => {
                let mut sets = known.get().iter().map(|known| samples.label_set(*known));
                let is_new = !sets.any(|known| known == set);
                if is_new {
                    known.get_mut().push(labels);
                }
                is_new
            }
        }
    }
}
