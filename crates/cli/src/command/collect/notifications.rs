//! Notifications, for the outputs of a fleet.

use std::path::Path;

use varbind::codec::smi::VarBind;
use varbind::notification::Arrived;
use varbind_collector::fleet::Intake;
use varbind_mib::{MachineVarBind, Mib, OutputOptions, format_name};
use varbind_terminal::Failure;

use crate::command::receive;

/// Receives notifications with a configuration of `varbind receive`, until the program ends.
pub(super) fn receive(path: &Path, mut intake: Intake) -> Result<(), Failure> {
    receive::forward(path, move |arrived, mib| {
        let labels = labels(arrived, mib);
        intake.take(arrived.received.source.ip(), arrived.time, labels);
    })
}

/// The labels of a notification, without the community.
fn labels(arrived: &Arrived, mib: &Mib) -> Vec<(String, String)> {
    let received = &arrived.received;
    let notification = &received.notification;
    let mut name = String::new();
    let arcs = notification.trap_oid.arcs();
    format_name(mib, &OutputOptions::default(), arcs, &mut name);
    let mut labels = vec![
        ("notification".to_owned(), name),
        ("oid".to_owned(), notification.trap_oid.to_string()),
        ("kind".to_owned(), receive::kind(received).to_owned()),
        ("version".to_owned(), receive::version(received).to_owned()),
    ];
    for VarBind { name, value } in &notification.var_binds {
        let var_bind = MachineVarBind::new(mib, name.arcs(), value.as_value_ref());
        labels.push((label(&var_bind.name), var_bind.shown));
    }
    labels
}

/// The name of the object, without its module and index, with the letters that labels may have.
fn label(name: &str) -> String {
    let object = name.rsplit("::").next().unwrap_or(name);
    let object = match object.starts_with(|first: char| first.is_ascii_alphabetic()) {
        true => object.split('.').next().unwrap_or(object),
        false => object,
    };
    let mut label: String = object
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '_'
            }
        })
        .collect();
    if label.starts_with(|first: char| !first.is_ascii_alphabetic()) {
        label.insert_str(0, "oid_");
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_names_of_objects() {
        assert_eq!(label("IF-MIB::ifIndex.3"), "ifIndex");
        assert_eq!(label("1.3.6.1.4.1.9999.1"), "oid_1_3_6_1_4_1_9999_1");
        assert_eq!(label("SNMPv2-SMI::enterprises.9999.1.0"), "enterprises");
    }
}
