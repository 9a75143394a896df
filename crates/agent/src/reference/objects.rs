//! The objects that an agent serves, and its metrics.

use std::collections::BTreeMap;

use varbind::clock::Clock;
use varbind_mib::{Kind, Mib};
use varbind_testkit::documentation::assert_generated;
use varbind_web::metric_families;

use crate::configuration::AgentConfiguration;
use crate::instrumentation::Instrumentation;
use crate::local_configuration::{Programs, build_registry};

const OBJECTS: &str = "\
# All objects

For engineers who write templates: the scalars and tables that the agent serves, module by module. An object without a value on a
host is absent there. [Objects of the host](../host.md) explains sources and differences from snmpd.
";
const METRICS: &str = "\
# Metrics

For operators of Prometheus: the metrics that [the agent](../web.md#metrics) serves at `/metrics`. An object without a value on a
host is absent there. `system_info` has the labels `sysDescr`, `sysName`, `sysLocation` and `sysContact`.
";

/// Objects among those that are served which have no value on Linux, or are obsolete.
const WITHOUT_VALUES: [&str; 14] = [
    "dot1dStpTimeSinceTopologyChange",
    "dot1dStpTopChanges",
    "dot1dTpLearnedEntryDiscards",
    "dot1dTpPortTable",
    "hrSystemInitialLoadDevice",
    "inetCidrRouteDiscards",
    "ipForwardNumber",
    "ipForwardTable",
    "memAvailRealTXT",
    "memAvailSwapTXT",
    "memTotalRealTXT",
    "memTotalSwapTXT",
    "memUsedRealTXT",
    "memUsedSwapTXT",
];

/// The names below which an agent with users and subagents has objects.
fn roots() -> Vec<Vec<u32>> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.toml");
    let state = directory.path().join("state");
    let text = format!(
        "state-directory = {state:?}\n[agentx]\nsocket = {:?}\n[[user]]\nname = \"ops\"\n\
         authentication = {{ protocol = \"SHA-256\", password = \"maple syrup\" }}\n\
         privacy = {{ protocol = \"AES\", password = \"apple sauce\" }}\n",
        directory.path().join("agentx"),
    );
    std::fs::write(&path, text).unwrap();
    let configuration = AgentConfiguration::load(&path).unwrap();
    let instrumentation = Instrumentation::open(&configuration, Clock::start()).unwrap();
    let programs = Programs::new(&instrumentation, &configuration);
    let described = instrumentation.described_engine(&configuration).unwrap();
    let engine = Some(&described);
    let registry = build_registry(
        &configuration,
        &instrumentation,
        engine,
        &described,
        &programs,
    )
    .unwrap();
    registry.roots().map(|root| root.arcs().to_vec()).collect()
}

#[test]
fn page_of_objects_is_up_to_date() {
    let roots = roots();
    let is_served = |oid: &[u32]| {
        let mut roots = roots.iter();
        roots.any(|root| root.starts_with(oid) || oid.starts_with(root))
    };
    let mib = Mib::builtin();
    let mut modules: BTreeMap<&str, [Vec<&str>; 2]> = BTreeMap::new();
    let mut omitted = 0;
    for object in mib.subtree(&[1]).filter(|object| is_served(object.oid())) {
        let kind = match object.kind() {
            Kind::Scalar => 0,
            Kind::Table => 1,
            _ => continue,
        };
        if WITHOUT_VALUES.contains(&object.name()) {
            omitted += 1;
            continue;
        }
        modules.entry(object.module()).or_default()[kind].push(object.name());
    }
    let mut page = OBJECTS.to_owned();
    for (module, kinds) in &modules {
        page += &format!("\n## {module}\n\n");
        for (kind, names) in ["Tables", "Scalars"].iter().zip(kinds.iter().rev()) {
            if !names.is_empty() {
                page += &format!("- {kind}: {}\n", names.join(", "));
            }
        }
    }
    assert!(modules.len() > 15, "{modules:?}");
    assert_eq!(omitted, WITHOUT_VALUES.len());
    assert_generated("docs/reference/objects.md", &page);
}

#[test]
fn page_of_metrics_is_up_to_date() {
    let families = metric_families(&roots());
    let mut page = METRICS.to_owned();
    for (title, is_of_interfaces) in [
        (
            "Of each interface, with the labels ifIndex, ifDescr, ifName and ifAlias",
            true,
        ),
        ("Without labels", false),
    ] {
        page += &format!("\n## {title}\n\n| metric | type | object |\n| --- | --- | --- |\n");
        for family in families
            .iter()
            .filter(|family| family.is_of_interfaces == is_of_interfaces)
        {
            page += &format!(
                "| `{}` | {} | {} |\n",
                family.name, family.kind, family.help
            );
        }
    }
    assert!(families.len() > 40, "{families:?}");
    assert_generated("docs/reference/metrics.md", &page);
}
