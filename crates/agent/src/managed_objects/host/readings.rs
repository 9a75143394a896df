//! Managed objects that are read from the host as a whole: readings run aside, requests are answered from the last one.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use varbind_codec::smi::{Oid, Value};
use varbind_engine::instrumentation::{ManagedObject, ReadError, Reply, RequestContext};

use crate::operating_system::ReaderThreads;

/// How long a request waits for a reading. What takes longer answers later requests.
const PATIENCE: Duration = Duration::from_millis(20);
/// The same for the first reading, without which there is no answer at all.
const FIRST_PATIENCE: Duration = Duration::from_millis(250);

/// How long a reader may take that runs where the request is answered.
const PROMPT: Duration = Duration::from_millis(2);

/// The instances of some objects at one moment. All names are in one allocation, since tables have tens of thousands.
///
/// Invariant: once sorted, names ascend, each once.
#[derive(Debug, Default)]
pub(crate) struct Instances {
    names: Vec<u32>,
    list: Vec<Instance>,
    /// Where in the list the latest answer to a get-next was: mostly the next request asks for what follows it.
    latest: AtomicUsize,
}

#[derive(Debug)]
struct Instance {
    /// Where its name is in all names.
    name: Range<u32>,
    value: Value,
}

impl Instance {
    fn name<'a>(&self, names: &'a [u32]) -> &'a [u32] {
        let place = self.name.start as usize..self.name.end as usize;
        names.get(place).unwrap_or_default()
    }
}

impl Instances {
    /// Adds the instance of a scalar.
    pub(crate) fn scalar(&mut self, object: &[u32], value: Value) {
        self.instance(object, &[0], value);
    }

    /// Adds the instance of `object` with this index.
    pub(crate) fn instance(&mut self, object: &[u32], index: &[u32], value: Value) {
        self.add(&[object, index], value);
    }

    fn add(&mut self, name: &[&[u32]], value: Value) {
        let start = self.names.len();
        name.iter().for_each(|part| self.names.extend(*part));
        if let (Ok(start), Ok(end)) = (start.try_into(), self.names.len().try_into()) {
            let name = start..end;
            self.list.push(Instance { name, value });
        }
    }

    /// Adds scalars of a group, each with its last sub-identifier.
    pub(super) fn group(&mut self, group: &[u32], scalars: impl IntoIterator<Item = (u32, Value)>) {
        for (number, value) in scalars {
            self.instance(group, &[number, 0], value);
        }
    }

    /// Adds the columns of a row.
    pub(crate) fn row(
        &mut self,
        entry: &[u32],
        index: &[u32],
        columns: impl IntoIterator<Item = (u32, Value)>,
    ) {
        for (column, value) in columns {
            self.add(&[entry, &[column], index], value);
        }
    }

    /// Brings the instances in order, once all are added.
    pub(crate) fn sort(&mut self) {
        // Of two rows with one index, the first counts.
        let Self { names, list, .. } = self;
        list.sort_by(|a, b| a.name(names).cmp(b.name(names)));
        list.dedup_by(|a, b| a.name(names) == b.name(names));
        list.shrink_to_fit();
        names.shrink_to_fit();
    }

    pub(super) fn get(&self, name: &[u32]) -> Option<&Value> {
        let found = |instance: &Instance| instance.name(&self.names).cmp(name);
        let at = self.list.binary_search_by(found).ok()?;
        Some(&self.list.get(at)?.value)
    }

    /// All instances, in order.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u32], &Value)> {
        let list = self.list.iter();
        list.map(|instance| (instance.name(&self.names), &instance.value))
    }

    #[cfg(test)]
    pub(super) const fn len(&self) -> usize {
        self.list.len()
    }

    /// The first instance with a name behind this one.
    fn behind(&self, name: &[u32]) -> Option<(&[u32], &Value)> {
        let is_before = |instance: &Instance| instance.name(&self.names) <= name;
        let latest = self.latest.load(Ordering::Relaxed);
        let at = match self.list.get(latest) {
            Some(instance) if instance.name(&self.names) == name => latest + 1,
            _ => self.list.partition_point(is_before),
        };
        let instance = self.list.get(at)?;
        self.latest.store(at, Ordering::Relaxed);
        Some((instance.name(&self.names), &instance.value))
    }

    /// Answers a get of an instance.
    pub(crate) fn answer(&self, name: &[u32], reply: &mut Reply<'_, '_>) -> Result<(), ReadError> {
        let value = self.get(name).ok_or(ReadError::NoSuchInstance)?;
        reply.value(value.as_value_ref());
        Ok(())
    }

    /// Answers a get of the first instance behind `name` that is below `root`, if there is one.
    pub(crate) fn answer_next(&self, root: &[u32], name: &[u32], reply: &mut Reply<'_, '_>) {
        if let Some((name, value)) = self.behind(name.max(root))
            && name.starts_with(root)
        {
            reply.name().set(name);
            reply.value(value.as_value_ref());
        }
    }
}

