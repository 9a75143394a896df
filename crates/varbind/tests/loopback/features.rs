//! Transports that a build does not have.

use std::net::SocketAddr;

use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::{Transport, TransportAddress};
use varbind_testkit::loopback::TestAgent;

#[test]
fn errors_name_the_feature_of_a_missing_transport() {
    let agent = TestAgent::new();
    for transport in [Transport::Tls, Transport::Dtls, Transport::Ssh] {
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let error = agent.agent.listen(transport, address).unwrap_err();
        let feature = format!("enable the feature `{transport}` of the crate varbind");
        let is_told = error.to_string().ends_with(&feature);
        assert_eq!(is_told, !transport.is_available(), "{error}");
        if !transport.is_available() {
            let target = TransportAddress::of_socket(transport, address);
            let error = Manager::open(&target, ManagerOptions::v2c("public")).unwrap_err();
            assert!(error.to_string().ends_with(&feature), "{error}");
        }
    }
}
