//! The objects of the host: of a recorded one, and of this one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use varbind_testkit::peers::{eventually, is_installed};

use crate::process::{Agent, Home};

/// The readers of the agent run aside; a busy machine may let them wait.
const PATIENCE: Duration = Duration::from_secs(60);

const HR_SYSTEM: &str = ".1.3.6.1.2.1.25.1";
const HR_STORAGE_TABLE: &str = ".1.3.6.1.2.1.25.2.3";
const HR_SW_RUN_TABLE: &str = ".1.3.6.1.2.1.25.4.2";

const DISK_IO_DEVICE: &str = ".1.3.6.1.4.1.2021.13.15.1.1.2";
/// Disks besides those in [`RECORDED`].
const DISKS: usize = 300;

/// A host without swap, with a name that has spaces, counters beyond 2^32 and 2^53, and damaged files.
const RECORDED: [(&str, &str); 14] = [
    ("proc/uptime", "4904.13 9000.00\n"),
    ("proc/cmdline", "root=/dev/x quiet\n"),
    ("proc/loadavg", "0.52 12.05 0.99 1/83 5\n"),
    (
        "proc/meminfo",
        "MemTotal: 4000 kB\nMemFree: 1000 kB\nMemAvailable: 3000 kB\nBuffers: 10 kB\nCached: 500 kB\n",
    ),
    (
        "proc/stat",
        "cpu 4294967297 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 99 1\nctxt 77\n",
    ),
    ("proc/vmstat", "pgpgin 7\npgpgout 8\nbroken\n"),
    (
        "proc/diskstats",
        "8 0 sda 10 1 17592186044417 3 40 5 60 7 0 80 90\n7 0 loop0 1 1 1 1 1 1 1 1 1 1 1\nbroken\n",
    ),
    (
        "proc/1/mounts",
        "proc /proc proc rw 0 0\n/dev/sda1 / ext4 rw 0 0\noverlay /merged overlay rw 0 0\n\
         /dev/sdb1 /with\\040space\\303\\266 xfs ro 0 0\n",
    ),
    (
        "proc/net/snmp",
        "Ip: InReceives OutRequests\nIp: 4294967299 12\nTcp: RtoAlgorithm MaxConn CurrEstab\nTcp: 1 -1 3\n\
         Udp: InDatagrams\nUdp: 5\n",
    ),
    ("proc/net/snmp6", "Ip6InReceives 21\nUdp6InDatagrams 6\n"),
    (
        "proc/net/tcp",
        "sl local rem st\n0: 0100007F:0016 00000000:0000 0A\nbroken\n",
    ),
    (
        "proc/42/stat",
        "42 (a) S (b c) R 1 2 3 4 5 6 7 8 9 10 300 45 0 0 20 0 1 0 100 5000 77\n",
    ),
    ("proc/42/cmdline", "/bin/x\0--password\0secret\0"),
    ("sys/class/hwmon/hwmon0/temp1_input", "-5000\n"),
];

fn write_recorded(root: &Path) {
    for (file, text) in RECORDED {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::create_dir(root.join("with spaceö")).unwrap();
    add_disks(root, DISKS);
}

/// Writes the disks of [`RECORDED`] and so many more.
fn add_disks(root: &Path, count: usize) {
    let recorded = RECORDED.iter().find(|(file, _)| *file == "proc/diskstats");
    let mut text = recorded.unwrap().1.to_owned();
    for number in 0..count {
        text += &format!("253 {number} dm-{number} 1 0 2 3 4 0 5 6 0 7 8\n");
    }
    // As a whole, since an agent may be reading it.
    let new = root.join("proc/diskstats.new");
    fs::write(&new, text).unwrap();
    fs::rename(new, root.join("proc/diskstats")).unwrap();
}

pub(crate) fn configuration(host: &str) -> String {
    format!("listen = [\"udp:127.0.0.1:0\"]\n[host]\n{host}")
}

/// Asks until the answer is as expected: a reading may be late.
#[track_caller]
fn await_answer(agent: &Agent, name: &str, expected: &str) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = agent.ask("snmpget", &[name]);
        if answer.ends_with(expected) {
            return;
        }
        assert!(Instant::now() < deadline, "{answer} instead of {expected}");
    }
}

