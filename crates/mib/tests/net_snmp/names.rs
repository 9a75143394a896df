use std::collections::BTreeSet;

use varbind_mib::{Mib, NameStyle, Object, OutputOptions, format_name};
use varbind_testkit::peers::skip;

use crate::peer::NetSnmp;

/// Net-SNMP ships the SNMP-COMMUNITY-MIB of RFC 2576, in which RFC 3584's group has another name.
const RENAMED: &str = "snmpCommunityTableGroup";

/// The objects of the modules that the tools find as well.
fn objects<'m>(mib: &'m Mib, net_snmp: &NetSnmp) -> Vec<Object<'m>> {
    let mut objects: Vec<Object<'m>> = [0, 1, 2]
        .iter()
        .flat_map(|root| mib.subtree(std::slice::from_ref(root)))
        .filter(|object| !object.module().is_empty() && object.name() != RENAMED)
        .collect();
    let modules: BTreeSet<&str> = objects.iter().map(Object::module).collect();
    for module in modules {
        if !net_snmp.has(module) {
            skip(&format!("{module} is not among the MIB modules"));
            objects.retain(|object| object.module() != module);
        }
    }
    objects
}

fn translate(net_snmp: &NetSnmp, options: &str, names: &[String]) -> Vec<String> {
    let arguments: Vec<String> = std::iter::once(options.to_owned())
        .chain(names.iter().cloned())
        .collect();
    let output = net_snmp.run("snmptranslate", &arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout)
        .expect("UTF-8")
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_object_has_the_oid_that_snmptranslate_knows() {
    let Some(net_snmp) = NetSnmp::find() else {
        return;
    };
    let mib = Mib::builtin();
    let objects = objects(&mib, &net_snmp);
    assert!(objects.len() > 900);
    let names: Vec<String> = objects
        .iter()
        .map(|object| format!("{}::{}", object.module(), object.name()))
        .collect();
    let numeric = OutputOptions::parse("n").expect("known");
    let theirs = translate(&net_snmp, "-On", &names);
    assert_eq!(theirs.len(), names.len());
    for ((object, name), theirs) in objects.iter().zip(&names).zip(theirs) {
        let mut ours = String::new();
        format_name(&mib, &numeric, object.oid(), &mut ours);
        assert_eq!(ours, theirs, "{name}");
        let resolved = mib.resolve(name).expect("a known name");
        assert_eq!(resolved.arcs(), object.oid(), "{name}");
    }
}

#[test]
fn every_object_has_the_path_that_snmptranslate_knows() {
    let Some(net_snmp) = NetSnmp::find() else {
        return;
    };
    let mib = Mib::builtin();
    let objects = objects(&mib, &net_snmp);
    let numbers: Vec<String> = objects
        .iter()
        .map(|object| {
            let mut text = String::new();
            let options = OutputOptions::parse("n").expect("known");
            format_name(&mib, &options, object.oid(), &mut text);
            text
        })
        .collect();
    let mut full = OutputOptions::default();
    full.names = NameStyle::Full;
    for (object, theirs) in objects.iter().zip(translate(&net_snmp, "-Of", &numbers)) {
        let mut ours = String::new();
        format_name(&mib, &full, object.oid(), &mut ours);
        assert_eq!(ours, theirs);
    }
}

#[test]
fn names_are_read_as_snmptranslate_reads_them() {
    const NAMES: &[&str] = &[
        "sysDescr.0",
        "IF-MIB::ifDescr.2",
        "IF-MIB:ifDescr.2",
        "SNMPv2-MIB::sysName.0",
        ".1.3.6.1.2.1.1.5.0",
        "1.3.6.1.4.1.9",
        "iso.3.6.1",
        ".iso.org.dod.internet.mgmt.mib-2.system.sysName.0",
        "mib-2.1.1.0",
        "enterprises.9.1",
        "ifDescr",
        "system.sysDescr.0",
        "ipAdEntAddr.127.0.0.1",
        "ipNetToMediaNetAddress.2.10.0.0.1",
        "IP-MIB::ipAddressIfIndex.ipv4.4.127.0.0.1",
        "ipSystemStatsInReceives.ipv6",
        "vacmGroupName.3.\"admin\"",
        "vacmGroupName.3.\"a.b\"",
        "vacmGroupName.3.\"a\\\"b\"",
        "vacmGroupName.usm.0",
        "vacmGroupName.3.5.97.100.109.105.110",
        "vacmAccessReadViewName.\"g\".\"\".3.noAuthNoPriv",
        "vacmViewTreeFamilyMask.\"all\".3.1.3.6",
        "snmpTargetAddrTDomain.'target1'",
        "snmpTargetAddrTDomain.116.49",
        "enterprises.9.\"text\".1",
        "enterprises.9.'text'.1",
        "tcpConnState.127.0.0.1.161.10.0.0.1.40000",
        "ifStackStatus.0.1",
        "ifDescr.0",
        "ifDescr.x",
        "ifDescr.-1",
        "noSuchName.0",
        "IF-MIB::sysDescr.0",
        "NO-SUCH-MIB::sysDescr.0",
        "system.ifDescr",
        "ipAdEntAddr.300.0.0.1",
        "tcpConnState.127.0.0.1.70000.10.0.0.1.40000",
        "vacmAccessReadViewName.\"\".\"\".3.noAuthNoPriv",
        "vacmGroupName.3.\"open",
        "enterprises.x",
    ];
    let Some(net_snmp) = NetSnmp::find() else {
        return;
    };
    let mib = Mib::builtin();
    let mut differences = Vec::new();
    for &name in NAMES {
        // Only with this, snmptranslate takes a name without the path to it, as the other tools do.
        let is_bare = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && !name.starts_with("iso")
            && !name.contains(':');
        let arguments = [if is_bare { "-IR" } else { "-On" }, "-On", name].map(str::to_owned);
        let output = net_snmp.run("snmptranslate", &arguments);
        let theirs = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let ours = mib
            .resolve(name)
            .map_or(String::new(), |oid| format!(".{oid}"));
        if ours != theirs {
            differences.push(format!("{name}\n  ours   {ours}\n  theirs {theirs}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
