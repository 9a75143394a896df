//! Three servers with all streams on each: one of them is killed.

use std::collections::BTreeSet;

use varbind_testkit::polls::wait;

use crate::cluster::{is_complete, since, stream, wait_for_single_pollers};
use crate::collector::{self, Collector, INTERVAL, Record, now};
use crate::server::NatsServer;

const TEST: &str = "three_servers::collectors_go_on_when_one_of_three_servers_is_killed";

#[test]
fn collectors_go_on_when_one_of_three_servers_is_killed() {
    if collector::run() {
        return;
    }
    let Some(mut servers) = NatsServer::start_three() else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let urls = servers.each_ref().map(NatsServer::url).join(",");
    let collectors = ["a", "b"].map(|name| Collector::start(TEST, name, directory.path(), &urls));
    wait_for_single_pollers(&collectors);

    // Whichever the collectors use, and whichever leads the streams: each is killed once, and comes back.
    for number in 0..servers.len() {
        let killed = now();
        servers[number].kill();
        let other = (number + 1) % servers.len();
        wait("polls of all targets while a server is away", || {
            is_complete(&since(stream(&servers[other]), killed + INTERVAL)).then_some(())
        });
        wait_for_single_pollers(&collectors);
        servers[number].restart();
        let back = now();
        wait("polls of all targets after it is back", || {
            is_complete(&since(stream(&servers[number]), back + INTERVAL)).then_some(())
        });
    }
    let end = now();
    let records = wait("all polls of both collectors", || {
        let records = stream(&servers[0]);
        let delivered: BTreeSet<_> = records.iter().map(Record::identity).collect();
        let mut all = collectors.iter().flat_map(Collector::records);
        let is_missing =
            |record: &Record| record.slot < end && !delivered.contains(&record.identity());
        let has_all = !all.any(|record| is_missing(&record));
        has_all.then_some(records)
    });
    let identities: BTreeSet<_> = records.iter().map(Record::identity).collect();
    assert_eq!(identities.len(), records.len(), "a poll is there twice");
}
