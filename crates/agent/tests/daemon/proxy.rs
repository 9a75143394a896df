//! The proxy forwarder: other agents behind this one, reached by Net-SNMP's tools.

use std::fs;
use std::net::UdpSocket;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use varbind::engine::applications::notification_receiver::ReceivedNotification;
use varbind::transport::Transport;
use varbind_codec::ber::Writer;
use varbind_codec::message::CommunityMessage;
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::ValueRef;
use varbind_testkit::peers::{Running, command, free_port, is_installed};

use crate::notifications::TestReceiver;
use crate::process::{Agent, Home, ask};

const PATIENCE: Duration = Duration::from_secs(60);
const SYSTEM: &str = ".1.3.6.1.2.1.1";
const SYS_NAME: &str = ".1.3.6.1.2.1.1.5.0";
const SYS_CONTACT: &str = ".1.3.6.1.2.1.1.4.0";
const SYS_LOCATION: &str = ".1.3.6.1.2.1.1.6.0";
const ENGINE_ID: &str = ".1.3.6.1.6.3.10.2.1.1.0";
/// What only Net-SNMP's agent serves: nsModuleTable, and nsCacheDefaultTimeout, which can be set.
const NS_MODULE_TABLE: &str = ".1.3.6.1.4.1.8072.1.2.1";
const NS_CACHE_DEFAULT_TIMEOUT: &str = ".1.3.6.1.4.1.8072.1.5.1.0";
const USER: &str = "\
[[user]]
name = \"ops\"
authentication = { protocol = \"SHA-256\", password = \"maple syrup\" }
privacy = { protocol = \"AES\", password = \"apple sauce\" }
";
const AS_USER: [&str; 12] = [
    "-v3",
    "-l",
    "authPriv",
    "-u",
    "ops",
    "-a",
    "SHA-256",
    "-A",
    "maple syrup",
    "-x",
    "AES",
    "-Xapple sauce",
];

/// snmpd as a device, which `public` may read, `private` write, and `ops` both.
struct Device {
    _running: Running,
    _directory: TempDir,
    address: String,
}

impl Device {
    fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let address = format!("udp:127.0.0.1:{}", free_port());
        let file = directory.path().join("snmpd.conf");
        let text = format!(
            "agentAddress {address}\nsysName device\nrocommunity public\nrwcommunity private\nrwuser ops priv\n\
             createUser ops SHA-256 \"maple syrup\" AES \"apple sauce\"\n"
        );
        fs::write(&file, text).unwrap();
        let device = Self {
            _running: snmpd(directory.path(), &file),
            _directory: directory,
            address,
        };
        eventually("the device does not answer", || {
            ask("snmpget", "public", &device.address, &[SYS_NAME]).contains("device")
        });
        device
    }

    fn ask(&self, tool: &str, arguments: &[&str]) -> String {
        ask(tool, "public", &self.address, arguments)
    }
}

fn snmpd(directory: &Path, file: &Path) -> Running {
    let child = command("snmpd")
        .args(["-f", "-C", "-Lf", "/dev/null", "-c"])
        .arg(file)
        .env("SNMP_PERSISTENT_DIR", directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    Running(child)
}

#[track_caller]
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn has_tools() -> bool {
    ["snmpd", "snmpget", "snmpbulkwalk", "snmpset"]
        .into_iter()
        .all(is_installed)
}

/// Without what goes on while it is read.
fn still(walk: &str) -> Vec<String> {
    let lines = walk.lines().filter(|line| !line.contains("Timeticks"));
    lines.map(str::to_owned).collect()
}

fn through(agent: &Agent, tool: &str, community: &str, arguments: &[&str]) -> String {
    ask(tool, community, &agent.addresses[0], arguments)
}

fn as_user(agent: &Agent, tool: &str, arguments: &[&str]) -> String {
    // snmpset takes no options behind the address.
    let split = arguments.iter().position(|word| word.starts_with('.'));
    let (options, names) = arguments.split_at(split.unwrap());
    let output = command(tool)
        .args(AS_USER)
        .args(["-t", "2", "-r", "1", "-m", "", "-On", "-Oe"])
        .args(options)
        .arg(&agent.addresses[0])
        .args(names)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).unwrap().trim_end().to_owned()
}

/// An agent with a device of version 2c behind it.
struct Front {
    device: Device,
    /// snmpEngineID of the device.
    engine: String,
    agent: Agent,
    _home: Home,
}

fn front() -> Front {
    let device = Device::start();
    let engine = device.ask("snmpget", &["-Ox", ENGINE_ID]);
    let engine = engine
        .split_once("Hex-STRING: ")
        .unwrap()
        .1
        .replace([' ', '"', '\n'], "");
    let target = format!("target = \"{}\"\ncommunity = \"private\"\n", device.address);
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n[[community]]\nname = \"public\"\n\
         [[community]]\nname = \"writer\"\naccess = \"read-write\"\n\
         [[community]]\nname = \"narrow\"\ncontext = \"device\"\nview = \"narrow\"\n\
         [[view]]\nname = \"narrow\"\ninclude = [\"1.3.6.1.2.1.1\"]\nexclude = [\"{}\", \"1.3.6.1.2.1.1.9\"]\n{USER}\
         [[proxy]]\n{target}context = \"device\"\nusers = [\"ops\"]\naccess = \"read-write\"\n\
         [[proxy]]\n{target}context-engine = \"{engine}\"\nusers = [\"ops\"]\n\
         [[proxy]]\n{target}subtree = \"1.3.6.1.4.1.8072.1.2\"\n\
         [[proxy]]\n{target}subtree = \"1.3.6.1.4.1.8072.1.5\"\naccess = \"read-write\"\n",
        &SYS_CONTACT[1..SYS_CONTACT.len() - 2],
    ));
    let agent = home.start(1);
    Front {
        device,
        engine,
        agent,
        _home: home,
    }
}

