//! Subagents: programs of Net-SNMP and others that serve objects of this agent over AgentX.

use std::fs;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Stdio;

use varbind_codec::agentx::{AgentxPdu, ByteOrder, ResponseError};
use varbind_testkit::peers::{Running, command, eventually, is_installed};
use varbind_testkit::subagent::{Instances, Subagent, error, region};

use crate::process::{Agent, Home, ask};

/// netSnmpExampleScalars, where nothing is, and nsModuleTable, which only Net-SNMP's agent serves.
const NS_MODULE_TABLE: &str = ".1.3.6.1.4.1.8072.1.2.1";
const SYS_NAME: &str = ".1.3.6.1.2.1.1.5.0";

/// snmpd as a subagent.
fn snmpd(directory: &Path, socket: &Path) -> Running {
    let file = directory.join("snmpd.conf");
    fs::write(&file, "").unwrap();
    let child = command("snmpd")
        .args(["-f", "-C", "-X", "-Lf", "/dev/null", "-x"])
        .arg(socket)
        .arg("-c")
        .arg(file)
        .env("SNMP_PERSISTENT_DIR", directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    Running(child)
}

fn walk(agent: &Agent, root: &str) -> String {
    ask("snmpbulkwalk", "public", &agent.addresses[0], &[root])
}

#[test]
fn snmpd_as_a_subagent_serves_what_the_agent_does_not() {
    if !is_installed("snmpd") || !is_installed("snmpbulkwalk") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("master");
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n[agentx]\nsocket = {socket:?}\n"
    ));
    let agent = home.start(1);
    let name = ask("snmpget", "public", &agent.addresses[0], &[SYS_NAME]);
    let subagent = snmpd(directory.path(), &socket);
    let rows = || walk(&agent, NS_MODULE_TABLE).lines().count();
    eventually("no rows", || rows() > 100);
    // The same by GetNext, in order.
    let by_next = ask(
        "snmpwalk",
        "public",
        &agent.addresses[0],
        &[NS_MODULE_TABLE],
    );
    assert_eq!(by_next, walk(&agent, NS_MODULE_TABLE));
    // A walk of everything passes from objects of the one to those of the other.
    let all = walk(&agent, ".1");
    for part in [SYS_NAME, NS_MODULE_TABLE, ".1.3.6.1.6.3.16.1.5.2.1"] {
        assert!(all.contains(part), "{part}");
    }
    assert!(!all.contains("not increasing"));
    // What the agent has itself it goes on to serve.
    let same = ask("snmpget", "public", &agent.addresses[0], &[SYS_NAME]);
    assert_eq!(same, name);
    drop(subagent);
    eventually("rows of a subagent that is gone", || rows() <= 1);
}

/// A subagent that does not answer costs its own rows, and no more.
#[test]
fn a_subagent_that_hangs_costs_its_own_rows() {
    if !is_installed("snmpd") || !is_installed("snmpbulkwalk") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("master");
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n[agentx]\nsocket = {socket:?}\n\
         [[scalar]]\noid = \"1.3.6.1.4.1.99999.1.0\"\ntype = \"integer\"\nvalue = 7\n"
    ));
    let agent = home.start(1);
    let subagent = snmpd(directory.path(), &socket);
    eventually("no rows", || {
        walk(&agent, NS_MODULE_TABLE).lines().count() > 100
    });
    subagent.signal("-STOP");
    // The walk goes on behind what hangs, to an object of the agent itself.
    let options = ["-t", "60", "-r", "0", ".1.3.6.1.4.1.8072"];
    let rest = ask("snmpwalk", "public", &agent.addresses[0], &options);
    assert!(!rest.contains("Timeout"), "{rest}");
    let behind = ask(
        "snmpgetnext",
        "public",
        &agent.addresses[0],
        &["-t", "60", "-r", "0", ".1.3.6.1.4.1.8072.9"],
    );
    assert!(behind.contains("99999.1.0 = INTEGER: 7"), "{behind}");
    // Who is given up after several answers did not come is told so, and may come again.
    subagent.signal("-CONT");
    eventually("no rows again", || {
        walk(&agent, NS_MODULE_TABLE).lines().count() > 100
    });
}

const BOTH: &str = "[[community]]\nname = \"public\"\n[[community]]\nname = \"private\"\naccess = \"read-write\"\n";
/// nsCacheDefaultTimeout, which snmpd lets managers set.
const NS_CACHE_DEFAULT_TIMEOUT: &str = ".1.3.6.1.4.1.8072.1.5.1.0";

#[test]
fn what_a_subagent_lets_be_set_is_set_there() {
    if !is_installed("snmpd") || !is_installed("snmpset") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("master");
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n{BOTH}[agentx]\nsocket = {socket:?}\n"
    ));
    let agent = home.start(1);
    let _subagent = snmpd(directory.path(), &socket);
    let get = |name| ask("snmpget", "public", &agent.addresses[0], &[name]);
    let set = |assignments: &[&str]| {
        let output = ask("snmpset", "private", &agent.addresses[0], assignments);
        output.replace('\n', " ")
    };
    eventually("no value", || {
        get(NS_CACHE_DEFAULT_TIMEOUT).contains("INTEGER")
    });
    let name = get(SYS_NAME);
    let done = set(&[NS_CACHE_DEFAULT_TIMEOUT, "i", "77", SYS_NAME, "s", "both"]);
    assert!(
        done.contains("INTEGER: 77") && done.contains("both"),
        "{done}"
    );
    assert!(get(NS_CACHE_DEFAULT_TIMEOUT).ends_with("INTEGER: 77"));
    assert!(get(SYS_NAME).contains("both"));
    // All of it or nothing, whoever refuses.
    let refused = set(&[SYS_NAME, "s", "other", NS_CACHE_DEFAULT_TIMEOUT, "s", "x"]);
    assert!(refused.contains("wrongType"), "{refused}");
    assert!(get(SYS_NAME).contains("both"), "{name}");
    let refused = set(&[NS_CACHE_DEFAULT_TIMEOUT, "i", "78", SYS_NAME, "i", "5"]);
    assert!(refused.contains("wrongType"), "{refused}");
    assert!(get(NS_CACHE_DEFAULT_TIMEOUT).ends_with("INTEGER: 77"));
}

