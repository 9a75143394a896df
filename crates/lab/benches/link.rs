//! How many packets a second an emulated link passes: echoes of 100 octets in UDP, 64 of them under way on each lane, from one
//! thread at each end.
//!
//! Packets a second are those of both directions by the clock, and by the CPU time of the link's own thread, the system's part
//! included: the second figure does not depend on what else the machine does.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement that cannot be made ends"
)]

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use varbind_lab::link::{
    DirectionModel, Lane, LaneModel, Link, LinkDevice, LinkOptions, enter_user_namespace,
};

const PORT: u16 = 5000;
const WINDOW: usize = 64;
const OCTETS: usize = 100;
const TIME: Duration = Duration::from_secs(2);
const REPETITIONS: usize = 5;

fn main() {
    // Before any thread is started.
    if let Err(error) = enter_user_namespace() {
        println!("skipped: {error}");
        return;
    }
    for device in [LinkDevice::Tunnel, LinkDevice::Veth] {
        for (lanes, milliseconds) in [(1, 0), (2, 0), (2, 1)] {
            print_row(device, lanes, Duration::from_millis(milliseconds));
        }
    }
}

fn print_row(device: LinkDevice, lanes: u16, delay: Duration) {
    let mut results: Vec<_> = (0..REPETITIONS)
        .map(|_| measure(device, lanes, delay))
        .collect();
    results.sort_by(|a, b| a.by_clock.total_cmp(&b.by_clock));
    let clock = results[REPETITIONS / 2].by_clock;
    let (lowest, highest) = (results[0].by_clock, results[REPETITIONS - 1].by_clock);
    results.sort_by(|a, b| a.by_cpu.total_cmp(&b.by_cpu));
    let middle = &results[REPETITIONS / 2];
    println!(
        "{device}, lanes: {lanes}, delay {delay:?}: {clock:.0} packets per second (lowest {lowest:.0}, highest {highest:.0}), {:.0} per second of CPU, \
             late by {:?} (median), {:?} (p99)",
        middle.by_cpu, middle.median, middle.p99
    );
}

struct Measured {
    by_clock: f64,
    by_cpu: f64,
    median: Duration,
    p99: Duration,
}

fn measure(device: LinkDevice, lanes: u16, delay: Duration) -> Measured {
    let model = LaneModel::symmetric(DirectionModel {
        delay,
        ..DirectionModel::default()
    });
    let options = LinkOptions {
        device: Some(device),
        lanes: vec![model; usize::from(lanes)],
        ..LinkOptions::default()
    };
    let link = Link::open(&options).expect("a link");
    let ended = Arc::new(AtomicBool::new(false));
    let exchanges = Arc::new(AtomicU64::new(0));
    let threads: Vec<_> = (1..=lanes)
        .flat_map(|number| {
            let lane = Lane::new(number).unwrap();
            let (near, far) = (socket(&link, lane, true), socket(&link, lane, false));
            let (is_over, is_done) = (Arc::clone(&ended), Arc::clone(&ended));
            let remote = SocketAddr::from((lane.far(), PORT));
            let exchanges = Arc::clone(&exchanges);
            [
                std::thread::spawn(move || echo(&far, &is_over)),
                std::thread::spawn(move || exchange(&near, remote, &exchanges, &is_done)),
            ]
        })
        .collect();
    std::thread::sleep(Duration::from_millis(200));
    let (cpu, began) = (link_cpu(), Instant::now());
    let before = exchanges.load(Ordering::Relaxed);
    std::thread::sleep(TIME);
    let passed = 2.0 * (exchanges.load(Ordering::Relaxed) - before) as f64;
    let (spent, elapsed) = (link_cpu() - cpu, began.elapsed().as_secs_f64());
    ended.store(true, Ordering::Relaxed);
    for thread in threads {
        thread.join().unwrap();
    }
    let report = link.close().expect("a report");
    Measured {
        by_clock: passed / elapsed,
        by_cpu: passed / spent,
        median: report.lateness.quantile(0.5),
        p99: report.lateness.quantile(0.99),
    }
}

fn socket(link: &Link, lane: Lane, is_near: bool) -> UdpSocket {
    let (end, address, port) = if is_near {
        (link.near(), lane.near(), 0)
    } else {
        (link.far(), lane.far(), PORT)
    };
    let bound = end.run(move || UdpSocket::bind((address, port)));
    let socket = bound.expect("the namespace").expect("a socket");
    let patience = Some(Duration::from_millis(20));
    socket.set_read_timeout(patience).unwrap();
    socket
}

fn echo(socket: &UdpSocket, is_over: &AtomicBool) {
    let mut buffer = [0; 2048];
    while !is_over.load(Ordering::Relaxed) {
        if let Ok((length, peer)) = socket.recv_from(&mut buffer) {
            let _ = socket.send_to(&buffer[..length], peer);
        }
    }
}

fn exchange(socket: &UdpSocket, remote: SocketAddr, exchanges: &AtomicU64, is_over: &AtomicBool) {
    let octets = [0; OCTETS];
    let mut buffer = [0; 2048];
    socket.connect(remote).unwrap();
    let mut missing = WINDOW;
    while !is_over.load(Ordering::Relaxed) {
        for _ in 0..missing {
            let _ = socket.send(&octets);
        }
        missing = match socket.recv(&mut buffer) {
            Ok(_) => {
                exchanges.fetch_add(1, Ordering::Relaxed);
                1
            }
            // What was lost in a full queue is sent anew.
            Err(_) => WINDOW,
        };
    }
}

/// Seconds of CPU that the thread of the link has used.
fn link_cpu() -> f64 {
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        let path = task.unwrap().path();
        let name = std::fs::read_to_string(path.join("comm")).unwrap();
        if name.trim() == "link" {
            // Nanoseconds on a CPU, the first number.
            let schedule = std::fs::read_to_string(path.join("schedstat")).unwrap();
            let spent: f64 = schedule.split(' ').next().unwrap().parse().unwrap();
            return spent / 1e9;
        }
    }
    panic!("the link has no thread");
}
