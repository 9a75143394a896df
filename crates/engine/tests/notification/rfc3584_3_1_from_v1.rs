//! Translating SNMPv1 notification parameters to SNMPv2 notification parameters.

use varbind_codec::pdu::GenericTrap;
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::notification::MalformedNotification;
use varbind_testkit::oid;

use crate::message::{IF_INDEX_7, normalised, parameters};

const ENTERPRISE: &str = "1.3.6.1.4.1.32473.9";
const SNMP_TRAP_ADDRESS: &str = "1.3.6.1.6.3.18.1.3.0";
const SNMP_TRAP_COMMUNITY: &str = "1.3.6.1.6.3.18.1.4.0";
const SNMP_TRAP_ENTERPRISE: &str = "1.3.6.1.6.3.1.1.4.3.0";

/// (1)
#[test]
fn the_time_stamp_becomes_sys_up_time() {
    let trap = parameters(ENTERPRISE, GenericTrap::ColdStart, 0);
    assert_eq!(normalised(&trap, &Vec::new()).0.up_time, 4711);
}

/// (2)
#[test]
fn an_enterprise_specific_trap_is_named_by_enterprise_zero_and_specific_trap() {
    for (specific, name) in [
        (0, "1.3.6.1.4.1.32473.9.0.0"),
        (17, "1.3.6.1.4.1.32473.9.0.17"),
        (i32::MAX, "1.3.6.1.4.1.32473.9.0.2147483647"),
        // No number of a trap, but devices exist that have it: its bits are kept, and come back in section 3.2.
        (-1, "1.3.6.1.4.1.32473.9.0.4294967295"),
    ] {
        let trap = parameters(ENTERPRISE, GenericTrap::EnterpriseSpecific, specific);
        assert_eq!(normalised(&trap, &Vec::new()).0.trap_oid, oid(name));
    }
}

/// (3)
#[test]
fn generic_traps_have_the_names_of_rfc_3418_whatever_the_enterprise_and_the_specific_trap() {
    for (generic, name) in [
        (GenericTrap::ColdStart, "1.3.6.1.6.3.1.1.5.1"),
        (GenericTrap::WarmStart, "1.3.6.1.6.3.1.1.5.2"),
        (GenericTrap::LinkDown, "1.3.6.1.6.3.1.1.5.3"),
        (GenericTrap::LinkUp, "1.3.6.1.6.3.1.1.5.4"),
        (GenericTrap::AuthenticationFailure, "1.3.6.1.6.3.1.1.5.5"),
        (GenericTrap::EgpNeighborLoss, "1.3.6.1.6.3.1.1.5.6"),
    ] {
        let trap = parameters(ENTERPRISE, generic, 99);
        assert_eq!(normalised(&trap, &Vec::new()).0.trap_oid, oid(name));
    }
}

/// (4), first sentence.
#[test]
fn the_variable_bindings_are_kept() {
    let bindings = vec![
        VarBind::new(oid(IF_INDEX_7), 7),
        VarBind::new(oid("1.3.6.1.2.1.2.2.1.2.7"), "eth7"),
    ];
    let trap = parameters(ENTERPRISE, GenericTrap::LinkUp, 0);
    assert_eq!(normalised(&trap, &bindings).0.var_binds, bindings);
}

/// (4), on proxies.
#[test]
fn a_proxy_appends_address_community_and_enterprise() {
    let trap = parameters(ENTERPRISE, GenericTrap::LinkUp, 0);
    let (mut notification, origin) = normalised(&trap, &Vec::new());
    notification.append_origin(&origin, Some(b"secret"));
    let expected = vec![
        VarBind::new(oid(SNMP_TRAP_ADDRESS), Value::IpAddress([192, 0, 2, 33])),
        VarBind::new(oid(SNMP_TRAP_COMMUNITY), "secret"),
        VarBind::new(oid(SNMP_TRAP_ENTERPRISE), oid(ENTERPRISE)),
    ];
    assert_eq!(notification.var_binds, expected);
}

/// (4): "if these three additional variable bindings do not already exist".
#[test]
fn what_an_earlier_proxy_appended_is_not_appended_again() {
    let bindings = vec![VarBind::new(
        oid(SNMP_TRAP_ADDRESS),
        Value::IpAddress([198, 51, 100, 1]),
    )];
    let trap = parameters(ENTERPRISE, GenericTrap::LinkUp, 0);
    let (mut notification, origin) = normalised(&trap, &bindings);
    notification.append_origin(&origin, None);
    assert_eq!(notification.agent_address(), [198, 51, 100, 1]);
    let names: Vec<_> = notification
        .var_binds
        .iter()
        .map(|var_bind| var_bind.name.to_string())
        .collect();
    assert_eq!(names, [SNMP_TRAP_ADDRESS, SNMP_TRAP_ENTERPRISE]);
}

#[test]
fn an_enterprise_of_128_sub_identifiers_leaves_no_room_for_a_name() {
    let long = ["1.3.6.1.4.1", &".1".repeat(122)].concat();
    let specific = parameters(&long, GenericTrap::EnterpriseSpecific, 1);
    assert_eq!(
        specific.trap_oid(),
        Err(MalformedNotification::EnterpriseTooLong)
    );
    let generic = parameters(&long, GenericTrap::WarmStart, 1);
    assert_eq!(generic.trap_oid(), Ok(oid("1.3.6.1.6.3.1.1.5.2")));
}
