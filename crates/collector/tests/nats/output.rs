//! The output against a server that is restarted.

use std::collections::BTreeSet;
use std::sync::Arc;

use varbind_collector::output::Poll;
use varbind_testkit::polls::{LARGE, PATIENCE, metric, poll, start, wait};

use crate::server::NatsServer;

fn polls(targets: std::ops::Range<u32>) -> Vec<Arc<Poll>> {
    targets
        .map(|target| poll(&format!("router {target}")))
        .collect()
}

#[test]
fn each_poll_is_in_the_stream_once_although_the_server_crashes() {
    let Some(mut server) = NatsServer::start() else {
        return;
    };
    let samples = poll("r").len();
    let spool = server.directory().join("spool").display().to_string();
    let outputs = start(&format!(
        "type = \"nats\"\nlinger = \"5ms\"\nmax-backoff = \"200ms\"\nbatch-samples = {}\n[nats]\nservers = [{:?}]\n[spool]\ndirectory = {spool:?}",
        10 * samples,
        server.url(),
    ));
    let delivered = || metric(&outputs, "varbind_output_delivered_polls_total");
    let polls = polls(0..60);
    polls[..30].iter().for_each(|poll| outputs.send(poll));
    wait("the first polls", || (delivered() == 30).then_some(()));
    server.kill();
    // Ten of them again: repetitions count once.
    polls[20..].iter().for_each(|poll| outputs.send(poll));
    wait("a failure", || {
        (metric(&outputs, "varbind_output_failing") == 1).then_some(())
    });
    server.restart();
    wait("all polls", || (delivered() == 70).then_some(()));
    outputs.stop(PATIENCE);

    let messages = server.messages();
    let identities: Vec<_> = messages
        .iter()
        .map(|message| message.identity.clone())
        .collect();
    let expected: BTreeSet<_> = polls.iter().map(|poll| poll.identity()).collect();
    assert_eq!(identities.len(), 60);
    assert_eq!(identities.into_iter().collect::<BTreeSet<_>>(), expected);
    let first = &messages[0];
    assert_eq!(first.subject, "varbind.polls.if_mib.router_0");
    assert_eq!(first.poll["lease"], 7);
    assert_eq!(first.poll["rows"][0]["values"]["ifHCInOctets"], LARGE);
}
