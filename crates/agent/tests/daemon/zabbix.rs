//! Zabbix's proxy polls the agent. It has its items from its database, where a server would have put them, and keeps the values there.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use varbind_testkit::peers::{command, free_port, is_installed, skip};

use crate::process::Home;

/// The tables of the proxy's database, in Debian's package zabbix-proxy-sqlite3.
const TABLES: &str = "/usr/share/zabbix-proxy-sqlite3/schema.sql.gz";
const PATIENCE: Duration = Duration::from_secs(60);

/// A host with two items, a text and a number.
const ITEMS: &str = "
INSERT INTO config (configid, discovery_groupid) VALUES (1, 1);
INSERT INTO hosts (hostid, host, name) VALUES (1, 'host', 'host');
INSERT INTO interface (interfaceid, hostid, main, type, port) VALUES (1, 1, 1, 2, 'PORT');
INSERT INTO interface_snmp (interfaceid, version, community) VALUES (1, 2, 'public');
INSERT INTO items (itemid, type, snmp_oid, hostid, key_, delay, value_type, interfaceid) VALUES
  (1, 20, '1.3.6.1.2.1.1.1.0', 1, 'description', '1s', 4, 1),
  (2, 20, '1.3.6.1.2.1.25.2.2.0', 1, 'memory', '1s', 3, 1);
INSERT INTO item_rtdata (itemid) VALUES (1), (2);
";

const CONFIGURATION: &str = "
ProxyMode=1
Server=127.0.0.1
Hostname=proxy
ListenIP=127.0.0.1
ListenPort=PORT
LogType=console
PidFile=DIRECTORY/pid
SocketDir=DIRECTORY
DBName=DIRECTORY/proxy.db
AllowRoot=1
StartPollers=1
StartPreprocessors=1
StartPingers=0
StartDiscoverers=0
StartTrappers=1
StartHTTPPollers=0
StartODBCPollers=0
StartHistoryPollers=0
StartDBSyncers=1
CacheSize=1M
HistoryCacheSize=1M
HistoryIndexCacheSize=1M
";

/// The proxy, which ends its own processes if it is asked to.
struct Proxy(Child);

impl Drop for Proxy {
    fn drop(&mut self) {
        let process = self.0.id().to_string();
        let _ = command("kill").args(["-TERM", &process]).status();
        let _ = self.0.wait();
    }
}

/// What a program writes that reads the text.
fn filter(program: &str, arguments: &[&str], text: &[u8]) -> String {
    let mut child = command(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The values that the proxy has of an item.
fn values(database: &Path, item: u32) -> String {
    let query = format!("SELECT value FROM proxy_history WHERE itemid = {item} AND state = 0;");
    filter(
        "sqlite3",
        &["-readonly", &database.display().to_string()],
        query.as_bytes(),
    )
}

fn database(directory: &Path, agent_port: &str) -> PathBuf {
    let tables = command("gzip").args(["-dc", TABLES]).output().unwrap();
    let tables = String::from_utf8(tables.stdout).unwrap();
    let items = ITEMS.replace("PORT", agent_port);
    let text = format!("PRAGMA synchronous = OFF; BEGIN; {tables} {items} COMMIT;");
    let path = directory.join("proxy.db");
    let printed = filter(
        "sqlite3",
        &["-bail", &path.display().to_string()],
        text.as_bytes(),
    );
    assert!(path.exists(), "{printed}");
    path
}

#[test]
fn a_proxy_of_zabbix_polls_texts_and_numbers() {
    let programs = ["zabbix_proxy", "sqlite3"];
    if !programs.into_iter().all(is_installed) {
        return;
    }
    if !Path::new(TABLES).exists() {
        return skip("Debian's package zabbix-proxy-sqlite3 is not installed");
    }
    let directory = tempfile::tempdir().unwrap();
    let agent = "listen = [\"udp:127.0.0.1:0\"]\n[[community]]\nname = \"public\"\n\
                 [system]\ndescription = \"a host of Zabbix\"\n";
    let agent = Home::new(agent).start(1);
    let database = database(directory.path(), agent.port());
    let configuration = CONFIGURATION
        .replace("PORT", &free_port().to_string())
        .replace("DIRECTORY", &directory.path().display().to_string());
    let file = directory.path().join("zabbix_proxy.conf");
    fs::write(&file, configuration).unwrap();
    let log = fs::File::create(directory.path().join("log")).unwrap();
    let proxy = command("zabbix_proxy")
        .arg("-f")
        .arg("-c")
        .arg(&file)
        .stdout(log)
        .spawn();
    let _proxy = Proxy(proxy.unwrap());
    let deadline = Instant::now() + PATIENCE;
    let (mut text, mut number) = (String::new(), String::new());
    while text.is_empty() || number.is_empty() {
        let log = || fs::read_to_string(directory.path().join("log")).unwrap();
        assert!(Instant::now() < deadline, "{}", log());
        std::thread::sleep(Duration::from_millis(200));
        (text, number) = (values(&database, 1), values(&database, 2));
    }
    assert!(
        text.lines().all(|line| line == "a host of Zabbix"),
        "{text}"
    );
    let octets: u64 = number.lines().next().unwrap().parse().unwrap();
    assert!(
        octets > 1000,
        "hrMemorySize in units of 1024 octets: {octets}"
    );
}