/// Reads some objects, adding their instances.
type Read = dyn Fn(&mut Instances) + Send + Sync;

/// What one reader brings, and when it last did.
///
/// Invariant: at most one thread reads at a time, so that a reader that hangs costs one thread.
pub(crate) struct Reading {
    name: &'static str,
    max_age: Duration,
    threads: ReaderThreads,
    /// Whether the reader may run where the request is answered.
    is_prompt: bool,
    /// Whether the last reading took longer than [`PROMPT`]: then the next one runs in one of the threads.
    was_slow: AtomicBool,
    read: Box<Read>,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    instances: Arc<Instances>,
    read_at: Option<Instant>,
    begun_at: Option<Instant>,
    /// A request has waited for this reading in vain: no other one does.
    is_overdue: bool,
}

impl State {
    /// Whether the next request gets the instances as they are, without a new reading.
    fn is_ready(&self, max_age: Duration) -> bool {
        self.is_overdue || self.read_at.is_some_and(|at| at.elapsed() <= max_age)
    }
}

impl Reading {
    /// Instances are read again, in one of the threads, for requests that come when they are older than `max_age`.
    pub(super) fn new(
        name: &'static str,
        max_age: Duration,
        threads: &ReaderThreads,
        read: impl Fn(&mut Instances) + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            max_age,
            threads: threads.clone(),
            is_prompt: false,
            was_slow: AtomicBool::new(false),
            read: Box::new(read),
            state: Mutex::default(),
            ended: Condvar::new(),
        }
    }

    /// The same, read where the request is answered unless the last reading took longer than [`PROMPT`].
    pub(super) fn prompt(self) -> Self {
        Self {
            is_prompt: true,
            ..self
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The instances: fresh ones, if they can be read at once, or else those of the last reading.
    fn instances(self: &Arc<Self>) -> Arc<Instances> {
        let mut state = self.state();
        if state.is_ready(self.max_age) {
            return Arc::clone(&state.instances);
        }
        if state.begun_at.is_none() {
            state.begun_at = Some(Instant::now());
            if self.is_prompt && !self.was_slow.load(Ordering::Relaxed) {
                drop(state);
                self.read();
                return Arc::clone(&self.state().instances);
            }
            let reading = Arc::clone(self);
            if let Err(error) = self.threads.run(move || reading.read()) {
                log::warn!("{} cannot be read: no thread: {error}", self.name);
                state.begun_at = None;
                return Arc::clone(&state.instances);
            }
        }
        let patience = match state.read_at {
            Some(_) => PATIENCE,
            None => FIRST_PATIENCE,
        };
        let waited = self
            .ended
            .wait_timeout_while(state, patience, |state| state.begun_at.is_some());
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.begun_at.is_some() {
            state.is_overdue = true;
            log::info!(
                "{}: reading takes longer than {} ms; until it ends, responses have the old values",
                self.name,
                patience.as_millis()
            );
        }
        Arc::clone(&state.instances)
    }

    /// How old its instances are, as `load: reading of 0.4 s ago`; `None` if nothing was read yet.
    pub(super) fn age(&self) -> Option<String> {
        let seconds = |at: Instant| at.elapsed().as_secs_f64();
        let state = self.state();
        let read = state
            .read_at
            .map(|at| format!("reading of {:.1} s ago", seconds(at)));
        let begun = state
            .begun_at
            .map(|at| format!("being read since {:.1} s", seconds(at)));
        let parts: Vec<_> = read.into_iter().chain(begun).collect();
        (!parts.is_empty()).then(|| format!("{}: {}", self.name, parts.join(", ")))
    }

    fn read(&self) {
        let begun = Instant::now();
        let mut instances = Instances::default();
        let end = End(self);
        (self.read)(&mut instances);
        instances.sort();
        self.was_slow
            .store(begun.elapsed() > PROMPT, Ordering::Relaxed);
        let mut state = self.state();
        state.instances = Arc::new(instances);
        state.read_at = state.begun_at;
        drop(state);
        drop(end);
    }
}

/// Ends a reading, however it ends.
struct End<'a>(&'a Reading);