#[test]
fn a_recorded_host_is_served_as_it_was() {
    if !is_installed("snmpget") {
        return;
    }
    let host = tempfile::tempdir().unwrap();
    write_recorded(host.path());
    let settings = format!(
        "root = {:?}\n[[host.process]]\nname = \"x\"\nminimum = 2\n",
        host.path()
    );
    let agent = Home::new(&configuration(&settings)).start(1);
    for (name, expected) in [
        // hrSystemUptime, hrSystemInitialLoadParameters, hrSystemProcesses, hrMemorySize
        (".1.3.6.1.2.1.25.1.1.0", "Timeticks: (490413) 1:21:44.13"),
        (".1.3.6.1.2.1.25.1.4.0", "STRING: \"root=/dev/x quiet\""),
        (".1.3.6.1.2.1.25.1.6.0", "Gauge32: 2"),
        (".1.3.6.1.2.1.25.2.2.0", "INTEGER: 4000"),
        // hrStorageDescr and hrStorageUsed of memory and swap, hrStorageDescr of a file system
        (".1.3.6.1.2.1.25.2.3.1.3.1", "STRING: \"Physical memory\""),
        (".1.3.6.1.2.1.25.2.3.1.6.1", "INTEGER: 3000"),
        (".1.3.6.1.2.1.25.2.3.1.5.10", "INTEGER: 0"),
        (
            ".1.3.6.1.2.1.25.2.3.1.3.34",
            "Hex-STRING: 2F 77 69 74 68 20 73 70 61 63 65 C3 B6",
        ),
        // hrFSType, hrFSAccess
        (".1.3.6.1.2.1.25.3.8.1.4.2", "OID: .1.3.6.1.2.1.25.3.9.23"),
        (".1.3.6.1.2.1.25.3.8.1.5.4", "INTEGER: 2"),
        // hrSWRunName, hrSWRunPath, hrSWRunParameters, hrSWRunStatus, hrSWRunPerfCPU
        (".1.3.6.1.2.1.25.4.2.1.2.42", "STRING: \"a) S (b c\""),
        (".1.3.6.1.2.1.25.4.2.1.4.42", "STRING: \"/bin/x\""),
        (".1.3.6.1.2.1.25.4.2.1.5.42", "\"\""),
        (".1.3.6.1.2.1.25.4.2.1.7.42", "INTEGER: 1"),
        (".1.3.6.1.2.1.25.5.1.1.1.42", "INTEGER: 345"),
        // prCount, prErrMessage
        (".1.3.6.1.4.1.2021.2.1.5.1", "INTEGER: 1"),
        (
            ".1.3.6.1.4.1.2021.2.1.101.1",
            "STRING: \"Too few x running (# = 1)\"",
        ),
        // laLoad, laLoadInt, laLoadFloat, memAvailReal, memCached, ssCpuRawUser, ssIORawReceived
        (".1.3.6.1.4.1.2021.10.1.3.2", "STRING: \"12.05\""),
        (".1.3.6.1.4.1.2021.10.1.5.1", "INTEGER: 52"),
        // laErrorFlag beyond the usual limit of 12
        (".1.3.6.1.4.1.2021.10.1.100.1", "INTEGER: 0"),
        (".1.3.6.1.4.1.2021.10.1.100.2", "INTEGER: 1"),
        (".1.3.6.1.4.1.2021.10.1.6.1", "Opaque: Float: 0.520000"),
        (".1.3.6.1.4.1.2021.4.6.0", "INTEGER: 1000"),
        (".1.3.6.1.4.1.2021.4.15.0", "INTEGER: 500"),
        (".1.3.6.1.4.1.2021.11.50.0", "Counter32: 1"),
        (".1.3.6.1.4.1.2021.11.58.0", "Counter32: 14"),
        // diskIONRead and diskIONReadX
        (".1.3.6.1.4.1.2021.13.15.1.1.3.1", "Counter32: 512"),
        (
            ".1.3.6.1.4.1.2021.13.15.1.1.12.1",
            "Counter64: 9007199254741504",
        ),
        // ipInReceives, ipSystemStatsHCInReceives, tcpMaxConn, udpInDatagrams of both versions, tcpListenerProcess
        (".1.3.6.1.2.1.4.3.0", "Counter32: 3"),
        (".1.3.6.1.2.1.4.31.1.1.4.1", "Counter64: 4294967299"),
        (".1.3.6.1.2.1.4.31.1.1.4.2", "Counter64: 21"),
        (".1.3.6.1.2.1.6.4.0", "INTEGER: -1"),
        (".1.3.6.1.2.1.7.1.0", "Counter32: 11"),
        // lmTempSensorsValue: a Gauge32
        (".1.3.6.1.4.1.2021.13.16.2.1.3.1", "Gauge32: 0"),
    ] {
        await_answer(&agent, name, expected);
    }
    let storage = agent.ask("snmpbulkwalk", &[HR_STORAGE_TABLE]);
    assert!(
        !storage.contains("/merged") && !storage.contains("/proc"),
        "{storage}"
    );
    let disks = agent.ask("snmpbulkwalk", &[DISK_IO_DEVICE]);
    assert!(disks.contains("sda") && !disks.contains("loop0"), "{disks}");
    assert_eq!(instances(&disks).len(), 1 + DISKS);
}

