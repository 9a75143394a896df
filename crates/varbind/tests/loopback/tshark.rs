//! Wireshark's dissector reads what goes over the wire between manager and agent.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, UdpSocket};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

use varbind::codec::ber::{FrameLength, frame_length};
use varbind::codec::smi::{Value, VarBind};
use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::Transport;
use varbind_testkit::loopback::{LARGE_TEXT_0, NAME_0, SYS_DESCR_0, TABLE, TestAgent, target};
use varbind_testkit::oid;
use varbind_testkit::peers::is_installed;

/// What passed a relay: whether it came from the manager, and its octets.
type Passed = Arc<Mutex<Vec<(bool, Vec<u8>)>>>;

/// A capture file without link layer: IPv4 and UDP or TCP, the agent at port 161.
#[derive(Default)]
struct Capture {
    octets: Vec<u8>,
    sequence: [u32; 2],
    /// What has not become a message yet, of manager and agent.
    rest: [Vec<u8>; 2],
}

impl Capture {
    fn new() -> Self {
        let mut octets = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        octets.extend([0, 0, 4, 0, 101, 0, 0, 0]);
        Self {
            octets,
            sequence: [1000, 5000],
            rest: Default::default(),
        }
    }

    fn packet(&mut self, protocol: u8, is_request: bool, header: &[u8], payload: &[u8]) {
        let length = 20 + header.len() + payload.len();
        let mut packet = vec![0x45, 0];
        packet.extend(u16::try_from(length).unwrap().to_be_bytes());
        packet.extend([0, 0, 0, 0, 64, protocol, 0, 0]);
        let (from, to) = if is_request { (1, 2) } else { (2, 1) };
        packet.extend([192, 0, 2, from, 192, 0, 2, to]);
        packet.extend(header);
        packet.extend(payload);
        let length = u32::try_from(length).unwrap().to_le_bytes();
        self.octets.extend([0; 8]);
        self.octets.extend([length, length].concat());
        self.octets.extend(packet);
    }

    fn udp(&mut self, is_request: bool, payload: &[u8]) {
        let mut header = ports(is_request);
        let length = u16::try_from(payload.len() + 8).unwrap();
        header.extend(length.to_be_bytes());
        header.extend([0, 0]);
        self.packet(17, is_request, &header, payload);
    }

    /// Every message begins a segment: of several in one, tshark tells the request-id of the first each time.
    fn tcp(&mut self, is_request: bool, octets: &[u8]) {
        let mut stream = std::mem::take(&mut self.rest[usize::from(!is_request)]);
        stream.extend(octets);
        while let FrameLength::Octets(length) = frame_length(&stream).unwrap()
            && length <= stream.len()
        {
            let message: Vec<u8> = stream.drain(..length).collect();
            self.segments(is_request, &message);
        }
        self.rest[usize::from(!is_request)] = stream;
    }

    fn segments(&mut self, is_request: bool, message: &[u8]) {
        for segment in message.chunks(1460) {
            let [own, other] = match (is_request, self.sequence) {
                (true, [manager, agent]) => [manager, agent],
                (false, [manager, agent]) => [agent, manager],
            };
            let mut header = ports(is_request);
            header.extend(own.to_be_bytes());
            header.extend(other.to_be_bytes());
            header.extend([0x50, 0x18, 0xff, 0xff, 0, 0, 0, 0]);
            self.packet(6, is_request, &header, segment);
            self.sequence[usize::from(!is_request)] += u32::try_from(segment.len()).unwrap();
        }
    }
}

fn ports(is_request: bool) -> Vec<u8> {
    let ports: [u16; 2] = if is_request {
        [40_000, 161]
    } else {
        [161, 40_000]
    };
    ports.map(u16::to_be_bytes).concat()
}

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // A file left in the directory for temporary ones does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What the dissector remarks on, as it should.
const EXPECTED: [&str; 4] = ["", "noSuchObject", "noSuchInstance", "endOfMibView"];

/// Has tshark read the capture. Returns the request-ids of requests and of responses.
fn dissect(name: &str, capture: &Capture) -> [Vec<String>; 2] {
    let file = format!("varbind-{name}-{}.pcap", std::process::id());
    let file = Scratch(std::env::temp_dir().join(file));
    std::fs::write(&file.0, &capture.octets).unwrap();
    let fields = [
        "_ws.malformed",
        "_ws.expert.message",
        "snmp.request_id",
        "udp.dstport",
        "tcp.dstport",
    ];
    let mut tshark = Command::new("tshark");
    tshark.args(["-n", "-T", "fields", "-E", "aggregator=|", "-r"]);
    tshark.arg(&file.0);
    for field in fields {
        tshark.args(["-e", field]);
    }
    let output = tshark.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut ids = [Vec::new(), Vec::new()];
    for line in text.lines() {
        let [malformed, remarks, request_ids, udp, tcp] = line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{line}");
        };
        assert_eq!(malformed, "");
        let remark = remarks.split('|').find(|text| !EXPECTED.contains(text));
        assert_eq!(remark, None, "{line}");
        let is_response = udp != "161" && tcp != "161";
        let here = request_ids.split('|').filter(|id| !id.is_empty());
        ids[usize::from(is_response)].extend(here.map(str::to_owned));
    }
    ids
}

