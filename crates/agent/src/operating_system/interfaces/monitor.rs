use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use varbind::clock::Clock;
use varbind_engine::clock::Instant;

use super::filter::HiddenInterfaces;
use super::follower::Follower;
use super::reader::Reader;
use super::snapshot::Snapshot;
use super::{Interface, InterfaceTable, LinkTransition};
use crate::managed_objects::{AddressRows, IfStackRows, IfTableRows, IfXTableRows};
use crate::operating_system::netlink::{LinkChange, NetlinkError, Notifications};

/// The thread that follows notifications does little; its stack need not be the usual 2 MiB.
const STACK: usize = 128 * 1024;
/// How long a start waits for interfaces that change faster than they can be read.
const START_TIMEOUT: Duration = Duration::from_secs(10);
const START_PAUSE: Duration = Duration::from_millis(20);

/// The interfaces of this host.
pub(crate) struct Interfaces {
    current: ArcSwap<Snapshot>,
    /// The holder may replace the snapshot.
    reader: Mutex<Reader>,
    /// In nanoseconds.
    max_age: AtomicU64,
    clock: Clock,
    observer: OnceLock<LinkObserver>,
}

/// Called for links that went up or down. It must not block.
type LinkObserver = Box<dyn Fn(&[LinkTransition]) + Send + Sync>;

impl Interfaces {
    /// Reads the interfaces, and follows their changes from then on. Counters older than `max_age` are read again when
    /// they are asked for.
    ///
    /// # Errors
    /// When the kernel cannot be asked.
    pub(crate) fn watch(
        max_age: Duration,
        hidden: HiddenInterfaces,
        clock: Clock,
    ) -> Result<Arc<Self>, NetlinkError> {
        // Subscribed before the state is read, so that no change is missed between.
        let notifications = Notifications::subscribe()?;
        let interfaces = Arc::new(Self::read(max_age, hidden, clock)?);
        let watched = Arc::downgrade(&interfaces);
        thread::Builder::new()
            .name("varbind-netlink".into())
            .stack_size(STACK)
            .spawn(move || Follower::new(notifications).follow(&watched))?;
        Ok(interfaces)
    }

    fn read(
        max_age: Duration,
        hidden: HiddenInterfaces,
        clock: Clock,
    ) -> Result<Self, NetlinkError> {
        let mut reader = Reader::open(hidden)?;
        let interfaces = retry_transient(|| reader.interfaces(Instant::ORIGIN))?;
        let table = InterfaceTable::new(interfaces, None);
        let addresses = Arc::new(AddressRows::new(&retry_transient(|| reader.addresses())?));
        let table = Arc::new(table);
        let snapshot = Snapshot {
            if_table: Arc::new(IfTableRows::new(Arc::clone(&table))),
            if_x_table: Arc::new(IfXTableRows::new(Arc::clone(&table))),
            if_stack_table: Arc::new(IfStackRows::new(table.interfaces())),
            addresses,
            table_changed: Instant::ORIGIN,
            stack_changed: Instant::ORIGIN,
            table,
        };
        Ok(Self {
            current: ArcSwap::from_pointee(snapshot),
            reader: Mutex::new(reader),
            max_age: AtomicU64::new(nanos(max_age)),
            clock,
            observer: OnceLock::new(),
        })
    }

    /// Tells `observer` of links that go up or down from now on; only the first observer counts.
    pub(crate) fn observe(&self, observer: impl Fn(&[LinkTransition]) + Send + Sync + 'static) {
        let _ = self.observer.set(Box::new(observer));
    }

    fn notify_observer(&self, transitions: &[LinkTransition]) {
        if let Some(observer) = self.observer.get()
            && !transitions.is_empty()
        {
            observer(transitions);
        }
    }

    /// Counters older than this are read again from now on.
    pub(crate) fn set_max_age(&self, max_age: Duration) {
        self.max_age.store(nanos(max_age), Ordering::Relaxed);
    }

