use super::*;

fn read(lines: &str) -> Result<Plan, String> {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let modules = "auths: {public_v2: {}}\nmodules: {if_mib: {}, system: {}, bgp: {}}";
    write("snmp.yml", modules);
    let targets = "[{\"targets\": [\"192.0.2.1\", \"192.0.2.2\"], \"labels\": {\"site\": \"lab\", \"__x\": \"y\"}}]";
    write("sd1.json", targets);
    let path = write("fleet.toml", lines);
    Plan::read(&path, &mut Discovered::default()).map_err(|error| error.to_string())
}

#[test]
fn a_target_of_two_groups_has_the_jobs_of_both() {
    let plan = read(
        "snmp-yml = ['snmp.yml']\ninterval = '30s'\n[prometheus]\nlisten = [':0']\n\
         [[targets]]\ninventory = ['sd*.json']\nmodules = ['if_mib', 'system']\nauth = 'public_v2'\nlabels = {team = 'net'}\n\
         [[targets]]\nhosts = ['192.0.2.2']\nmodules = ['system', 'bgp']\ninterval = '5m'\ndeadline = '20s'\n",
    )
    .unwrap();
    assert_eq!(plan.size(), (2, 5));
    assert!(plan.warnings.is_empty(), "{:?}", plan.warnings);
    let [first, second] = &plan.devices[..] else {
        panic!("{plan:?}");
    };
    let labels = [("site", "lab"), ("team", "net")];
    let labels = labels.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(first.name.labels, labels);
    let jobs = second.jobs.iter();
    let jobs: Vec<_> = jobs
        .map(|job| {
            (
                job.work.name(),
                job.interval.as_secs(),
                job.deadline.as_secs(),
            )
        })
        .collect();
    assert_eq!(
        jobs,
        [("if_mib", 30, 15), ("system", 30, 15), ("bgp", 300, 20)]
    );
}

#[cfg(not(feature = "nats"))]
#[test]
fn a_cluster_needs_a_program_that_is_built_with_nats() {
    let lines = "snmp-yml = ['snmp.yml']\n[cluster]\nlease = '5s'\n[[targets]]\nhosts = ['192.0.2.1']\nmodules = ['system']\n";
    let error = read(lines).unwrap_err();
    assert!(
        error.contains("cluster") && error.contains("--features nats"),
        "{error}"
    );
}

type Case = (&'static str, &'static [&'static str]);

/// Files, and parts of the errors that they are refused with.
const FILES: &[Case] = &[
    ("", &["snmp-yml: there are no modules", "generator-yml"]),
    ("snmp-yml = ['none.yml']", &["none.yml", "no such file"]),
    ("snmp-yml = ['snmp.yml']", &["targets: there are none"]),
    (
        "snmp-yml = ['snmp.yml']\nintervall = '1m'",
        &["line 2", "unknown key intervall; did you mean interval?"],
    ),
    (
        "snmp-yml = ['snmp.yml']\ninterval = 60",
        &["line 2", "60 is no duration: write \"60s\""],
    ),
    (
        "snmp-yml = ['snmp.yml']\ninterval = '60'",
        &["line 2", "write \"60s\""],
    ),
    (
        "snmp-yml = ['snmp.yml']\ninterval = '10ms'",
        &["line 2", "10ms is shorter than 100ms"],
    ),
];

/// Lines of a group of targets, and parts of the errors that they are refused with.
const TARGETS: &[Case] = &[
    (
        "hosts = ['r']\nmodules = ['if_mbi']",
        &["targets[0].modules", "did you mean if_mib?"],
    ),
    (
        "hosts = ['r']\nmodules = []",
        &["targets[0].modules", "no module"],
    ),
    ("modules = ['if_mib']", &["targets[0]: it needs hosts"]),
    (
        "hosts = ['r']\nmodules = ['auto']",
        &["auto needs", "[[choose]]"],
    ),
    (
        "hosts = ['r']\nmodules = ['if_mib']\nauth = 'public'",
        &["targets[0].auth", "auth public"],
    ),
    (
        "inventory = ['hosts.toml']\nmodules = ['if_mib']",
        &["targets[0].inventory", "hosts.toml", "no such file"],
    ),
    (
        "hosts = ['@lab']\ninventory = ['sd1.json']\nmodules = ['if_mib']",
        &["targets[0].hosts", "lab"],
    ),
    (
        "hosts = ['r']\nmodules = ['if_mib']\ninterval = '10s'\ndeadline = '20s'",
        &["targets[0].deadline", "longer than the interval"],
    ),
    (
        "hosts = ['r']\nmodules = ['if_mib']\n[[choose]]\nobject-id = 'cisco'\nmodules = ['if_mib']",
        &["choose[0].object-id", "\"cisco\""],
    ),
    (
        "hosts = ['r']\nmodules = ['if_mib']\n[output.file]\ntype = 'json-lines'\npaht = 'x'",
        &["paht"],
    ),
];

#[track_caller]
fn assert_refused(lines: &str, parts: &[&str]) {
    let error = read(lines).unwrap_err();
    for part in parts {
        assert!(error.contains(part), "{part:?} is not in {error:?}");
    }
}

#[test]
fn errors_name_file_key_and_what_to_write() {
    for (lines, parts) in FILES {
        assert_refused(lines, parts);
    }
    for (keys, parts) in TARGETS {
        let lines = format!("snmp-yml = ['snmp.yml']\n[[targets]]\n{keys}");
        assert_refused(&lines, parts);
    }
}

#[test]
fn values_that_go_nowhere_are_warned_about() {
    let plan =
        read("snmp-yml = ['snmp.yml']\n[[targets]]\nhosts = ['r']\nmodules = ['if_mib']").unwrap();
    assert!(
        plan.warnings
            .iter()
            .any(|warning| warning.contains("go nowhere")),
        "{:?}",
        plan.warnings
    );
}