#[test]
fn a_subtree_of_a_device_lies_among_the_agents_own_objects() {
    if !has_tools() {
        return;
    }
    let Front { device, agent, .. } = &front();
    let own = through(agent, "snmpget", "public", &[SYS_NAME]);
    assert!(!own.contains("device"), "{own}");

    // A subtree, by GetBulk, GetNext and version 1, and as a part of a walk of everything.
    let direct = device.ask("snmpbulkwalk", &[NS_MODULE_TABLE]);
    assert!(direct.lines().count() > 100, "{direct}");
    assert_eq!(
        through(agent, "snmpbulkwalk", "public", &[NS_MODULE_TABLE]),
        direct
    );
    assert_eq!(
        through(agent, "snmpwalk", "public", &["-v1", NS_MODULE_TABLE]),
        direct
    );
    let all = through(agent, "snmpbulkwalk", "public", &[".1.3.6.1"]);
    assert!(all.contains(&direct) && all.contains(&own), "{all}");
    assert!(
        all.contains(".1.3.6.1.6.3.16.1.5.2.1"),
        "what lies behind is missing"
    );
    // One request for both agents.
    let first = direct.lines().next().unwrap().split(" = ").next().unwrap();
    let both = through(agent, "snmpget", "public", &[SYS_NAME, first]);
    assert_eq!(both.lines().next(), Some(&*own));
    assert_eq!(both.lines().nth(1), direct.lines().next());
}

#[test]
fn a_set_is_passed_on_as_a_whole_with_the_error_of_the_device() {
    if !has_tools() {
        return;
    }
    let Front { device, agent, .. } = &front();
    let timeout = |value| [NS_CACHE_DEFAULT_TIMEOUT, "i", value];
    let set = through(agent, "snmpset", "writer", &timeout("77"));
    assert!(set.ends_with("77"), "{set}");
    assert!(
        device
            .ask("snmpget", &[NS_CACHE_DEFAULT_TIMEOUT])
            .ends_with("77")
    );
    let refused = through(
        agent,
        "snmpset",
        "writer",
        &[NS_CACHE_DEFAULT_TIMEOUT, "s", "x"],
    );
    assert!(refused.contains("wrongType"), "{refused}");
    let refused = through(agent, "snmpset", "public", &timeout("78"));
    assert!(
        refused.contains("noAccess") || refused.contains("authorizationError"),
        "{refused}"
    );
    let mixed = [&timeout("79")[..], &[SYS_NAME, "s", "x"]].concat();
    let refused = through(agent, "snmpset", "writer", &mixed);
    assert!(
        refused.contains("genErr") || refused.contains("general error"),
        "{refused}"
    );
    assert!(
        device
            .ask("snmpget", &[NS_CACHE_DEFAULT_TIMEOUT])
            .ends_with("77")
    );
}

