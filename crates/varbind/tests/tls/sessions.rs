//! Our agent and our manager.

use varbind::manager::ManagerOptions;

use crate::agent::TlsAgent;
use crate::fixture::{DESCRIPTION, NAME_0, SYS_DESCR_0, oid};

#[test]
fn a_manager_reads_with_the_transport_security_model() {
    let agent = TlsAgent::new();
    let mut manager = agent.open(agent.client(&agent.reader())).unwrap();
    let response = manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    let (_, value) = &response.var_binds[0];
    assert_eq!(
        *value,
        varbind::codec::smi::OwnedValue::OctetString(DESCRIPTION.into())
    );
    assert_eq!(agent.statistics.accepts.value(), 1);
}

#[test]
fn a_manager_reads_with_snmpv2c_in_its_own_name() {
    let agent = TlsAgent::new();
    let client = agent.client(&agent.reader());
    let mut manager = agent
        .open_with(client, ManagerOptions::v2c("private"))
        .unwrap();
    manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    // The community of those who may write makes it no writer.
    let value = varbind::codec::smi::OwnedValue::OctetString("x".into());
    let response = manager.set(&[(oid(NAME_0), value)]).unwrap();
    assert_ne!(
        response.error_status,
        varbind::codec::pdu::ErrorStatus::NoError
    );
}
