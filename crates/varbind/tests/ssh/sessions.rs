//! Sessions of our manager with our agent.

use varbind::codec::smi::OwnedValue;
use varbind::manager::Manager;

use crate::fixture::{DESCRIPTION, SYS_DESCR_0, oid};
use crate::keys::SshAgent;

#[track_caller]
pub(crate) fn describes_itself(manager: &mut Manager) {
    let response = manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    let value = OwnedValue::OctetString(DESCRIPTION.into());
    assert_eq!(response.var_binds, [(oid(SYS_DESCR_0), value)]);
}

#[test]
fn a_session_answers_one_request_after_the_other() {
    let agent = SshAgent::new();
    let mut manager = agent.manager();
    for _ in 0..1000 {
        describes_itself(&mut manager);
    }
}
