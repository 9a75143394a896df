//! The configuration of a fleet in the server.

use varbind_collector::cluster::{Cluster, ClusterConfiguration};
use varbind_testkit::polls::wait;

use crate::server::NatsServer;

#[test]
fn configuration_reaches_collectors_when_it_is_written() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let text = format!("name = \"a\"\n[nats]\nservers = [{:?}]", server.url());
    let configuration: ClusterConfiguration = toml::from_str(&text).unwrap();
    let cluster = Cluster::join(&configuration).unwrap();
    wait("a lease", || cluster.lease("router1"));
    let fleet = cluster.configuration();
    assert!(fleet.borrow().is_none());
    for text in ["interval = '1m'", "interval = '5m'"] {
        server.put("varbind_configuration", "fleet", text);
        wait("the configuration", || {
            (fleet.borrow().as_deref() == Some(text)).then_some(())
        });
    }
    // A collector that starts later has it too.
    let late = Cluster::join(&ClusterConfiguration {
        name: "b".to_owned(),
        ..configuration
    });
    let late = late.unwrap();
    let fleet = late.configuration();
    wait("the configuration", || {
        (fleet.borrow().as_deref() == Some("interval = '5m'")).then_some(())
    });
}
