//! Connections that are cut while a manager asks.

use varbind::manager::Manager;
use varbind::transport::{Transport, TransportAddress};
use varbind_testkit::loopback::{CuttingRelay, TABLE, cut_points, walk};
use varbind_testkit::ssh::{SshAgent, manager_options};

#[test]
fn a_walk_goes_on_where_its_connection_was_cut() {
    let agent = SshAgent::new();
    let expected = agent.agent.objects(TABLE);
    let direct = agent.target();
    let address = ([127, 0, 0, 1], direct.port.unwrap()).into();
    let cuts = CuttingRelay::new(address, cut_points(8_000, 16_000, 6));
    let mut options = agent.files.options();
    // The key is known by the agent's own port.
    options.host_key_checking = Some(varbind::transport::ssh::HostKeyChecking::AcceptNew);
    let target = TransportAddress {
        user: direct.user.clone(),
        ..TransportAddress::of_socket(Transport::Ssh, cuts.address)
    };
    let mut manager = Manager::open(&target, manager_options(options)).unwrap();
    let found = walk(&mut manager, TABLE).unwrap();
    assert!(found == expected, "{} of {}", found.len(), expected.len());
    assert!(cuts.connections() > 2, "{}", cuts.connections());
}
