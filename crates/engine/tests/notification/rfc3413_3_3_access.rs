//! What access control lets a target learn.

use varbind_codec::smi::VarBind;
use varbind_engine::access_control::{AccessDenied, AccessEntry, Vacm};
use varbind_engine::applications::notification::Notification;
use varbind_engine::applications::notification_originator::TargetPrincipal;
use varbind_engine::security::{SecurityLevel, SecurityModel, SecurityName};
use varbind_testkit::oid;
use varbind_testkit::view::{access, family};

const LINK_DOWN: &str = "1.3.6.1.6.3.1.1.5.3";

/// The user ops is told of links and what lies below ifEntry, at authNoPriv.
fn tables() -> Vacm {
    let entry = AccessEntry {
        security_model: Some(SecurityModel::UserBased),
        security_level: SecurityLevel::AuthNoPriv,
        notify_view: "links".to_owned(),
        ..access("operators", "", "")
    };
    Vacm::builder()
        .context("")
        .group(
            SecurityModel::UserBased,
            SecurityName::new("ops"),
            "operators",
        )
        .access(entry)
        .view("links", family(LINK_DOWN, "", true))
        .view("links", family("1.3.6.1.2.1.2.2.1", "", true))
        .view("links", family("1.3.6.1.2.1.2.2.1.7", "", false))
        .build()
        .expect("tables")
}

fn ops() -> TargetPrincipal {
    TargetPrincipal {
        security_model: SecurityModel::UserBased,
        security_name: SecurityName::new("ops"),
        security_level: SecurityLevel::AuthPriv,
        context_name: String::new(),
    }
}

fn notification(name: &str, objects: &[&str]) -> Notification {
    let objects = objects.iter().map(|object| VarBind::new(oid(object), 1));
    Notification::new(0, oid(name), objects.collect())
}

#[test]
fn the_notification_and_each_of_its_objects_have_to_be_in_the_notify_view() {
    let tables = tables();
    let told = |name, objects: &[&str]| ops().may_learn(&tables, &notification(name, objects));
    let denied = Err(AccessDenied::NotInView);
    let (index, status) = ("1.3.6.1.2.1.2.2.1.1.3", "1.3.6.1.2.1.2.2.1.8.3");
    assert_eq!(told(LINK_DOWN, &[]), Ok(()));
    assert_eq!(told(LINK_DOWN, &[index, status]), Ok(()));
    assert_eq!(told("1.3.6.1.6.3.1.1.5.4", &[index, status]), denied);
    assert_eq!(told(LINK_DOWN, &[index, "1.3.6.1.2.1.2.2.1.7.3"]), denied);
    assert_eq!(told(LINK_DOWN, &["1.3.6.1.2.1.1.5.0", index]), denied);
}

#[test]
fn the_principal_decides_which_view_it_is() {
    let tables = tables();
    let notification = notification(LINK_DOWN, &[]);
    let told = |principal: TargetPrincipal| principal.may_learn(&tables, &notification);
    let is_unprivileged = TargetPrincipal {
        security_level: SecurityLevel::NoAuthNoPriv,
        ..ops()
    };
    assert_eq!(told(is_unprivileged), Err(AccessDenied::NoAccessEntry));
    let is_of_a_community = TargetPrincipal {
        security_model: SecurityModel::SnmpV2c,
        ..ops()
    };
    assert_eq!(told(is_of_a_community), Err(AccessDenied::NoGroupName));
    let is_elsewhere = TargetPrincipal {
        context_name: "vrf-a".to_owned(),
        ..ops()
    };
    assert_eq!(told(is_elsewhere), Err(AccessDenied::NoSuchContext));
}

/// Reading does not let anybody be told.
#[test]
fn the_read_view_is_of_no_account() {
    let tables = Vacm::builder()
        .context("")
        .group(
            SecurityModel::UserBased,
            SecurityName::new("ops"),
            "readers",
        )
        .access(access("readers", "all", "all"))
        .view("all", family("1.3", "", true))
        .build()
        .expect("tables");
    let told = ops().may_learn(&tables, &notification(LINK_DOWN, &[]));
    assert_eq!(told, Err(AccessDenied::NoSuchView));
}
