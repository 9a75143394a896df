//! The built-in objects: what holds for all of them, and what single ones say.
#![cfg(test)]

use varbind_codec::smi::ValueRef;
use varbind_mib::{
    Access, BaseType, IndexPart, Kind, MachineVarBind, Mib, RawValue, dotted, format_value,
};

#[test]
fn every_object_has_a_parent_and_is_found_by_oid_and_name() {
    let mib = Mib::builtin();
    let mut count = 0;
    for root in [0, 1, 2] {
        let mut before: Vec<u32> = Vec::new();
        for object in mib.subtree(&[root]) {
            count += 1;
            assert!(before.as_slice() < object.oid(), "{object:?}");
            before = object.oid().to_vec();
            let found = mib.object(object.oid()).expect("itself");
            assert_eq!(found.object.oid(), object.oid(), "{object:?}");
            let named = mib
                .named_in(object.module(), object.name())
                .expect("itself");
            assert_eq!(named.oid(), object.oid(), "{object:?}");
            if object.oid().len() > 1 {
                let above = &object.oid()[..object.oid().len() - 1];
                assert!(mib.object_at(above).is_some(), "{object:?}");
            }
        }
    }
    assert!(count > 900);
}

#[test]
fn columns_have_rows_rows_have_indexes_and_tables_have_columns() {
    let mib = Mib::builtin();
    for object in mib.subtree(&[1]) {
        let above = mib.object_at(&object.oid()[..object.oid().len() - 1]);
        match object.kind() {
            Kind::Column => {
                let row = above.expect("a row");
                assert_eq!(row.kind(), Kind::Row, "{object:?}");
                assert!(!row.index().expect("an index").parts().is_empty());
                assert!(object.syntax().is_some() && object.access().is_some());
            }
            Kind::Row => {
                assert_eq!(above.map(|above| above.kind()), Some(Kind::Table));
                for part in object.index().expect("an index").parts().iter() {
                    let column = mib.named(part.name()).expect("a column of the index");
                    assert_eq!(column.syntax(), Some(part.syntax()), "{object:?}");
                }
                if let Some(base) = object.augments() {
                    let base = mib.named(base).expect("the augmented row");
                    assert_eq!(base.index(), object.index());
                }
            }
            Kind::Table => {
                let table = mib.table_at(object.oid()).expect("a table");
                assert!(!table.columns().is_empty(), "{object:?}");
            }
            Kind::Notification => {
                for name in object.notification_objects() {
                    assert!(mib.named(name).is_some(), "{object:?} has {name}");
                }
            }
            _ => {}
        }
    }
}

#[test]
fn a_table_tells_its_columns_and_index() {
    let mib = Mib::builtin();
    let table = mib.table("ifTable").expect("a table");
    assert_eq!(table.columns().len(), 22);
    assert_eq!(table.column(2).map(|column| column.name()), Some("ifDescr"));
    assert_eq!(table.column(99).map(|column| column.name()), None);
    assert_eq!(
        table.index().parts().iter().next().map(IndexPart::name),
        Some("ifIndex")
    );
    let name = [1, 3, 6, 1, 2, 1, 2, 2, 1, 10, 3];
    assert_eq!(table.split(&name), Some((10, &[3][..])));
    assert_eq!(table.split(&[1, 3, 6]), None);
    let extension = mib.table("IF-MIB::ifXEntry").expect("its row will do");
    assert_eq!(extension.object().name(), "ifXTable");
    assert_eq!(extension.row().augments(), Some("ifEntry"));
    assert_eq!(extension.index(), table.index());
    let error = mib.table("sysDescr").map_err(|error| error.to_string());
    assert_eq!(error.err().as_deref(), Some("\"sysDescr\" is not a table"));
}

#[test]
fn objects_tell_their_syntax_access_and_units() {
    let mib = Mib::builtin();
    let object = mib.named("sysContact").expect("known");
    assert_eq!(object.access(), Some(Access::ReadWrite));
    let syntax = object.syntax().expect("a scalar has one");
    assert_eq!(syntax.base(), BaseType::OctetString);
    assert_eq!(syntax.textual_convention(), Some("DisplayString"));
    assert_eq!(syntax.ranges().to_vec(), [(0, 255)]);
    let interface_type = mib.named("ifType").and_then(|object| object.syntax());
    assert_eq!(
        interface_type.and_then(|syntax| syntax.number_of("softwareLoopback")),
        Some(24)
    );
    let engine_time = mib.named("snmpEngineTime").expect("known");
    assert_eq!(engine_time.units(), Some("seconds"));
    let link_down = mib.named("linkDown").expect("known");
    assert_eq!(
        link_down.notification_objects(),
        ["ifIndex", "ifAdminStatus", "ifOperStatus"]
    );
}

#[test]
fn programs_get_every_part_on_its_own() {
    let mib = Mib::builtin();
    let name = [1, 3, 6, 1, 2, 1, 2, 2, 1, 3, 1];
    let var_bind = MachineVarBind::new(&mib, &name, ValueRef::Integer(24));
    assert_eq!(
        var_bind,
        MachineVarBind {
            name: "IF-MIB::ifType.1".to_owned(),
            oid: "1.3.6.1.2.1.2.2.1.3.1".to_owned(),
            value_type: "Integer",
            value: RawValue::Signed(24),
            shown: "softwareLoopback".to_owned(),
            units: None,
        }
    );
    let shown = |name: &str, value| {
        let name = mib.resolve(name).expect("known");
        MachineVarBind::new(&mib, name.arcs(), value).shown
    };
    let mac = [2, 0xfc, 0, 0, 0, 1];
    assert_eq!(
        shown("ifPhysAddress.1", ValueRef::OctetString(&mac)),
        "2:fc:0:0:0:1"
    );
    assert_eq!(shown("sysName.0", ValueRef::OctetString(b"host")), "host");
    assert_eq!(
        shown("enterprises.9.1", ValueRef::OctetString(&[0, 1])),
        "00 01"
    );
    assert_eq!(
        shown("sysUpTime.0", ValueRef::TimeTicks(1234)),
        "0:00:12.34"
    );
    assert_eq!(shown("ifInOctets.1", ValueRef::Counter32(7)), "7");
    assert_eq!(
        shown("ipAdEntAddr.1.2.3.4", ValueRef::IpAddress([1, 2, 3, 4])),
        "1.2.3.4"
    );
    assert_eq!(
        shown("sysDescr.0", ValueRef::NoSuchObject),
        "No Such Object available on this agent at this OID"
    );
}

#[test]
fn a_value_can_be_shown_without_its_name() {
    let mib = Mib::builtin();
    let mut out = String::new();
    let name = [1, 3, 6, 1, 2, 1, 2, 2, 1, 8, 1];
    format_value(
        &mib,
        &varbind_mib::OutputOptions::default(),
        &name,
        ValueRef::Integer(2),
        &mut out,
    );
    assert_eq!(out, "INTEGER: down(2)");
}

/// What snmptranslate prints of all objects that are built in: `MODULE::name` and the OBJECT IDENTIFIER.
const OBJECTS: &str = include_str!("samples/objects.txt");

#[test]
fn the_objects_are_those_that_snmptranslate_knows() {
    let mib = Mib::builtin();
    let roots = [[0], [1], [2]];
    let mut ours: Vec<String> = roots
        .iter()
        .flat_map(|root| mib.subtree(root))
        .filter(|object| !object.module().is_empty())
        .map(|object| format!("{object:?} {}", dotted(object.oid())))
        .collect();
    ours.sort();
    let theirs: Vec<&str> = OBJECTS.lines().collect();
    assert_eq!(ours, theirs);
}
