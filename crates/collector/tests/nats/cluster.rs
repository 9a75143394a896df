//! Three collectors and one nats-server: what the stream has after a collector is killed, another is cut off, and the server is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use varbind_testkit::polls::wait;

use crate::collector::{self, Collector, INTERVAL, LEASE, Record, TARGETS, now};
use crate::relay::Relay;
use crate::server::NatsServer;

const TEST: &str = "cluster::faults_leave_each_poll_in_the_stream_once";

#[test]
fn faults_leave_each_poll_in_the_stream_once() {
    if collector::run() {
        return;
    }
    let Some(mut server) = NatsServer::start() else {
        return;
    };
    let relay = Relay::start(server.address());
    let directory = tempfile::tempdir().unwrap();
    let start = |name, url: &str| Collector::start(TEST, name, directory.path(), url);
    let mut killed = start("a", &server.url());
    let others = [start("b", &server.url()), start("c", &relay.url())];
    wait("polls of all targets by three collectors", || {
        let recent = since(stream(&server), now() - 2 * INTERVAL);
        (collectors(&recent).len() == 3 && is_complete(&recent)).then_some(())
    });

    kill(&mut killed, &server);
    let cut = now();
    cut_off(&relay, &others, &server);
    let joined = now();

    server.kill();
    thread::sleep(LEASE * 2);
    let up = now();
    server.restart();
    wait("polls after the restart", || {
        is_complete(&since(stream(&server), up + INTERVAL)).then_some(())
    });
    wait("all polls of both collectors", || {
        let delivered: BTreeSet<_> = stream(&server).iter().map(Record::identity).collect();
        let all = others.iter().flat_map(Collector::records);
        let is_missing = |record: &Record| {
            record.slot < up + INTERVAL && !delivered.contains(&record.identity())
        };
        (!all.into_iter().any(|record| is_missing(&record))).then_some(())
    });
    wait_for_single_pollers(&others);
    let back = now();
    wait("polls of all targets by their holders", || {
        is_complete(&since(stream(&server), back + INTERVAL)).then_some(())
    });

    let records = stream(&server);
    let identities: BTreeSet<_> = records.iter().map(Record::identity).collect();
    assert_eq!(identities.len(), records.len(), "a poll is there twice");
    // Of each slot of each target while the server was away, one poll is there.
    let outage = LEASE * 2;
    assert!(u128::from(longest_gap(&records, joined)) < outage.as_millis());
    // A collector without contact goes on with its leases: consumers prefer the later ones.
    let had_contact = |record: &Record| record.received < cut || record.received > back + INTERVAL;
    assert_leases_in_order(records.into_iter().filter(had_contact));
}

/// Kills a collector, and waits until the others poll its targets.
fn kill(killed: &mut Collector, server: &NatsServer) {
    let before_the_kill = now();
    killed.kill();
    wait("polls of all targets without the killed collector", || {
        let mut records = since(stream(server), before_the_kill + INTERVAL);
        records.retain(|record| record.collector != "a");
        is_complete(&records).then_some(())
    });
    println!(
        "killed: longest time without a poll {} ms",
        longest_gap(&stream(server), before_the_kill - 2 * INTERVAL)
    );
}

/// Cuts the last collector off, waits until the other one polls its targets, and joins it again.
fn cut_off(relay: &Relay, others: &[Collector], server: &NatsServer) {
    let cut = now();
    relay.cut();
    wait(
        "polls of all targets without the one that is cut off",
        || {
            let mut records = since(stream(server), cut + INTERVAL);
            records.retain(|record| record.collector == "b");
            is_complete(&records).then_some(())
        },
    );
    let went_on = since(others[1].records(), cut + INTERVAL);
    assert!(
        !went_on.is_empty(),
        "the collector that was cut off stopped"
    );
    relay.join();
    wait_for_single_pollers(others);
}

/// Waits until nobody polls what another collector holds.
pub(crate) fn wait_for_single_pollers(collectors: &[Collector]) {
    wait("one collector alone for each target", || {
        let end = now() - INTERVAL;
        let recent = collectors.iter().flat_map(Collector::records);
        let recent: Vec<_> = recent
            .filter(|record| (end - 4 * INTERVAL..end).contains(&record.slot))
            .collect();
        let pollers: BTreeSet<_> = recent
            .iter()
            .map(|record| (&record.target, &record.collector))
            .collect();
        let are_all = pollers.len() == TARGETS && is_complete(&recent);
        (are_all && self::collectors(&recent).len() == collectors.len()).then_some(())
    });
}

/// The stream as its consumers see it.
pub(crate) fn stream(server: &NatsServer) -> Vec<Record> {
    let messages = server.messages();
    let records = messages.iter().map(|message| {
        let record = Record::new(&message.poll);
        assert_eq!(record.identity(), message.identity);
        record
    });
    records.collect()
}

pub(crate) fn since(mut records: Vec<Record>, slot: u64) -> Vec<Record> {
    records.retain(|record| record.slot >= slot);
    records
}

pub(crate) fn collectors(records: &[Record]) -> BTreeSet<&str> {
    records
        .iter()
        .map(|record| record.collector.as_str())
        .collect()
}

pub(crate) fn is_complete(records: &[Record]) -> bool {
    let targets: BTreeSet<_> = records.iter().map(|record| &record.target).collect();
    targets.len() == TARGETS
}

/// The longest time between two slots with polls of a target, in milliseconds.
fn longest_gap(records: &[Record], since: u64) -> u64 {
    let mut slots: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.slot >= since) {
        slots.entry(&record.target).or_default().insert(record.slot);
    }
    let gaps = slots.values().flat_map(|slots| {
        let next = slots.iter().skip(1);
        slots.iter().zip(next).map(|(slot, next)| next - slot)
    });
    gaps.max().unwrap_or(0)
}

/// No poll of a target was made with a lease after another one with a later lease.
fn assert_leases_in_order(records: impl Iterator<Item = Record>) {
    let mut by_target: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for record in records {
        by_target
            .entry(record.target.clone())
            .or_default()
            .push(record);
    }
    for (target, mut records) in by_target {
        records.sort_by_key(|record| (record.lease, record.received));
        let mut latest = 0;
        for lease in records.chunk_by(|one, other| one.lease == other.lease) {
            for record in lease {
                assert!(record.received >= latest, "{target}: {record:?}");
            }
            latest = lease
                .iter()
                .map(|record| record.sent)
                .fold(latest, u64::max);
        }
    }
}
