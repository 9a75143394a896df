//! The agent's own notifications.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use varbind::clock::Clock;
use varbind::codec::smi::{Value, VarBind};
use varbind::engine::applications::notification_receiver::{
    NotificationKind, NotificationUser, ReceivedNotification, ReceiverConfiguration,
};
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::usm::{
    AuthenticationProtocol, Credentials, LocalEngine, Password, PrivacyProtocol,
};
use varbind::engine::security::{
    Community, CommunityTable, SecurityLevel, SecurityName, SourceAddresses,
};
use varbind::notification::{Arrived, NotificationReceiver, Notifications, ReceiverLimits};
use varbind::transport::Transport;
use varbind_testkit::peers::{is_installed, listen_again};

use crate::process::{Agent, Home, ask, has_namespaces};

pub(crate) const PASSWORD: &str = "a password";
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
pub(crate) const COLD_START: &str = "1.3.6.1.6.3.1.1.5.1";
pub(crate) const WARM_START: &str = "1.3.6.1.6.3.1.1.5.2";
const LINK_DOWN: &str = "1.3.6.1.6.3.1.1.5.3";
const LINK_UP: &str = "1.3.6.1.6.3.1.1.5.4";
pub(crate) const AUTHENTICATION_FAILURE: &str = "1.3.6.1.6.3.1.1.5.5";
pub(crate) const SYS_NAME: &str = ".1.3.6.1.2.1.1.5.0";
const SNMP_ENABLE_AUTHEN_TRAPS: &str = ".1.3.6.1.2.1.11.30.0";

pub(crate) struct TestReceiver {
    _receiver: NotificationReceiver,
    pub(crate) notifications: Notifications,
    pub(crate) address: SocketAddr,
}

impl TestReceiver {
    pub(crate) fn new(transport: Transport, address: &str) -> Self {
        let community = Community {
            name: b"traps".to_vec(),
            security_name: SecurityName::new("agent"),
            context_name: String::new(),
            sources: SourceAddresses::loopback(),
        };
        let password = Password::new(PASSWORD.as_bytes()).unwrap();
        let credentials = Credentials::auth_priv(
            AuthenticationProtocol::Sha256,
            &password,
            PrivacyProtocol::Aes128,
            &password,
        );
        let user = NotificationUser::new(SecurityName::new("ops"), credentials).unwrap();
        let engine_id = EngineId::new(b"\x80\0\0\0\x04receiver").unwrap();
        let engine = LocalEngine::new(engine_id, 1, Clock::start().now(), 1);
        let configuration = ReceiverConfiguration {
            communities: CommunityTable::new(vec![community]),
            users: vec![user],
            engine: Some(Arc::new(engine)),
            ..ReceiverConfiguration::default()
        };
        let (receiver, notifications) =
            NotificationReceiver::start(configuration, ReceiverLimits::default(), Clock::start());
        let address = address.parse().unwrap();
        let address = listen_again(|| receiver.listen(transport, address)).unwrap();
        Self {
            _receiver: receiver,
            notifications,
            address,
        }
    }

    #[track_caller]
    pub(crate) fn next(&self) -> ReceivedNotification {
        let next = self.notifications.next_within(PATIENCE).unwrap();
        next.unwrap().deliver()
    }

    /// The name of the next notification.
    #[track_caller]
    pub(crate) fn next_name(&self) -> String {
        self.next().notification.trap_oid.to_string()
    }

    #[track_caller]
    pub(crate) fn assert_silent(&self, time: Duration) {
        let next = self.notifications.next_within(time).unwrap();
        assert!(next.is_none(), "{next:?}");
    }
}

fn configuration(transport: &str, address: SocketAddr, more: &str) -> String {
    format!(
        "listen = [\"udp:127.0.0.1:0\"]\n{more}\n\
         [[community]]\nname = \"public\"\naccess = \"read-write\"\n\
         [[notification-target]]\naddress = \"{transport}:{address}\"\ncommunity = \"traps\"\n"
    )
}

#[test]
fn a_start_is_cold_at_first_and_after_changes_and_warm_otherwise() {
    for (transport, name) in [(Transport::Udp, "udp"), (Transport::Tcp, "tcp")] {
        let receiver = TestReceiver::new(transport, "127.0.0.1:0");
        let home = Home::new(&configuration(name, receiver.address, ""));
        for expected in [COLD_START, WARM_START, WARM_START] {
            let agent = home.start(1);
            assert_eq!(receiver.next_name(), expected);
            agent.signal("-TERM");
            agent.wait();
        }
        let changed = "[system]\nlocation = \"elsewhere\"";
        home.configure(&configuration(name, receiver.address, changed));
        let _agent = home.start(1);
        assert_eq!(receiver.next_name(), COLD_START);
    }
}