/// A name as its sub-identifiers, which sort as SNMP has it.
fn arcs(name: &str) -> Vec<u32> {
    let arcs = name.split('.').skip(1);
    arcs.map(|arc| arc.parse().unwrap()).collect()
}

/// All names below `root`, 25 a response, in the order in which they came; `between` is done after the first response.
fn walk_in_pages(agent: &Agent, root: &str, between: impl FnOnce()) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut between = Some(between);
    loop {
        let last = names.last().map_or(root, String::as_str);
        let page = agent.ask("snmpbulkget", &["-Cn0", "-Cr25", last]);
        let mut more: Vec<_> = instances(&page).into_keys().collect();
        more.retain(|name| name.starts_with(&format!("{root}.")));
        // The map has them in the order of texts.
        more.sort_by_key(|name| arcs(name));
        if more.is_empty() {
            return names;
        }
        names.extend(more);
        assert!(names.len() < 10_000, "the walk does not end: {names:?}");
        if let Some(between) = between.take() {
            between();
        }
    }
}

#[test]
fn parts_that_vanish_during_a_walk_do_not_disturb_it() {
    if !is_installed("snmpget") || !is_installed("snmpbulkget") {
        return;
    }
    let host = tempfile::tempdir().unwrap();
    let root = host.path();
    write_recorded(root);
    for process in 100..130 {
        let directory = root.join(format!("proc/{process}"));
        fs::create_dir(&directory).unwrap();
        let stat = "100 (b) S 1 2 3 4 5 6 7 8 9 10 300 45 0 0 20 0 1 0 100 5000 77\n";
        fs::write(directory.join("stat"), stat).unwrap();
    }
    let sensor = |number: usize| root.join(format!("sys/class/hwmon/hwmon0/temp{number}_input"));
    for number in 2..30 {
        fs::write(sensor(number), "21000\n").unwrap();
    }
    // Each page is of a new reading.
    let settings = format!("max-age = \"20ms\"\nroot = {root:?}\n");
    let agent = Home::new(&configuration(&settings)).start(1);
    let remove_process = || fs::remove_dir_all(root.join("proc/42")).unwrap();
    let remove_sensor = || fs::remove_file(sensor(20)).unwrap();
    let remove_disks = || add_disks(root, 20);
    // What stays, and in how many columns.
    for (table, between, stays, columns) in [
        (HR_SW_RUN_TABLE, &remove_process as &dyn Fn(), 129, 7),
        (
            ".1.3.6.1.4.1.2021.13.16.2",
            &remove_sensor as &dyn Fn(),
            1,
            3,
        ),
        (
            ".1.3.6.1.4.1.2021.13.15.1",
            &remove_disks as &dyn Fn(),
            1,
            12,
        ),
    ] {
        eventually("nothing was read", || {
            !walk_in_pages(&agent, table, || ()).is_empty()
        });
        let names = walk_in_pages(&agent, table, between);
        let ascend = names.windows(2).all(|two| arcs(&two[0]) < arcs(&two[1]));
        assert!(ascend, "{names:?}");
        let is_of_row = |name: &&String| arcs(name).last() == Some(&stays);
        let of_row = names.iter().filter(is_of_row).count();
        assert_eq!(of_row, columns, "{names:?}");
    }
}