#[test]
fn a_device_is_a_context_of_the_agent_and_an_engine_of_its_own() {
    if !has_tools() {
        return;
    }
    let Front {
        device,
        engine,
        agent,
        ..
    } = &front();
    let direct = still(&device.ask("snmpbulkwalk", &[SYSTEM]));
    let by_context = as_user(agent, "snmpbulkwalk", &["-n", "device", SYSTEM]);
    assert_eq!(still(&by_context), direct);
    let by_engine = as_user(agent, "snmpwalk", &["-E", &format!("0x{engine}"), SYSTEM]);
    assert_eq!(still(&by_engine), direct);
    let set = as_user(
        agent,
        "snmpset",
        &["-n", "device", SYS_LOCATION, "s", "rack 4"],
    );
    assert!(set.contains("rack 4"), "{set}");
    assert!(device.ask("snmpget", &[SYS_LOCATION]).contains("rack 4"));
    let refused = as_user(
        agent,
        "snmpset",
        &["-E", &format!("0x{engine}"), SYS_LOCATION, "s", "rack 5"],
    );
    assert!(refused.contains("Reason"), "{refused}");
}

#[test]
fn a_view_holds_for_what_a_device_has() {
    if !has_tools() {
        return;
    }
    let Front { device, agent, .. } = &front();
    let direct = still(&device.ask("snmpbulkwalk", &[SYSTEM]));
    let narrow = through(agent, "snmpbulkwalk", "narrow", &[".1.3.6.1"]);
    let is_visible =
        |line: &&String| !line.starts_with(SYS_CONTACT) && !line.starts_with(".1.3.6.1.2.1.1.9");
    let visible: Vec<_> = direct.iter().filter(is_visible).cloned().collect();
    let narrow = still(
        &narrow
            .lines()
            .filter(|line| !line.contains("No more"))
            .collect::<Vec<_>>()
            .join("\n"),
    );
    assert_eq!(narrow, visible);
    let hidden = through(agent, "snmpget", "narrow", &[SYS_CONTACT, SYS_NAME]);
    assert!(
        hidden.contains("No Such Object") && hidden.contains("device"),
        "{hidden}"
    );
}

#[test]
fn devices_of_version_1_and_3_have_a_front_of_version_2c() {
    if !has_tools() {
        return;
    }
    let device = Device::start();
    let address = &device.address;
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n{USER}access = \"none\"\n\
         [[community]]\nname = \"one\"\ncontext = \"one\"\n[[community]]\nname = \"three\"\ncontext = \"three\"\n\
         [[proxy]]\ntarget = \"{address}\"\nversion = \"v1\"\ncommunity = \"public\"\ncontext = \"one\"\n\
         [[proxy]]\ntarget = \"{address}\"\nuser = \"ops\"\ncontext = \"three\"\n"
    ));
    let agent = home.start(1);
    let direct = still(&device.ask("snmpbulkwalk", &[SYSTEM]));
    for community in ["one", "three"] {
        for tool in ["snmpbulkwalk", "snmpwalk"] {
            assert_eq!(
                still(&through(&agent, tool, community, &[SYSTEM])),
                direct,
                "{community}"
            );
        }
        // What does not exist costs the other names nothing.
        let names = [SYS_NAME, ".1.3.6.1.2.1.1.99.0", SYS_CONTACT];
        let got = through(&agent, "snmpget", community, &names);
        assert!(got.contains("device") && got.contains("No Such"), "{got}");
        assert_eq!(got.lines().count(), 3, "{got}");
        let end = through(&agent, "snmpgetnext", community, &[".1.4"]);
        assert!(end.contains("No more variables"), "{end}");
    }
}