#[test]
fn subagents_and_what_they_tell_are_shown() {
    if !is_installed("snmpd") || !is_installed("agentxtrap") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("master");
    let target = format!("udp:127.0.0.1:{}", varbind_testkit::peers::free_port());
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n[agentx]\nsocket = {socket:?}\n\
         [[notification-target]]\naddress = {target:?}\ncommunity = \"public\"\n"
    ));
    let agent = home.start(1);
    // sysORDescr, agentxSessionDescr, agentxRegStart
    let modules = || walk(&agent, ".1.3.6.1.2.1.1.9.1.3").lines().count();
    let own = modules();
    let subagent = snmpd(directory.path(), &socket);
    eventually("no rows of sysORTable", || modules() > own);
    let sessions = walk(&agent, ".1.3.6.1.2.1.74.1.3.2.1.3");
    assert!(sessions.contains("AgentX sub-agent"), "{sessions}");
    let registrations = walk(&agent, ".1.3.6.1.2.1.74.1.4.2.1.3");
    assert!(
        registrations.contains(".1.3.6.1.4.1.8072.1.2"),
        "{registrations}"
    );
    let sent = || {
        let told = ask(
            "snmpget",
            "public",
            &agent.addresses[0],
            &[".1.3.6.1.2.1.11.29.0"],
        );
        let number = told
            .rsplit(' ')
            .next()
            .and_then(|number| number.parse().ok());
        number.unwrap_or(0_u32)
    };
    let before = sent();
    let status = command("agentxtrap")
        .arg("-x")
        .arg(&socket)
        .args([".1.3.6.1.4.1.99999.0.1", ".1.3.6.1.4.1.99999.2", "i", "5"])
        .env("SNMP_PERSISTENT_DIR", directory.path())
        .status()
        .unwrap();
    assert!(status.success());
    eventually("no trap", || sent() > before);
    drop(subagent);
    eventually("rows of a subagent that is gone", || modules() == own);
}

/// The service manager goes on listening: who connects meanwhile is served as soon as the agent is there again.
#[test]
fn subagents_connect_while_the_agent_is_restarted() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("master");
    let socket = UnixListener::bind(&path).unwrap();
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n[agentx]\nsocket = {path:?}\n"
    ));
    let connect = || UnixStream::connect(&path).unwrap();
    let serve = |stream| {
        let mut subagent = Subagent::open(stream, ByteOrder::Little);
        assert_eq!(
            subagent.register("1.3.6.1.4.1.32473.7"),
            ResponseError::NO_ERROR
        );
        subagent
    };
    let agent = home.start_with_socket(&socket, 2);
    let mut first = serve(connect());
    agent.signal("-TERM");
    assert!(agent.wait().success());
    while first.next_pdu().is_some() {}
    let waiting = connect();
    let agent = home.start_with_socket(&socket, 2);
    let mut second = serve(waiting);
    // Another socket of the configuration is opened by the agent itself, and that of the service manager warned of.
    home.configure(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n[agentx]\nsocket = {:?}\n",
        path.with_extension("new")
    ));
    agent.signal("-HUP");
    agent.await_log("which [agentx] does not name");
    assert!(path.exists());
    // Sessions go on.
    assert_eq!(
        second.register("1.3.6.1.4.1.32473.8"),
        ResponseError::NO_ERROR
    );
}

#[test]
fn restarts_of_the_agent_lose_no_connection_of_a_subagent() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("master");
    let socket = UnixListener::bind(&path).unwrap();
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n[host]\nserve = false\n[agentx]\nsocket = {path:?}\n"
    ));
    for _ in 0..20 {
        let waiting = UnixStream::connect(&path).unwrap();
        let agent = home.start_with_socket(&socket, 2);
        let mut subagent = Subagent::open(waiting, ByteOrder::Little);
        let registered = subagent.register("1.3.6.1.4.1.32473.7");
        assert_eq!(registered, ResponseError::NO_ERROR);
        agent.signal("-TERM");
        assert!(agent.wait().success());
        while subagent.next_pdu().is_some() {}
    }
}

#[test]
fn a_context_of_subagents_is_reached_by_its_community() {
    if !is_installed("snmpbulkwalk") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("master");
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n[[community]]\nname = \"public\"\n\
         [[community]]\nname = \"red\"\ncontext = \"vrf-red\"\n\
         [agentx]\nsocket = {path:?}\n[[agentx.context]]\nname = \"vrf-red\"\n"
    ));
    let agent = home.start(2);
    let mut subagent = Subagent::open(UnixStream::connect(&path).unwrap(), ByteOrder::Big);
    let root = "1.3.6.1.4.1.32473.7";
    let registered = subagent.request_in(
        Some("vrf-red"),
        AgentxPdu::Register {
            timeout: 0,
            region: region(root),
            is_instance: false,
        },
    );
    assert_eq!(error(&registered), ResponseError::NO_ERROR);
    let table = Instances::table(root, 2, 10);
    let _served = subagent.serve(move |packet| table.answer(&packet.pdu));
    let walk = |community| ask("snmpbulkwalk", community, &agent.addresses[0], &[root]);
    assert_eq!(walk("red").lines().count(), 20);
    assert!(walk("public").contains("No Such Object"));
}
