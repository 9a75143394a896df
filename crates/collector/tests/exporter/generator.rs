//! Modules that are generated from snmp_exporter's stock `generator.yml`, beside its stock `snmp.yml`.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use varbind_collector::module::generator::Generated;
use varbind_mib::Mib;
use varbind_mib::compile::SearchPath;
use varbind_testkit::peers::skip;

use crate::comparison::data;

/// Modules of which all objects are built in.
const BUILT_IN: [&str; 10] = [
    "hrSWInstalled",
    "hrSWRun",
    "hrSWRunPerf",
    "hrStorage",
    "hrSystem",
    "if_mib",
    "system",
    "ucd_la_table",
    "ucd_memory",
    "ucd_system_stats",
];

/// A file of modules as plain values.
fn values(text: &str) -> BTreeMap<String, Value> {
    let options = serde_saphyr::options! { budget: serde_saphyr::budget! { max_nodes: 10_000_000, max_events: 50_000_000 } };
    let file: BTreeMap<String, Value> = serde_saphyr::from_str_with_options(text, options).unwrap();
    let modules = file.get("modules").and_then(Value::as_object).unwrap();
    let modules = modules
        .iter()
        .map(|(name, module)| (name.clone(), module.clone()));
    modules.collect()
}

fn stock() -> BTreeMap<String, Value> {
    values(&fs::read_to_string(data("snmp.yml")).unwrap())
}

/// Objects of MIB modules that are newer than those of the stock file.
const NEWER: [&str; 1] = ["memSysAvail"];

/// What a MIB generates of the stock file, without what it does not know.
fn generated(mib: &Mib, modules: &[&str]) -> BTreeMap<String, Value> {
    let text = fs::read_to_string(data("generator.yml")).unwrap();
    let mut parts = text.split_inclusive('\n').collect::<Vec<_>>();
    if !modules.is_empty() {
        // Modules that are not wanted go, each with the lines up to the next.
        let mut keeps = true;
        let mut is_behind = false;
        parts.retain(|line| {
            let name = line
                .strip_prefix("  ")
                .filter(|name| !name.starts_with(' '));
            if let Some(name) = name.filter(|_| is_behind) {
                keeps = modules.contains(&name.trim_end().trim_end_matches(':'));
            }
            is_behind |= line.starts_with("modules:");
            keeps
        });
    }
    let generated = Generated::parse(&parts.concat(), mib).unwrap();
    assert_eq!(generated.warnings, [""; 0]);
    let mut modules = values(&generated.to_yaml().unwrap());
    for module in modules.values_mut() {
        let metrics = module["metrics"].as_array_mut().unwrap();
        metrics.retain(|metric| !NEWER.contains(&metric["name"].as_str().unwrap()));
    }
    modules
}

/// Removes keys from all maps in a value.
fn without(value: &mut Value, keys: &[&str]) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| !keys.contains(&key.as_str()));
            map.values_mut().for_each(|value| without(value, keys));
        }
        Value::Array(list) => list.iter_mut().for_each(|value| without(value, keys)),
        _ => {}
    }
}

/// Removes the names of ifType, which are those of the version of IANAifType-MIB that there is: an older one has fewer of the same.
fn without_newer_types(theirs: &mut Value, ours: &Value) {
    let metrics = theirs.get_mut("metrics").and_then(Value::as_array_mut);
    let known = ours.get("metrics").and_then(Value::as_array);
    for (theirs, ours) in metrics
        .into_iter()
        .flatten()
        .zip(known.into_iter().flatten())
    {
        if theirs["name"] == "ifType"
            && let (Some(theirs), Some(ours)) = (
                theirs["enum_values"].as_object_mut(),
                ours["enum_values"].as_object(),
            )
        {
            assert!(ours.len() > 200);
            theirs.retain(|number, _| ours.contains_key(number));
        }
    }
}

#[track_caller]
fn assert_same(name: &str, theirs: &Value, ours: &Value) {
    let metrics = |module: &Value| {
        let metrics = module.get("metrics").and_then(Value::as_array);
        metrics.cloned().unwrap_or_default()
    };
    let mut differences = Vec::new();
    for (theirs, ours) in metrics(theirs).iter().zip(&metrics(ours)) {
        if theirs != ours {
            differences.push(format!("{theirs}\n{ours}"));
        }
    }
    assert!(
        differences.is_empty(),
        "{name}:\n{}",
        differences.join("\n\n")
    );
    assert_eq!(metrics(theirs).len(), metrics(ours).len(), "{name}");
    for key in ["walk", "get", "filters", "max_repetitions", "timeout"] {
        assert_eq!(theirs.get(key), ours.get(key), "{name}");
    }
}

#[test]
fn stock_modules_are_generated_from_the_objects_that_are_built_in() {
    let stock = stock();
    let generated = generated(&Mib::builtin(), &BUILT_IN);
    assert_eq!(generated.len(), BUILT_IN.len());
    for (name, mut ours) in generated {
        let mut theirs = stock[&name].clone();
        // Descriptions are not built in.
        for module in [&mut ours, &mut theirs] {
            without(module, &["help"]);
        }
        without_newer_types(&mut theirs, &ours);
        assert_same(&name, &theirs, &ours);
    }
}

/// Where MIB modules of the IETF are, and Net-SNMP's own.
fn directories() -> Option<Vec<PathBuf>> {
    let named = env::var_os("VARBIND_MIB_DIRECTORY").map(PathBuf::from);
    let usual = ["/var/lib/mibs/ietf", "/usr/share/snmp/mibs/ietf"].map(PathBuf::from);
    let ietf = named.into_iter().chain(usual);
    let ietf = ietf.into_iter().find(|directory| {
        let has = |module: &str| directory.join(module).is_file();
        has("IF-MIB") && has("Printer-MIB") && has("UPS-MIB")
    });
    let own = Path::new("/usr/share/snmp/mibs");
    let Some(ietf) = ietf.filter(|_| own.join("UCD-SNMP-MIB.txt").is_file()) else {
        skip("no MIB modules of the IETF and of Net-SNMP: VARBIND_MIB_DIRECTORY names a directory");
        return None;
    };
    Some(vec![ietf, own.to_owned()])
}

#[test]
fn stock_modules_are_generated_as_by_snmp_exporter() {
    let Some(directories) = directories() else {
        return;
    };
    let found = SearchPath::of(directories).catalog(None, |_| ()).unwrap();
    let stock = stock();
    let generated = generated(&Mib::with_catalog(found.catalog.unwrap()), &[]);
    assert_eq!(generated.len(), 13);
    for (name, ours) in &generated {
        let mut theirs = stock[name].clone();
        without_newer_types(&mut theirs, ours);
        assert_same(name, &theirs, ours);
    }
}