#[test]
fn a_silent_device_delays_no_other_request() {
    if !has_tools() {
        return;
    }
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n[[community]]\nname = \"public\"\n[[community]]\nname = \"dead\"\ncontext = \"dead\"\n\
         [[proxy]]\nname = \"seven\"\ntarget = \"udp:127.0.0.1:{port}\"\ncommunity = \"public\"\ncontext = \"dead\"\ntimeout = \"1s\"\n",
    ));
    let agent = home.start(1);
    let address = agent.addresses[0].clone();
    let dead = || {
        ask(
            "snmpget",
            "dead",
            &address,
            &["-t", "30", "-r", "0", SYS_NAME],
        )
    };
    std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..8).map(|_| scope.spawn(dead)).collect();
        // These are answered while the others wait.
        for _ in 0..20 {
            let alive = through(&agent, "snmpget", "public", &[SYS_NAME]);
            assert!(alive.contains("STRING"), "{alive}");
        }
        for answer in waiting {
            let answer = answer.join().unwrap();
            assert!(
                answer.contains("genErr") || answer.contains("general failure"),
                "{answer}"
            );
        }
    });
    let log = agent.log();
    assert_eq!(
        log.matches("end with genErr until it responds").count(),
        1,
        "{log}"
    );
    // Another device comes up there, and goes, and comes again.
    drop(silent);
    let device = |name: &str| {
        Home::new(&format!(
            "listen = [\"udp:127.0.0.1:{port}\"]\n[system]\nname = {name:?}\n"
        ))
    };
    let first = device("first");
    let running = first.start(1);
    eventually("no response of the first", || dead().contains("first"));
    agent.await_log("responds again");
    running.signal("-TERM");
    running.wait();
    let gone = dead();
    assert!(
        gone.contains("genErr") || gone.contains("general failure"),
        "{gone}"
    );
    let second = device("second");
    let _running = second.start(1);
    eventually("no response of the second", || dead().contains("second"));
}

/// A device that names one instance more before the start of the search, each time it is asked.
fn endless(device: &UdpSocket) {
    let mut arrived = [0; 1500];
    while let Ok((length, source)) = device.recv_from(&mut arrived) {
        if length == 0 {
            return;
        }
        let message = CommunityMessage::decode(&arrived[..length]).unwrap();
        let Pdu::Common(request) = message.pdu else {
            panic!("no request");
        };
        let asked = request.var_binds.clone().next().unwrap().unwrap();
        let mut name = asked.name.to_oid().arcs().to_vec();
        let is_above = name.len() < 8;
        match name.last_mut() {
            Some(last) if *last < u32::MAX && !is_above => *last += 1,
            _ => name.push(1),
        }
        let mut buffer = [0; 1500];
        let mut writer = Writer::new(&mut buffer, 100).unwrap();
        writer.append_var_bind(&name, ValueRef::Integer(1)).unwrap();
        let (kind, id) = (PduType::Response, request.request_id);
        writer.prepend_pdu(kind, id, 0, 0).unwrap();
        writer
            .prepend_community_header(message.version, message.community)
            .unwrap();
        device.send_to(writer.written(), source).unwrap();
    }
}

#[test]
fn a_search_that_a_device_answers_for_ever_ends() {
    if !has_tools() {
        return;
    }
    let device = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = device.local_addr().unwrap();
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n[[community]]\nname = \"endless\"\ncontext = \"endless\"\nview = \"narrow\"\n\
         [[view]]\nname = \"narrow\"\ninclude = [\"1.3.6.1.4.1.32473.5\"]\n\
         [[proxy]]\ntarget = \"udp:{address}\"\ncommunity = \"public\"\ncontext = \"endless\"\n"
    ));
    let agent = home.start(1);
    std::thread::scope(|scope| {
        scope.spawn(|| endless(&device));
        let arguments = ["-t", "30", "-r", "0", ".1.3.6.1.4.1.32473"];
        let answer = through(&agent, "snmpgetnext", "endless", &arguments);
        // An empty datagram ends the device.
        device.send_to(&[], address).unwrap();
        assert!(answer.contains("genErr"), "{answer}");
    });
}

/// RFC 3413 3.5
#[test]
fn a_request_that_goes_round_in_a_loop_ends() {
    if !has_tools() {
        return;
    }
    let (one, other) = (free_port(), free_port());
    let agent = |port: u16, targets: &[(&str, u16)]| {
        let mut text =
            format!("listen = [\"udp:127.0.0.1:{port}\"]\n[[community]]\nname = \"public\"\n");
        for (context, target) in targets {
            text += &format!(
                "[[community]]\nname = {context:?}\ncontext = {context:?}\n\
                 [[proxy]]\nname = {context:?}\ntarget = \"udp:localhost:{target}\"\ncommunity = {context:?}\ncontext = {context:?}\n"
            );
        }
        let home = Home::new(&text);
        let agent = home.start(1);
        (home, agent)
    };
    // By its own name, and by way of another agent.
    let (_home, first) = agent(one, &[("itself", one), ("round", other)]);
    let (_other_home, _second) = agent(other, &[("round", one)]);
    for context in ["itself", "round"] {
        let ended = through(
            &first,
            "snmpget",
            context,
            &["-t", "30", "-r", "0", SYS_NAME],
        );
        assert!(
            ended.contains("genErr") || ended.contains("general failure"),
            "{ended}"
        );
    }
    first.await_log("has the engine ID");
    let alive = through(&first, "snmpget", "public", &[SYS_NAME]);
    assert!(alive.contains("STRING"), "{alive}");
}

