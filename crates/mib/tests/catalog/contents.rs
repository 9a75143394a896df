//! What a catalog knows of objects, syntaxes, tables, notifications and modules.

use varbind_codec::smi::{Value, ValueRef};
use varbind_mib::{
    Access, BaseType, Kind, MachineVarBind, Mib, OutputOptions, RangeCheck, Status, format_name,
    format_var_bind, parse_value,
};

use crate::{mib, modules};

fn shown(mib: &Mib, name: &str, value: ValueRef<'_>) -> String {
    let name = mib.resolve(name).expect("a known name");
    let mut line = String::new();
    format_var_bind(
        mib,
        &OutputOptions::default(),
        name.arcs(),
        value,
        &mut line,
    );
    line
}

#[test]
fn objects_are_known_with_all_that_is_reported_of_them() {
    let mib = mib();
    let object = mib.named("exampleTemperature").expect("known");
    assert_eq!(object.module(), "VARBIND-EXAMPLE-MIB");
    assert_eq!(object.oid(), [1, 3, 6, 1, 4, 1, 32473, 1, 1, 1]);
    assert_eq!(object.kind(), Kind::Scalar);
    assert_eq!(object.access(), Some(Access::ReadWrite));
    assert_eq!(object.status(), Some(Status::Current));
    assert_eq!(object.units(), Some("degrees"));
    assert_eq!(object.description(), Some("How warm it is."));
    assert_eq!(object.reference(), Some("the window"));
    assert_eq!(object.default_value(), Some("200"));
    assert_eq!(object.macro_name(), Some("OBJECT-TYPE"));
    let syntax = object.syntax().expect("it has a value");
    assert_eq!(syntax.base(), BaseType::Integer32);
    assert_eq!(syntax.textual_convention(), Some("Temperature"));
    assert_eq!(syntax.display_hint(), Some("d-1"));
    assert_eq!(syntax.ranges().to_vec(), [(-500, 1000), (2000, 2000)]);
    let macro_of = |name: &str| mib.named(name).and_then(|object| object.macro_name());
    assert_eq!(macro_of("exampleMIB"), Some("MODULE-IDENTITY"));
    assert_eq!(macro_of("exampleObjects"), Some("OBJECT IDENTIFIER"));
    assert_eq!(macro_of("exampleThing"), Some("OBJECT-IDENTITY"));
    assert_eq!(macro_of("exampleGroup"), Some("OBJECT-GROUP"));
    assert_eq!(macro_of("exampleCompliance"), Some("MODULE-COMPLIANCE"));
    assert_eq!(macro_of("oldTrap"), Some("TRAP-TYPE"));
}

#[test]
fn values_are_shown_and_read_by_the_syntax_of_their_objects() {
    let mib = mib();
    assert_eq!(
        shown(&mib, "exampleTemperature.0", ValueRef::Integer(215)),
        "VARBIND-EXAMPLE-MIB::exampleTemperature.0 = INTEGER: 21.5 degrees"
    );
    assert_eq!(
        shown(&mib, "exampleFlags.0", ValueRef::OctetString(&[0x80, 0x40])),
        "VARBIND-EXAMPLE-MIB::exampleFlags.0 = BITS: 80 40 red(0) blue(9) "
    );
    let name = mib.resolve("exampleFlags.0").expect("known");
    let bits = parse_value(&mib, name.arcs(), '=', "red blue", RangeCheck::Enforce);
    assert_eq!(bits, Ok(Value::OctetString(vec![0x80, 0x40])));
    let name = mib.resolve("exampleTemperature.0").expect("known");
    let refused = parse_value(&mib, name.arcs(), 'i', "1500", RangeCheck::Enforce);
    assert_eq!(
        refused.map_err(|error| error.to_string()),
        Err("\"1500\" is out of range for exampleTemperature: 1500 as a value, allowed (-500 to 1000, 2000)".to_owned())
    );
    let machine = MachineVarBind::new(&mib, name.arcs(), ValueRef::Integer(5));
    assert_eq!(
        (machine.shown.as_str(), machine.units.as_deref()),
        (".5", Some("degrees"))
    );
}

