//! snmp_exporter scrapes the agent with its stock modules.

use std::env;
use std::ffi::OsString;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use varbind_testkit::http;
use varbind_testkit::peers::{Running, command, eventually, free_port, is_installed, skip};

use crate::process::Home;

/// Where Debian's package prometheus-snmp-exporter has the program. It comes without modules.
const PROGRAM: &str = "prometheus-snmp-exporter";

/// Stock modules, and series that they make of this agent. (ip_mib asks for ipv4InterfaceTable alone.)
const MODULES: &[(&str, &[&str])] = &[
    ("system", &["sysUpTime", "sysDescr"]),
    ("if_mib", &["ifHCInOctets", "ifOperStatus"]),
    ("hrSystem", &["hrSystemUptime", "hrSystemProcesses"]),
    ("hrStorage", &["hrMemorySize", "hrStorageUsed"]),
    ("hrSWRunPerf", &["hrSWRunPerfCPU", "hrSWRunPerfMem"]),
    ("hrSWRun", &["hrSWRunIndex", "hrSWRunName"]),
    ("ucd_la_table", &["laLoadInt", "laLoadFloat"]),
    ("ucd_memory", &["memTotalReal", "memAvailReal"]),
    ("ucd_system_stats", &["ssCpuRawIdle", "ssCpuNumCpus"]),
];

/// The stock modules of the collector's tests, or the file that VARBIND_SNMP_YML names.
fn modules() -> PathBuf {
    let stock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../collector/tests/data/stock");
    env::var_os("VARBIND_SNMP_YML").map_or(stock.join("snmp.yml"), PathBuf::from)
}

#[test]
fn snmp_exporter_scrapes_the_host_with_its_stock_modules() {
    let program = env::var_os("VARBIND_SNMP_EXPORTER");
    if program.is_none() && !is_installed(PROGRAM) {
        return;
    }
    let program = program.unwrap_or_else(|| OsString::from(PROGRAM));
    let exporter = || {
        let mut exporter = command(program.to_str().unwrap());
        exporter.arg(format!("--config.file={}", modules().display()));
        exporter
    };
    let checked = exporter().arg("--dry-run").output().unwrap();
    if !checked.status.success() {
        return skip("this snmp_exporter cannot read the stock modules of 0.30.1");
    }
    let agent =
        Home::new("listen = [\"udp:127.0.0.1:0\"]\n[[community]]\nname = \"public\"\n").start(1);
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let running = exporter()
        .arg(format!("--web.listen-address={address}"))
        .stderr(Stdio::null())
        .spawn();
    let _running = Running(running.unwrap());
    eventually("snmp_exporter does not listen", || {
        TcpStream::connect(address).is_ok()
    });
    for (module, series) in MODULES {
        let path = format!(
            "/snmp?target=127.0.0.1:{}&auth=public_v2&module={module}",
            agent.port()
        );
        eventually(&format!("{module} lacks one of {series:?}"), || {
            let (status, body) = http::get(address, &path);
            let has = |name: &&str| {
                let mut lines = body.lines();
                lines.any(|line| line.starts_with(*name) && !line.ends_with(" NaN"))
            };
            status == 200 && series.iter().all(has)
        });
    }
    let (_, body) = http::get(
        address,
        &format!("/snmp?target=127.0.0.1:{}&module=if_mib", agent.port()),
    );
    let received = body
        .lines()
        .find(|line| line.starts_with("ifHCInOctets{") && line.contains("ifDescr=\"lo\""));
    let received = received.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    assert!(received > Some(0.0), "{body}");
}