const PROXY_TABLE: &str = ".1.3.6.1.6.3.14.1.2";
const TARGET_TABLES: [&str; 2] = [".1.3.6.1.6.3.12.1.2", ".1.3.6.1.6.3.12.1.3"];

/// RFC 3413 4.4
#[test]
fn the_targets_are_rows_of_tables_that_cannot_be_set() {
    if !has_tools() || !is_installed("snmpwalk") {
        return;
    }
    let home = Home::new(
        "listen = [\"udp:127.0.0.1:0\"]\n[engine]\nid = \"0x8000000001020304\"\n\
         [[community]]\nname = \"public\"\n\
         [[community]]\nname = \"admin\"\nview = \"everything\"\naccess = \"read-write\"\n\
         [[proxy]]\ntarget = \"udp:127.0.0.2\"\ncommunity = \"s3cret\"\ncontext = \"switch7\"\naccess = \"read-write\"\n\
         [[proxy]]\ntarget = \"udp:127.0.0.3:1161\"\nversion = \"v1\"\ncommunity = \"s3cret\"\nname = \"old\"\n\
         context-engine = \"0x8000000001020305\"\ntimeout = \"2s\"\n",
    );
    let agent = home.start(1);
    let walk = |community, table| through(&agent, "snmpwalk", community, &["-On", "-Oe", table]);
    let index = |name: &str| -> String { name.bytes().map(|octet| format!(".{octet}")).collect() };
    let (first, write, second) = (index("proxy-1"), index("proxy-1-write"), index("proxy-2"));

    let rows = walk("admin", PROXY_TABLE);
    let columns = [
        (2, "INTEGER: 1", "INTEGER: 2", "INTEGER: 1"),
        (
            3,
            "Hex-STRING: 80 00 00 00 01 02 03 04 ",
            "Hex-STRING: 80 00 00 00 01 02 03 04 ",
            "Hex-STRING: 80 00 00 00 01 02 03 05 ",
        ),
        (4, "STRING: \"switch7\"", "STRING: \"switch7\"", "\"\""),
        (5, "\"\"", "\"\"", "\"\""),
        (
            6,
            "STRING: \"proxy-1\"",
            "STRING: \"proxy-1\"",
            "STRING: \"proxy-2\"",
        ),
        (7, "\"\"", "\"\"", "\"\""),
        (8, "INTEGER: 5", "INTEGER: 5", "INTEGER: 5"),
        (9, "INTEGER: 1", "INTEGER: 1", "INTEGER: 1"),
    ];
    let expected: Vec<String> = columns
        .iter()
        .flat_map(|(column, one, two, three)| {
            [(&first, one), (&write, two), (&second, three)]
                .map(|(index, value)| format!("{PROXY_TABLE}.1.{column}{index} = {value}"))
        })
        .collect();
    assert_eq!(rows.lines().collect::<Vec<_>>(), expected);

    // The rows that they name.
    let targets = TARGET_TABLES.map(|table| walk("admin", table)).join("\n");
    for line in [
        format!(".1.3.6.1.6.3.12.1.2.1.3{first} = Hex-STRING: 7F 00 00 02 00 A1 "),
        format!(".1.3.6.1.6.3.12.1.2.1.3{second} = Hex-STRING: 7F 00 00 03 04 89 "),
        format!(".1.3.6.1.6.3.12.1.2.1.4{second} = INTEGER: 200"),
        format!(".1.3.6.1.6.3.12.1.2.1.7{first} = STRING: \"proxy-1\""),
        format!(".1.3.6.1.6.3.12.1.3.1.2{second} = INTEGER: 0"),
        format!(".1.3.6.1.6.3.12.1.3.1.4{second} = STRING: \"old\""),
    ] {
        assert!(targets.contains(&line), "{line} is not in {targets}");
    }
    assert!(!targets.contains("s3cret"), "{targets}");

    // The view that is usual does not have them.
    let hidden = walk("public", PROXY_TABLE);
    assert!(!hidden.contains(&format!("{PROXY_TABLE}.")), "{hidden}");
    let create = format!("{PROXY_TABLE}.1.9.120");
    for assignment in [
        [&*create, "i", "4"],
        [&*format!("{PROXY_TABLE}.1.9{first}"), "i", "6"],
    ] {
        let refused = through(&agent, "snmpset", "admin", &assignment);
        assert!(refused.contains("notWritable"), "{refused}");
    }
}