#[test]
fn targets_of_version_3_get_traps_and_informs() {
    for kind in ["trap", "inform"] {
        let receiver = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
        let home = Home::new(&format!(
            "listen = [\"udp:127.0.0.1:0\"]
             [[user]]
             name = \"ops\"
             authentication = {{ protocol = \"SHA-256\", password = \"{PASSWORD}\" }}
             privacy = {{ protocol = \"AES-128\", password = \"{PASSWORD}\" }}
             [[notification-target]]
             address = \"udp:{}\"
             version = \"v3\"
             user = \"ops\"
             kind = \"{kind}\"",
            receiver.address
        ));
        let _agent = home.start(1);
        let received = receiver.next();
        assert_eq!(received.notification.trap_oid.to_string(), COLD_START);
        assert_eq!(received.security_name.as_str(), "ops");
        assert_eq!(received.security_level, SecurityLevel::AuthPriv);
        let is_inform = received.kind == NotificationKind::Inform;
        assert_eq!(is_inform, kind == "inform");
    }
}

#[test]
fn informs_are_sent_until_the_target_is_there() {
    let receiver = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
    let address = receiver.address;
    drop(receiver);
    let silent = listen_again(|| UdpSocket::bind(address)).unwrap();
    silent
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let inform = "kind = \"inform\"\ntimeout = \"100ms\"\nretries = 50";
    let home = Home::new(&(configuration("udp", address, "") + inform));
    let _agent = home.start(1);
    // The first attempts find nobody who answers.
    for _ in 0..3 {
        silent.recv(&mut [0; 1500]).unwrap();
    }
    drop(silent);
    let receiver = TestReceiver::new(Transport::Udp, &address.to_string());
    assert_eq!(receiver.next_name(), COLD_START);
    receiver.assert_silent(Duration::from_millis(300));
}

#[test]
fn a_watched_value_is_reported_when_it_passes_its_test() {
    let receiver = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
    let monitor = |number: u32| {
        format!(
            "[[host.process]]\nname = \"no such program\"\n[[monitor]]\nname = \"processes\"\n\
             oid = \"1.3.6.1.4.1.2021.2.1.100\"\ntest = \"!= {number}\"\ninterval = \"100ms\"\n\
             objects = [\"1.3.6.1.4.1.2021.2.1.2\"]\n"
        )
    };
    let home = Home::new(&configuration("udp", receiver.address, &monitor(0)));
    let agent = home.start(1);
    assert_eq!(receiver.next_name(), COLD_START);
    let told = receiver.next().notification;
    assert_eq!(told.trap_oid.to_string(), "1.3.6.1.2.1.88.2.0.1");
    let value = |name: &str| {
        let mut var_binds = told.var_binds.iter();
        let found = var_binds.find(|var_bind| var_bind.name.to_string() == name);
        found.map(|var_bind| var_bind.value.clone())
    };
    let text = |text: &str| Some(Value::OctetString(text.as_bytes().to_vec()));
    assert_eq!(value("1.3.6.1.2.1.88.2.1.1.0"), text("processes"));
    assert_eq!(value("1.3.6.1.2.1.88.2.1.5.0"), Some(Value::Integer(1)));
    assert_eq!(value("1.3.6.1.4.1.2021.2.1.2.1"), text("no such program"));
    // Nothing is told twice, whether or not the configuration is read again.
    agent.signal("-HUP");
    agent.await_log("the configuration was read again");
    receiver.assert_silent(Duration::from_millis(500));
    home.configure(&configuration("udp", receiver.address, &monitor(7)));
    agent.signal("-HUP");
    assert_eq!(receiver.next_name(), "1.3.6.1.2.1.88.2.0.1");
}

#[test]
fn authentication_failures_are_reported_once_a_second_if_that_is_enabled() {
    if !is_installed("snmpget") || !is_installed("snmpset") {
        return;
    }
    let receiver = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
    let home = Home::new(&configuration("udp", receiver.address, ""));
    let agent = home.start(1);
    assert_eq!(receiver.next_name(), COLD_START);
    let fail = || {
        ask(
            "snmpget",
            "wrong",
            &agent.addresses[0],
            &["-r0", "-t0.05", SYS_NAME],
        )
    };
    fail();
    receiver.assert_silent(Duration::from_millis(200));
    let set = agent.ask("snmpset", &[SNMP_ENABLE_AUTHEN_TRAPS, "i", "1"]);
    assert!(set.ends_with("INTEGER: 1"), "{set}");
    for _ in 0..5 {
        fail();
    }
    assert_eq!(receiver.next_name(), AUTHENTICATION_FAILURE);
    receiver.assert_silent(Duration::from_millis(200));
    std::thread::sleep(Duration::from_secs(1));
    fail();
    assert_eq!(receiver.next_name(), AUTHENTICATION_FAILURE);
}

#[test]
fn a_reload_takes_over_targets_and_what_is_reported() {
    if !is_installed("snmpget") {
        return;
    }
    let first = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
    let second = TestReceiver::new(Transport::Tcp, "127.0.0.1:0");
    let home = Home::new(&configuration("udp", first.address, ""));
    let agent = home.start(1);
    assert_eq!(first.next_name(), COLD_START);
    home.configure(&configuration(
        "tcp",
        second.address,
        "[notifications]\nauthentication-failure = true",
    ));
    agent.signal("-HUP");
    let deadline = Instant::now() + PATIENCE;
    loop {
        ask(
            "snmpget",
            "wrong",
            &agent.addresses[0],
            &["-r0", "-t0.05", SYS_NAME],
        );
        let next = second.notifications.next_within(Duration::from_millis(50));
        if let Ok(Some(arrived)) = next {
            let name = arrived.received.notification.trap_oid.to_string();
            assert_eq!(name, AUTHENTICATION_FAILURE);
            break;
        }
        assert!(Instant::now() < deadline, "nothing is told");
    }
    first.assert_silent(Duration::from_millis(1));
}

#[test]
fn a_filter_keeps_notifications_back() {
    let receiver = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
    let filter = format!("exclude = [\"{COLD_START}\"]\n");
    let home = Home::new(&(configuration("udp", receiver.address, "") + &filter));
    let agent = home.start(1);
    agent.signal("-TERM");
    agent.wait();
    let _agent = home.start(1);
    assert_eq!(receiver.next_name(), WARM_START);
}

/// The address of the receiver in the agent's network namespace.
const INSIDE: &str = "127.0.0.1:1162";

#[test]
#[ignore = "a receiver in a network namespace, which another test starts"]
fn receiver_process() {
    let receiver = TestReceiver::new(Transport::Udp, INSIDE);
    println!("\nready");
    for received in receiver.notifications.map(Arrived::deliver) {
        let notification = received.notification;
        let values = notification
            .var_binds
            .iter()
            .map(|VarBind { name, value }| {
                let Value::Integer(value) = value else {
                    panic!("{value:?}");
                };
                format!("{name}={value}")
            });
        let values: Vec<_> = values.collect();
        println!("{} {}", notification.trap_oid, values.join(" "));
    }
}

/// A receiver in the agent's network namespace.
struct ReceiverInside {
    child: Child,
    lines: Receiver<String>,
}

impl ReceiverInside {
    fn new(agent: &Agent) -> Self {
        let mut child = Command::new("nsenter")
            .args(["-t", &agent.process().to_string()])
            .args(["-U", "-n", "--preserve-credentials"])
            .arg(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "notifications::receiver_process"])
            .args(["--nocapture", "--test-threads=1"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let receiver = Self { child, lines };
        while receiver.next() != "ready" {}
        receiver
    }

    #[track_caller]
    fn next(&self) -> String {
        self.lines.recv_timeout(PATIENCE).unwrap()
    }
}

impl Drop for ReceiverInside {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// ifIndex, ifAdminStatus and ifOperStatus of an interface.
fn link_line(name: &str, index: u32, admin: i32, oper: i32) -> String {
    let entry = "1.3.6.1.2.1.2.2.1";
    format!("{name} {entry}.1.{index}={index} {entry}.7.{index}={admin} {entry}.8.{index}={oper}")
}

#[test]
fn links_that_go_up_and_down_are_reported() {
    if !has_namespaces() {
        return;
    }
    let home = Home::new(&configuration("udp", INSIDE.parse().unwrap(), ""));
    let agent = home.start_in_namespace(
        "ip link set lo up
         ip link add up0 index 70 type veth peer name up1 index 71
         ip link set up1 up",
        1,
    );
    let receiver = ReceiverInside::new(&agent);
    agent.shell_inside("ip link set up0 up");
    let mut told = [receiver.next(), receiver.next()];
    told.sort();
    assert_eq!(
        told,
        [link_line(LINK_UP, 70, 1, 1), link_line(LINK_UP, 71, 1, 1)]
    );
    agent.shell_inside("ip link set up0 down");
    let mut told = [receiver.next(), receiver.next()];
    told.sort();
    let expected = [
        link_line(LINK_DOWN, 70, 2, 2),
        link_line(LINK_DOWN, 71, 1, 7),
    ];
    assert_eq!(told, expected);
    // A bridge runs on others, which tell for it (ifLinkUpDownTrapEnable).
    agent.shell_inside(
        "ip link set up0 up
         ip link add br0 index 75 type bridge
         ip link set br0 up; ip link set up0 master br0",
    );
    let mut told = [receiver.next(), receiver.next()];
    told.sort();
    assert_eq!(
        told,
        [link_line(LINK_UP, 70, 1, 1), link_line(LINK_UP, 71, 1, 1)]
    );
    if is_installed("snmpget") {
        let answer = |index| {
            let name = format!(".1.3.6.1.2.1.31.1.1.1.14.{index}");
            agent.ask_inside("snmpget", &[&name])
        };
        assert!(answer(70).ends_with("INTEGER: 1"));
        assert!(answer(75).ends_with("INTEGER: 2"));
    }
    agent.shell_inside("ip link del up0");
    let told = receiver.next();
    assert!(told.starts_with(LINK_DOWN), "{told}");
}
