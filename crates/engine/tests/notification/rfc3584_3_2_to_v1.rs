//! Translating SNMPv2 notification parameters to SNMPv1 notification parameters.

use varbind_codec::pdu::GenericTrap;
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::notification::{NoTrapV1, Notification};
use varbind_testkit::oid;

use crate::message::{normalised, parameters};

const ADDRESS: [u8; 4] = [192, 0, 2, 33];

fn notification(trap_oid: &str) -> Notification {
    Notification::new(4711, oid(trap_oid), Vec::new())
}

/// (1) to (5) for all that RFC 3418 defines.
#[test]
fn standard_notifications_are_generic_traps_of_snmp_traps() {
    for (arc, generic) in [
        (1, GenericTrap::ColdStart),
        (2, GenericTrap::WarmStart),
        (3, GenericTrap::LinkDown),
        (4, GenericTrap::LinkUp),
        (5, GenericTrap::AuthenticationFailure),
        (6, GenericTrap::EgpNeighborLoss),
    ] {
        let trap = notification(&format!("1.3.6.1.6.3.1.1.5.{arc}")).to_trap_v1(ADDRESS);
        assert_eq!(trap, Ok(parameters("1.3.6.1.6.3.1.1.5", generic, 0)));
    }
}

/// (1): snmpTrapEnterprise.0 counts for standard notifications, and for no others.
#[test]
fn the_enterprise_of_a_standard_notification_is_snmp_trap_enterprise_if_it_is_there() {
    let enterprise = VarBind::new(
        oid("1.3.6.1.6.3.1.1.4.3.0"),
        Value::from(&oid("1.3.6.1.4.1.32473.9")),
    );
    let mut cold_start = notification("1.3.6.1.6.3.1.1.5.1");
    cold_start.var_binds.push(enterprise.clone());
    let trap = cold_start.to_trap_v1(ADDRESS).unwrap();
    assert_eq!(trap.enterprise, oid("1.3.6.1.4.1.32473.9"));
    let mut other = notification("1.3.6.1.4.1.1.0.5");
    other.var_binds.push(enterprise);
    assert_eq!(
        other.to_trap_v1(ADDRESS).unwrap().enterprise,
        oid("1.3.6.1.4.1.1")
    );
}

/// (1) and (4): a zero before the last sub-identifier goes too.
#[test]
fn other_notifications_are_enterprise_specific() {
    for (trap_oid, enterprise, specific) in [
        ("1.3.6.1.4.1.32473.9.0.17", "1.3.6.1.4.1.32473.9", 17),
        ("1.3.6.1.4.1.32473.9.17", "1.3.6.1.4.1.32473.9", 17),
        ("1.3.6.1.4.1.32473.0.0", "1.3.6.1.4.1.32473", 0),
        ("1.3.6.1.4.1.32473.0.4294967295", "1.3.6.1.4.1.32473", -1),
        // Below snmpTraps, but none of the six.
        ("1.3.6.1.6.3.1.1.5.7", "1.3.6.1.6.3.1.1.5", 7),
        ("1.3.6.1.6.3.1.1.5.0", "1.3.6.1.6.3.1.1.5", 0),
        ("1.3.6.1.6.3.1.1.5.1.1", "1.3.6.1.6.3.1.1.5.1", 1),
    ] {
        let trap = notification(trap_oid).to_trap_v1(ADDRESS);
        let generic = GenericTrap::EnterpriseSpecific;
        assert_eq!(
            trap,
            Ok(parameters(enterprise, generic, specific)),
            "{trap_oid}"
        );
    }
}

/// (2): a proxy takes the address from snmpTrapAddress.0.
#[test]
fn the_address_of_the_agent_is_snmp_trap_address_or_zero() {
    let mut forwarded = notification("1.3.6.1.6.3.1.1.5.1");
    assert_eq!(forwarded.agent_address(), [0; 4]);
    let address = VarBind::new(oid("1.3.6.1.6.3.18.1.3.0"), Value::IpAddress(ADDRESS));
    forwarded.var_binds.push(address);
    assert_eq!(forwarded.agent_address(), ADDRESS);
}

/// (6)
#[test]
fn a_notification_with_a_counter64_cannot_be_a_trap_of_v1() {
    let mut octets = notification("1.3.6.1.6.3.1.1.5.4");
    octets.var_binds.push(VarBind::new(
        oid("1.3.6.1.2.1.31.1.1.1.6.7"),
        Value::Counter64(1),
    ));
    assert_eq!(octets.to_trap_v1(ADDRESS), Err(NoTrapV1::Counter64));
}

#[test]
fn a_name_without_an_enterprise_cannot_be_a_trap_of_v1() {
    for name in ["1.3", "1.0", "0.0", "1.3.0"] {
        let trap = notification(name).to_trap_v1(ADDRESS);
        let is_long_enough = name == "1.3.0";
        assert_eq!(trap.is_ok(), is_long_enough, "{name}: {trap:?}");
    }
}

#[test]
fn a_trap_comes_back_as_it_was() {
    for (generic, specific) in [
        (GenericTrap::ColdStart, 0),
        (GenericTrap::EgpNeighborLoss, 0),
        (GenericTrap::EnterpriseSpecific, 5),
        (GenericTrap::EnterpriseSpecific, -5),
    ] {
        let trap = parameters("1.3.6.1.4.1.32473.9", generic, specific);
        let (mut forwarded, origin) = normalised(&trap, &Vec::new());
        forwarded.append_origin(&origin, None);
        assert_eq!(forwarded.to_trap_v1(forwarded.agent_address()), Ok(trap));
    }
}