fn value<'r>(
    received: &'r ReceivedNotification,
    name: &str,
) -> Option<&'r varbind::codec::smi::Value> {
    let name: varbind::codec::smi::Oid = name.parse().unwrap();
    received.notification.value(name.arcs())
}

const TRAP_ADDRESS: &str = "1.3.6.1.6.3.18.1.3.0";
const TRAP_COMMUNITY: &str = "1.3.6.1.6.3.18.1.4.0";
const TRAP_ENTERPRISE: &str = "1.3.6.1.6.3.1.1.4.3.0";
const ENTERPRISE: &str = "1.3.6.1.4.1.32473.9";

#[test]
fn notifications_of_a_device_are_passed_on_with_their_source() {
    if !is_installed("snmptrap") {
        return;
    }
    let in_clear = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
    let encrypted = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n[notifications]\nlisten = [\"udp:127.0.0.1:0\"]\n\
         [[user]]\nname = \"ops\"\nauthentication = {{ protocol = \"SHA-256\", password = {password:?} }}\n\
         privacy = {{ protocol = \"AES\", password = {password:?} }}\n\
         [[notification-target]]\naddress = \"udp:{}\"\ncommunity = \"traps\"\n\
         [[notification-target]]\naddress = \"udp:{}\"\nversion = \"v3\"\nuser = \"ops\"\n\
         [[proxy]]\ntarget = \"udp:127.0.0.1\"\ncommunity = \"s3cret\"\ncontext = \"device\"\nusers = [\"ops\"]\nnotifications = true\n",
        in_clear.address,
        encrypted.address,
        password = crate::notifications::PASSWORD,
    ));
    let agent = home.start(2);
    // coldStart of the agent itself.
    in_clear.next();
    encrypted.next();
    let listens = agent
        .addresses
        .iter()
        .find_map(|address| address.strip_suffix(" for notifications"));
    let listens = listens.unwrap();
    let trap = |arguments: &[&str]| {
        let status = command("snmptrap").args(arguments).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    };
    let object = ["1.3.6.1.4.1.32473.1.0", "i", "7"];
    // Of a community that the device does not have.
    trap(
        &[
            &["-v2c", "-c", "public", listens, "1", "1.3.6.1.6.3.1.1.5.3"],
            &object[..],
        ]
        .concat(),
    );
    trap(
        &[
            &[
                "-v1",
                "-c",
                "s3cret",
                listens,
                ENTERPRISE,
                "192.0.2.77",
                "6",
                "5",
                "42",
            ],
            &object[..],
        ]
        .concat(),
    );
    trap(
        &[
            &["-v2c", "-c", "s3cret", listens, "43", "1.3.6.1.6.3.1.1.5.4"],
            &object[..],
        ]
        .concat(),
    );
    assert_passed_on(&in_clear, false);
    assert_passed_on(&encrypted, true);
}

fn text(received: &ReceivedNotification, name: &str) -> Option<String> {
    value(received, name).map(ToString::to_string)
}

/// A trap of version 1 and one of version 2c arrive.
#[track_caller]
fn assert_passed_on(receiver: &TestReceiver, knows_community: bool) {
    let from_v1 = receiver.next();
    let notification = &from_v1.notification;
    let expected = format!("{ENTERPRISE}.0.5");
    assert_eq!(notification.trap_oid.to_string(), expected);
    assert_eq!(notification.up_time, 42);
    let source = text(&from_v1, TRAP_ADDRESS);
    assert_eq!(source.as_deref(), Some("192.0.2.77"));
    let enterprise = text(&from_v1, TRAP_ENTERPRISE);
    assert_eq!(enterprise.as_deref(), Some(ENTERPRISE));
    let community = value(&from_v1, TRAP_COMMUNITY);
    assert_eq!(community.is_some(), knows_community, "{community:?}");
    let from_v2c = receiver.next();
    let notification = &from_v2c.notification;
    assert_eq!(notification.trap_oid.to_string(), "1.3.6.1.6.3.1.1.5.4");
    let source = text(&from_v2c, TRAP_ADDRESS);
    assert_eq!(source.as_deref(), Some("127.0.0.1"));
    let object = text(&from_v2c, "1.3.6.1.4.1.32473.1.0");
    assert_eq!(object.as_deref(), Some("7"));
}