#[test]
fn arguments_of_processes_and_the_host_as_a_whole_are_a_choice() {
    if !is_installed("snmpget") {
        return;
    }
    let host = tempfile::tempdir().unwrap();
    write_recorded(host.path());
    let root = format!("root = {:?}\nprocess-arguments = true\n", host.path());
    let home = Home::new(&configuration(&root));
    let agent = home.start(1);
    let arguments = ".1.3.6.1.2.1.25.4.2.1.5.42";
    await_answer(&agent, arguments, "STRING: \"--password secret\"");
    // A process that ends is gone, and others come.
    fs::remove_dir_all(host.path().join("proc/42")).unwrap();
    await_answer(
        &agent,
        arguments,
        "No Such Instance currently exists at this OID",
    );
    home.configure(&configuration("serve = false\n"));
    agent.signal("-HUP");
    agent.await_log("the configuration was read again");
    let nothing = agent.ask("snmpbulkwalk", &[HR_SYSTEM]);
    assert!(nothing.contains("No Such Object"), "{nothing}");
}

#[test]
fn a_wrong_setting_of_the_host_is_reported_with_its_line() {
    for (setting, expected) in [
        ("max-age = 5", "max-age"),
        ("exclude-types = \"nfs\"", "exclude-types"),
        ("roots = \"/\"", "did you mean root?"),
        ("process = [{ minimum = 1 }]", "name"),
        ("process = [{ name = \"/bin/x\" }]", "without its directory"),
        (
            "process = [{ name = \"x\", minimum = 2, maximum = 1 }]",
            "maximum 1 is below minimum 2",
        ),
        ("process = [{ name = \"x\", minimum = -1 }]", "minimum"),
    ] {
        let output = Home::new(&configuration(setting)).fail();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            told.contains(expected) && told.contains(", line 4"),
            "{told}"
        );
    }
}

/// Names and values that a tool of Net-SNMP shows, without exceptions such as noSuchObject.
pub(crate) fn instances(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter_map(|line| line.split_once(" = "));
    lines
        .filter(|(_, value)| !value.starts_with("No "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[test]
fn this_process_is_among_those_that_run() {
    if !is_installed("snmpbulkwalk") {
        return;
    }
    // One reading for the whole walk.
    let agent = Home::new(&configuration("max-age = \"1h\"")).start(1);
    let name = format!("{HR_SW_RUN_TABLE}.1.1.{}", std::process::id());
    await_answer(&agent, &name, &format!("INTEGER: {}", std::process::id()));
    let table = instances(&agent.ask("snmpbulkwalk", &[HR_SW_RUN_TABLE]));
    assert_eq!(table.len() % 7, 0, "each process has seven columns");
}