impl Drop for End<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.begun_at = None;
        state.is_overdue = false;
        drop(state);
        self.0.ended.notify_all();
    }
}

/// The part of a reading below one name.
pub(super) struct Subtree {
    root: Oid,
    reading: Arc<Reading>,
}

impl Subtree {
    pub(super) const fn new(root: Oid, reading: Arc<Reading>) -> Self {
        Self { root, reading }
    }
}

impl ManagedObject for Subtree {
    fn get(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        self.reading.instances().answer(name, reply)
    }

    fn get_next(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let instances = self.reading.instances();
        instances.answer_next(self.root.arcs(), name, reply);
        Ok(())
    }

    fn is_ready(&self) -> bool {
        self.reading.state().is_ready(self.reading.max_age)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;
    use std::sync::mpsc;
    use std::thread;

    use proptest::collection::{btree_set, vec};
    use proptest::prelude::{ProptestConfig, proptest};
    use varbind_engine::instrumentation::Registry;
    use varbind_testkit::command_responder::CommunityAgent;

    use super::*;

    const OBJECT: &[u32] = &[1, 3, 6, 1];

    fn value_of(instances: &Instances) -> Option<Value> {
        instances.get(&[OBJECT, &[0]].concat()).cloned()
    }

    fn reading(
        max_age: Duration,
        read: impl Fn(&mut Instances) + Send + Sync + 'static,
    ) -> Arc<Reading> {
        Arc::new(Reading::new(
            "test",
            max_age,
            &ReaderThreads::default(),
            read,
        ))
    }

    #[test]
    fn instances_are_in_order_and_the_first_of_two_counts() {
        let mut instances = Instances::default();
        instances.row(
            OBJECT,
            &[2, 1],
            [(2, Value::Integer(4)), (1, Value::Integer(3))],
        );
        instances.row(OBJECT, &[2], [(1, Value::Integer(1))]);
        instances.row(OBJECT, &[2], [(1, Value::Integer(2))]);
        instances.sort();
        let names: Vec<_> = instances.iter().map(|(name, _)| &name[4..]).collect();
        assert_eq!(names, [&[1, 2][..], &[1, 2, 1], &[2, 2, 1]]);
        let first = instances.iter().next();
        assert_eq!(first.unwrap().1, &Value::Integer(1));
        assert_eq!(instances.behind(OBJECT), first);
        assert_eq!(instances.behind(&[1, 3, 6, 1, 3]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Whether requests go on behind the latest answer or not.
        #[test]
        fn the_first_instance_behind_a_name_is_found(
            names in btree_set(vec(0_u32..4, 1..=3), 0..40),
            starts in vec(vec(0_u32..4, 0..=3), 1..20),
            steps in 1..8,
        ) {
            let mut instances = Instances::default();
            for name in &names {
                instances.instance(name, &[], Value::Null);
            }
            instances.sort();
            for mut name in starts {
                for _ in 0..steps {
                    let behind = names.iter().find(|other| **other > name);
                    let found = instances.behind(&name).map(|(name, _)| name);
                    assert_eq!(found, behind.map(Vec::as_slice));
                    if let Some(behind) = behind {
                        name.clone_from(behind);
                    }
                }
            }
        }
    }

    #[test]
    fn fresh_instances_are_not_read_again() {
        let count = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&count);
        let reading = reading(Duration::from_secs(3600), move |instances| {
            counted.fetch_add(1, Ordering::SeqCst);
            instances.scalar(OBJECT, Value::Integer(7));
        });
        assert_eq!(reading.age(), None);
        while value_of(&reading.instances()).is_none() {}
        assert_eq!(value_of(&reading.instances()), Some(Value::Integer(7)));
        assert_eq!(count.load(Ordering::SeqCst), 1);
        assert!(reading.age().unwrap().contains(" s ago"));
    }

    #[test]
    fn a_prompt_reader_runs_where_the_request_is_answered_unless_it_was_slow() {
        let (sender, threads) = mpsc::channel();
        let sender = Mutex::new(sender);
        let reader = move |instances: &mut Instances| {
            sender.lock().unwrap().send(thread::current().id()).unwrap();
            instances.scalar(OBJECT, Value::Null);
        };
        let reading = Reading::new("test", Duration::ZERO, &ReaderThreads::default(), reader);
        let reading = Arc::new(reading.prompt());
        // On a busy machine any reading may be slow.
        for is_slow in [false, true, false] {
            reading.was_slow.store(is_slow, Ordering::Relaxed);
            reading.instances();
            let is_aside = threads.recv().unwrap() != thread::current().id();
            assert_eq!(is_aside, is_slow);
            while reading.state().begun_at.is_some() {
                thread::yield_now();
            }
        }
    }

    #[test]
    fn a_slow_reading_is_noticed() {
        let reading = reading(Duration::ZERO, |_| thread::sleep(2 * PROMPT));
        reading.read();
        assert!(reading.was_slow.load(Ordering::Relaxed));
    }

    #[test]
    fn repetitions_behind_a_table_start_no_reader() {
        let counts = [0; 2].map(AtomicU32::new).map(Arc::new);
        let mut registry = Registry::builder();
        let mut readings = Vec::new();
        for (count, number) in counts.iter().zip([1, 2]) {
            let root = Oid::new(&[1, 3, 6, 1, number]).unwrap();
            let (object, counted) = (root.clone(), Arc::clone(count));
            let reading = reading(Duration::from_secs(3600), move |instances| {
                counted.fetch_add(1, Ordering::SeqCst);
                instances.scalar(object.arcs(), Value::Integer(7));
            });
            readings.push(Arc::clone(&reading));
            registry = registry.register(root.clone(), Arc::new(Subtree::new(root, reading)));
        }
        while readings[0].instances().len() == 0 {}
        let mut agent = CommunityAgent::new(registry);
        let readings = || counts.each_ref().map(|count| count.load(Ordering::SeqCst));
        for _ in 0..2 {
            let names = agent.get_bulk(0, 10, &["1.3.6.1.1"]).names();
            assert_eq!(names, ["1.3.6.1.1.0"]);
        }
        assert_eq!(readings(), [1, 0]);
        // The first repetition does start it; on a busy machine its values are late.
        while agent.get_bulk(0, 10, &["1.3.6.1.1.0"]).names()[0] != "1.3.6.1.2.0" {}
        let names = agent.get_bulk(0, 10, &["1.3.6.1.1"]).names();
        assert_eq!(names, ["1.3.6.1.1.0", "1.3.6.1.2.0", "1.3.6.1.2.0"]);
        assert_eq!(readings(), [1, 1]);
    }

    #[test]
    fn a_reader_that_hangs_delays_one_request_and_keeps_the_old_values() {
        let (go_on, wait) = mpsc::channel::<()>();
        let wait = Mutex::new(wait);
        let count = AtomicU32::new(0);
        let reading = reading(Duration::ZERO, move |instances| {
            let number = count.fetch_add(1, Ordering::SeqCst);
            if number > 0 {
                let _ = wait.lock().unwrap().recv();
            }
            instances.scalar(OBJECT, Value::Integer(number.cast_signed()));
        });
        while value_of(&reading.instances()).is_none() {}
        // This one waits, and begins the reading that hangs; the others do not.
        while !reading.state().is_overdue {
            reading.instances();
        }
        for _ in 0..1000 {
            assert_eq!(value_of(&reading.instances()), Some(Value::Integer(0)));
        }
        let age = reading.age().unwrap();
        assert!(age.starts_with("test: reading of "), "{age}");
        assert!(age.contains(" s ago, being read since "), "{age}");
        drop(go_on);
        while value_of(&reading.instances()) == Some(Value::Integer(0)) {
            thread::yield_now();
        }
    }

    #[test]
    fn a_reader_that_fails_ends_its_reading() {
        let reading = reading(Duration::ZERO, |_| panic!("as told"));
        for _ in 0..2 {
            assert_eq!(value_of(&reading.instances()), None);
        }
        while reading.state().begun_at.is_some() {
            thread::yield_now();
        }
        assert!(!reading.state().is_overdue);
    }
}
