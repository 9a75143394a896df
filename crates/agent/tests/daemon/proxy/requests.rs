//! Requests reach the objects of a device by context, by engine and as a subtree.

use varbind_testkit::peers::command;

use super::{Device, SYS_NAME, has_tools, through};
use crate::process::{Agent, Home};

const SYSTEM: &str = ".1.3.6.1.2.1.1";
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

/// Without what goes on while it is read.
fn still(walk: &str) -> Vec<String> {
    let lines = walk.lines().filter(|line| !line.contains("Timeticks"));
    lines.map(str::to_owned).collect()
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
    let target = format!(
        "target = \"{}\"\ncommunity = \"private\"\n",
        device.address()
    );
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
    let address = device.address();
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