    /// Hides these interfaces from now on, and shows all others.
    pub(crate) fn hide(&self, hidden: HiddenInterfaces) -> Result<(), NetlinkError> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        if reader.filter.hidden == hidden {
            return Ok(());
        }
        reader.filter.hidden = hidden;
        drop(reader);
        // No link has changed, so nobody is told.
        retry_transient(|| self.read_links().map(drop))?;
        retry_transient(|| self.read_addresses())
    }

    /// What is known, whatever the age of the counters.
    pub(crate) fn snapshot(&self) -> Guard<Arc<Snapshot>> {
        self.current.load()
    }

    /// What is known, with counters that are not too old at `now`. While another thread reads them, or if they cannot
    /// be read, the old ones are used.
    pub(crate) fn fresh_snapshot(&self, now: Instant) -> Guard<Arc<Snapshot>> {
        let snapshot = self.current.load();
        if self.is_fresh(&snapshot.table, now) {
            return snapshot;
        }
        self.refresh_counters(&snapshot.table, now);
        self.current.load()
    }

    /// The same for readers, which have no time of a request.
    pub(crate) fn snapshot_now(&self) -> Guard<Arc<Snapshot>> {
        self.fresh_snapshot(self.clock.now())
    }

    fn is_fresh(&self, table: &InterfaceTable, now: Instant) -> bool {
        let max_age = Duration::from_nanos(self.max_age.load(Ordering::Relaxed));
        table.has_fresh_counters(now, max_age)
    }

    #[cold]
    fn refresh_counters(&self, stale: &InterfaceTable, now: Instant) {
        let mut reader = match self.reader.try_lock() {
            Ok(reader) => reader,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if stale.has_counters() => return,
            // Zeros would be worse than a moment's wait: a manager takes them for a counter that wrapped.
            Err(TryLockError::WouldBlock) => {
                self.reader.lock().unwrap_or_else(PoisonError::into_inner)
            }
        };
        let snapshot = self.current.load();
        if self.is_fresh(&snapshot.table, now) {
            return;
        }
        let counters = reader.counters(&snapshot.table).unwrap_or_else(|error| {
            log::warn!("the counters of the interfaces cannot be read: {error}");
            snapshot.table.all_counters().to_vec()
        });
        let table = snapshot.table.with_counters(counters, now);
        self.current.store(Arc::new(snapshot.with_table(table)));
    }

    /// Takes up what notifications said of links.
    pub(super) fn apply(&self, changes: Vec<LinkChange>) {
        let now = self.clock.now();
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        // Change by change: a link that goes down and up again at once was down.
        let mut transitions = Vec::new();
        if !changes.is_empty() {
            let snapshot = self.current.load();
            let mut interfaces = snapshot.table.interfaces().to_vec();
            for change in changes {
                let index = change.index();
                let before = find(&interfaces, index).cloned();
                reader.apply(change, &mut interfaces, now);
                let after = find(&interfaces, index);
                transitions.extend(LinkTransition::between(before.as_ref(), after));
            }
            self.replace_interfaces(interfaces, now);
        }
        drop(reader);
        self.notify_observer(&transitions);
    }

    /// Reads everything again, after notifications were lost.
    pub(super) fn resynchronize(&self) -> Result<(), NetlinkError> {
        let transitions = self.read_links()?;
        self.notify_observer(&transitions);
        self.read_addresses()
    }

    /// Reads the links again, and returns those that went up or down since the last reading.
    fn read_links(&self) -> Result<Vec<LinkTransition>, NetlinkError> {
        let now = self.clock.now();
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = self.current.load();
        let interfaces: Vec<_> = reader
            .interfaces(now)?
            .into_iter()
            .map(|interface| {
                let row = snapshot.table.row(interface.link.index);
                match row.and_then(|row| snapshot.table.interface(row)) {
                    Some(before) => interface.replacing(before),
                    None => interface,
                }
            })
            .collect();
        let former = snapshot.table.interfaces();
        let gone = former
            .iter()
            .filter(|before| find(&interfaces, before.link.index).is_none())
            .filter_map(|before| LinkTransition::between(Some(before), None));
        let present = interfaces.iter().filter_map(|after| {
            LinkTransition::between(find(former, after.link.index), Some(after))
        });
        let transitions: Vec<_> = gone.chain(present).collect();
        self.replace_interfaces(interfaces, now);
        drop(reader);
        Ok(transitions)
    }

    /// Publishes other interfaces. The caller holds the reader.
    fn replace_interfaces(&self, interfaces: Vec<Interface>, now: Instant) {
        let before = self.current.load();
        let table = InterfaceTable::new(interfaces, Some(&before.table));
        let has_other_rows = !(0..table.len().max(before.table.len()))
            .all(|row| table.index(row) == before.table.index(row));
        let stack = IfStackRows::new(table.interfaces());
        let mut snapshot = before.with_table(table);
        if has_other_rows {
            snapshot.table_changed = now;
        }
        if stack != *before.if_stack_table {
            snapshot.if_stack_table = Arc::new(stack);
            snapshot.stack_changed = now;
        }
        self.current.store(Arc::new(snapshot));
    }

    /// Publishes the addresses as they are.
    pub(super) fn read_addresses(&self) -> Result<(), NetlinkError> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let addresses = reader.addresses()?;
        let before = self.current.load();
        let snapshot = Snapshot {
            addresses: Arc::new(AddressRows::new(&addresses)),
            table: Arc::clone(&before.table),
            if_table: Arc::clone(&before.if_table),
            if_x_table: Arc::clone(&before.if_x_table),
            if_stack_table: Arc::clone(&before.if_stack_table),
            ..**before
        };
        self.current.store(Arc::new(snapshot));
        Ok(())
    }
}

