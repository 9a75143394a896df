//! snmp_exporter scrapes the agent with its stock modules.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use varbind_testkit::peers::{Running, command, free_port, is_installed, skip};

use crate::process::Home;

/// Where Debian's package prometheus-snmp-exporter has the program and its modules. The package ships none: the file is the
/// administrator's.
const PROGRAM: &str = "prometheus-snmp-exporter";
const MODULES: &str = "/etc/prometheus/snmp.yml";
const PATIENCE: Duration = Duration::from_secs(60);

fn get(address: SocketAddr, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut response = String::new();
    stream.read_to_string(&mut response).ok()?;
    Some(response)
}

#[test]
fn snmp_exporter_scrapes_interfaces_with_its_stock_module() {
    let program = env::var_os("VARBIND_SNMP_EXPORTER");
    if program.is_none() && !is_installed(PROGRAM) {
        return;
    }
    let program = program.unwrap_or_else(|| OsString::from(PROGRAM));
    let modules = env::var_os("VARBIND_SNMP_YML").map_or(MODULES.into(), PathBuf::from);
    let text = fs::read_to_string(&modules).unwrap_or_default();
    if !text.contains("if_mib:") {
        return skip("no stock modules: VARBIND_SNMP_YML names no file with if_mib");
    }
    let agent =
        Home::new("listen = [\"udp:127.0.0.1:0\"]\n[[community]]\nname = \"public\"\n").start(1);
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let exporter = command(program.to_str().unwrap())
        .arg(format!("--config.file={}", modules.display()))
        .arg(format!("--web.listen-address={address}"))
        .stderr(Stdio::null())
        .spawn();
    let _exporter = Running(exporter.unwrap());
    let path = format!("/snmp?target=127.0.0.1:{}&module=if_mib", agent.port());
    let deadline = Instant::now() + PATIENCE;
    let response = loop {
        match get(address, &path) {
            Some(response) if response.contains("ifHCInOctets{") => break response,
            other => assert!(Instant::now() < deadline, "{other:?}"),
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let of_loopback = |name: &str| {
        let mut lines = response.lines();
        let found = lines.find(|line| line.starts_with(name) && line.contains("ifDescr=\"lo\""));
        found.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap())
    };
    assert!(of_loopback("ifHCInOctets{") > Some(0.0), "{response}");
}