#[test]
fn tables_have_indexes_with_fixed_and_implied_strings() {
    let mib = mib();
    let table = mib.table("exampleTable").expect("a table");
    let names: Vec<_> = table
        .index()
        .parts()
        .iter()
        .map(varbind_mib::IndexPart::name)
        .collect();
    assert_eq!(names, ["exampleState", "exampleAddress", "exampleName"]);
    assert_eq!(table.columns().len(), 4);
    let name = mib
        .resolve("exampleStatus.busy.\"2:fc:0:0:0:1\".\"ab\"")
        .expect("an index by names");
    let numbers = "1.3.6.1.4.1.32473.1.1.4.1.4.2.2.252.0.0.0.1.97.98";
    assert_eq!(name.to_string(), numbers);
    let mut text = String::new();
    format_name(&mib, &OutputOptions::default(), name.arcs(), &mut text);
    assert!(
        text.starts_with("VARBIND-EXAMPLE-MIB::exampleStatus.busy."),
        "{text}"
    );
    assert!(text.ends_with(".'ab'"), "{text}");
    let more = mib.table("exampleMoreTable").expect("a table");
    assert_eq!(more.row().augments(), Some("exampleEntry"));
    assert_eq!(more.index(), table.index());
}

#[test]
fn notifications_of_both_versions_have_their_places() {
    let mib = mib();
    let warm = mib.named("exampleTooWarm").expect("known");
    assert_eq!(warm.kind(), Kind::Notification);
    assert_eq!(
        warm.notification_objects(),
        ["exampleTemperature", "exampleMore"]
    );
    // RFC 2576 section 2.1.2: a 0 stands between the enterprise and the number.
    let trap = mib.named("oldTrap").expect("known");
    assert_eq!(trap.oid(), [1, 3, 6, 1, 4, 1, 32473, 2, 0, 7]);
    assert_eq!(trap.notification_objects(), ["oldGauge", "oldText"]);
}

#[test]
fn modules_of_smi_version_1_are_read() {
    let mib = mib();
    let gauge = mib.named("oldGauge").expect("known");
    assert_eq!(
        gauge.syntax().map(|syntax| syntax.base()),
        Some(BaseType::Gauge32)
    );
    assert_eq!(gauge.status(), Some(Status::Mandatory));
    let text = mib.named("oldText").expect("known");
    assert_eq!(text.access(), Some(Access::ReadWrite));
    let syntax = text.syntax().expect("it has one");
    assert_eq!(syntax.textual_convention(), Some("OldString"));
    assert_eq!(syntax.ranges().to_vec(), [(0, 16)]);
    let catalog = mib.catalog().expect("there is one");
    let module = catalog.module("VARBIND-OLD-MIB").expect("known");
    assert!(module.is_smi_v1() && module.last_updated().is_empty());
}

#[test]
fn modules_and_textual_conventions_are_reported() {
    let mib = mib();
    let catalog = mib.catalog().expect("there is one");
    catalog.verify().expect("as it was written");
    let module = catalog.module("VARBIND-EXAMPLE-MIB").expect("known");
    assert_eq!(module.last_updated(), "202402290000Z");
    assert_eq!(module.organization(), "The authors of varbind");
    assert_eq!(module.file(), modules().join("VARBIND-EXAMPLE-MIB.txt"));
    assert!(!module.is_smi_v1() && module.object_count() > 15);
    assert!(catalog.module("VARBIND-ABSENT-MIB").is_none());
    let convention = mib.textual_convention("WarmTemperature").expect("known");
    assert_eq!(convention.module(), "VARBIND-EXAMPLE-MIB");
    assert_eq!(convention.status(), Some(Status::Deprecated));
    let syntax = convention.syntax().expect("it has one");
    assert_eq!(syntax.textual_convention(), Some("Temperature"));
    assert_eq!(syntax.ranges().to_vec(), [(0, 1000)]);
}