/// Reads again for some time what changes meanwhile.
fn retry_transient<T>(
    mut read: impl FnMut() -> Result<T, NetlinkError>,
) -> Result<T, NetlinkError> {
    let deadline = std::time::Instant::now() + START_TIMEOUT;
    loop {
        match read() {
            Err(error) if error.is_transient() && std::time::Instant::now() < deadline => {
                thread::sleep(START_PAUSE);
            }
            read => return read,
        }
    }
}

fn find(interfaces: &[Interface], index: u32) -> Option<&Interface> {
    interfaces
        .iter()
        .find(|interface| interface.link.index == index)
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operating_system::netlink::LinkStatistics;

    #[test]
    fn both_sources_of_counters_tell_of_each_interface() {
        let interfaces =
            Interfaces::read(Duration::ZERO, HiddenInterfaces::default(), Clock::start()).unwrap();
        assert!(!interfaces.snapshot().table.has_counters());
        let first = interfaces
            .fresh_snapshot(Instant::from_nanos(1))
            .table
            .all_counters()
            .to_vec();
        let mut reader = interfaces.reader.lock().unwrap();
        reader.statistics = LinkStatistics::fallback_request();
        drop(reader);
        let second = interfaces
            .fresh_snapshot(Instant::from_nanos(2))
            .table
            .all_counters()
            .to_vec();
        assert_eq!(first.len(), second.len());
        for (first, second) in first.iter().zip(&second) {
            assert!(first.rx_bytes <= second.rx_bytes && first.tx_packets <= second.tx_packets);
            assert_eq!(first.rx_bytes == 0, first.rx_packets == 0);
        }
    }

    #[test]
    fn counters_are_read_again_only_when_they_are_too_old() {
        let interfaces = Interfaces::read(
            Duration::from_millis(100),
            HiddenInterfaces::default(),
            Clock::start(),
        )
        .unwrap();
        let at = |milliseconds| Instant::ORIGIN + Duration::from_millis(milliseconds);
        let first = Arc::clone(&interfaces.fresh_snapshot(at(5)));
        assert!(Arc::ptr_eq(&first, &interfaces.fresh_snapshot(at(105))));
        assert!(!Arc::ptr_eq(&first, &interfaces.fresh_snapshot(at(106))));
    }

    #[test]
    fn while_another_reads_old_counters_are_used() {
        let interfaces =
            Interfaces::read(Duration::ZERO, HiddenInterfaces::default(), Clock::start()).unwrap();
        let first = Arc::clone(&interfaces.fresh_snapshot(Instant::from_nanos(1)));
        let reader = interfaces.reader.lock().unwrap();
        let second = Arc::clone(&interfaces.fresh_snapshot(Instant::from_nanos(2)));
        assert!(Arc::ptr_eq(&first, &second));
        drop(reader);
    }

    #[test]
    fn a_link_that_goes_and_comes_back_has_changed_now() {
        let interfaces =
            Interfaces::read(Duration::ZERO, HiddenInterfaces::default(), Clock::start()).unwrap();
        let before = Arc::clone(&interfaces.snapshot());
        let loopback = before.table.interface(0).unwrap().link.clone();
        interfaces.apply(vec![LinkChange::Gone(loopback.index)]);
        let without = Arc::clone(&interfaces.snapshot());
        assert_eq!(without.table.len(), before.table.len() - 1);
        assert!(without.table_changed > before.table_changed);
        assert!(without.stack_changed > before.stack_changed);
        interfaces.apply(vec![LinkChange::Present(loopback)]);
        let again = Arc::clone(&interfaces.snapshot());
        let loopback = again.table.interface(0).unwrap();
        assert_eq!(again.table.len(), before.table.len());
        assert!(loopback.counters_since > Instant::ORIGIN);
        assert!(loopback.last_change > Instant::ORIGIN);
        // Its counters are not known, and read before anything is answered.
        assert!(!again.table.has_counters());
    }
}