/// Commands of all kinds.
fn work(manager: &mut Manager) {
    let names = [SYS_DESCR_0, "1.3.6.1.9.9.0", LARGE_TEXT_0, NAME_0].map(oid);
    manager.get(&names).unwrap();
    manager.get_next(&[oid("1.3"), oid("2.99")]).unwrap();
    manager.get_bulk(1, 20, &[oid("1.3"), oid(TABLE)]).unwrap();
    for value in [
        Value::OctetString(b"a name".to_vec()),
        Value::Integer(-129),
        Value::Counter64(u64::MAX),
    ] {
        manager.set(&[VarBind::new(oid(NAME_0), value)]).unwrap();
    }
    let mut objects = 0;
    let summary = manager.walk(&[oid("1.3")], Default::default(), |found| {
        objects += found.len();
        std::ops::ControlFlow::Continue(())
    });
    assert!(summary.is_ok() && objects > 1000);
}

fn assert_answered(ids: [Vec<String>; 2], messages: usize) {
    let [mut requests, mut responses] = ids;
    assert_eq!(requests.len() + responses.len(), messages);
    assert!(requests.len() > 10);
    requests.sort();
    responses.sort();
    // A request may have been sent twice, but then it is answered twice.
    assert_eq!(requests, responses);
}

#[test]
fn datagrams_are_read_without_a_complaint() {
    if !is_installed("tshark") {
        return;
    }
    let agent = TestAgent::new();
    let address = agent.udp();
    let relay = UdpSocket::bind("127.0.0.1:0").unwrap();
    let entrance = relay.local_addr().unwrap();
    let passed = Passed::default();
    let record = Arc::clone(&passed);
    let relaying = thread::spawn(move || {
        let mut manager = entrance;
        let mut buffer = vec![0; 65_536];
        loop {
            let (length, from) = relay.recv_from(&mut buffer).unwrap();
            if length == 0 {
                return;
            }
            let is_request = from != address;
            let to = if is_request { address } else { manager };
            if is_request {
                manager = from;
            }
            record
                .lock()
                .unwrap()
                .push((is_request, buffer[..length].to_vec()));
            relay.send_to(&buffer[..length], to).unwrap();
        }
    });
    let options = ManagerOptions::v2c("private");
    work(&mut Manager::open(&target(Transport::Udp, entrance), options).unwrap());
    // The last answer may be that to a request which was answered before: all have arrived once the socket is closed.
    agent.agent.shutdown();
    let last = UdpSocket::bind("127.0.0.1:0").unwrap();
    last.send_to(&[], entrance).unwrap();
    relaying.join().unwrap();
    let passed = std::mem::take(&mut *passed.lock().unwrap());
    let mut capture = Capture::new();
    for (is_request, octets) in &passed {
        capture.udp(*is_request, octets);
    }
    assert_answered(dissect("udp", &capture), passed.len());
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, is_request: bool, passed: &Passed) {
    let mut buffer = vec![0; 65_536];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        passed
            .lock()
            .unwrap()
            .push((is_request, buffer[..length].to_vec()));
        to.write_all(&buffer[..length]).unwrap();
    }
    let _ = to.shutdown(Shutdown::Write);
}

#[test]
fn streams_are_read_without_a_complaint() {
    if !is_installed("tshark") {
        return;
    }
    let agent = TestAgent::new();
    let address = agent.tcp();
    let relay = TcpListener::bind("127.0.0.1:0").unwrap();
    let entrance = relay.local_addr().unwrap();
    let passed = Passed::default();
    let record = Arc::clone(&passed);
    let relaying = thread::spawn(move || {
        let (manager, _) = relay.accept().unwrap();
        let agent = TcpStream::connect(address).unwrap();
        let backwards = (agent.try_clone().unwrap(), manager.try_clone().unwrap());
        let other = Arc::clone(&record);
        let answers = thread::spawn(move || pass_on(backwards.0, backwards.1, false, &other));
        pass_on(manager, agent, true, &record);
        answers.join().unwrap();
    });
    let options = ManagerOptions::v2c("private");
    work(&mut Manager::open(&target(Transport::Tcp, entrance), options).unwrap());
    relaying.join().unwrap();
    let passed = std::mem::take(&mut *passed.lock().unwrap());
    let mut capture = Capture::new();
    for (is_request, octets) in &passed {
        capture.tcp(*is_request, octets);
    }
    let ids = dissect("tcp", &capture);
    let messages = ids.iter().map(Vec::len).sum();
    assert_answered(ids, messages);
}
