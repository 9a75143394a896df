//! Gets from many agents at once, to find out what the client costs.
//!
//! `cargo run --release -p varbind --example get_load -- 127.1.0.0:1161 1000 5 256`: for 5 seconds, one Get after the other
//! from each of the 1,000 addresses behind 127.1.0.0, 256 at a time, with the community `public`; or, with a name behind it, as that
//! user with the passwords `maplesyrup` (SHA-1) and `apple sauce` (AES-128).

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use varbind::client::{Client, Target, User};
use varbind::{Oid, oid};

const SYS_UP_TIME: Oid = oid!("1.3.6.1.2.1.1.3.0");

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [first, targets, seconds, in_flight, user @ ..] = &words[..] else {
        return Err(
            "write FIRST-ADDRESS, targets, seconds, requests in flight and perhaps a user".into(),
        );
    };
    let time = Duration::from_secs(seconds.parse()?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let client = Client::builder()
            .max_in_flight(in_flight.parse()?)
            .build()?;
        let targets = open(&client, first.parse()?, targets.parse()?, user.first()).await?;
        load(&targets, time).await
    })
}

/// The targets, each of which was asked once; shows what they take.
async fn open(
    client: &Client,
    first: SocketAddrV4,
    count: u32,
    user: Option<&String>,
) -> Result<Vec<Target>, Box<dyn Error>> {
    let user = user.map(|name| User::new(name).sha1("maplesyrup").aes128("apple sauce"));
    let mut targets = Vec::with_capacity(count as usize);
    let (skipped, mut before) = (count / 10, 0.0);
    for number in 0..count {
        let ip = Ipv4Addr::from(u32::from(*first.ip()) + number);
        let target = client.target(&format!("udp:{ip}:{}", first.port()))?;
        let target = match &user {
            Some(user) => target.user(user)?,
            None => target.community("public"),
        };
        target.get(SYS_UP_TIME).await?;
        targets.push(target);
        if number == skipped {
            before = private_memory();
        }
    }
    let each = (private_memory() - before) / f64::from(count - skipped);
    println!("{each:.0} octets for each target");
    Ok(targets)
}

/// Asks all targets for a while, and shows what that takes.
async fn load(targets: &[Target], time: Duration) -> Result<(), Box<dyn Error>> {
    let gets = Arc::new(AtomicU64::new(0));
    let (begun, cpu_before) = (Instant::now(), processor_time());
    let end = begun + time;
    let mut tasks = JoinSet::new();
    for target in targets {
        let (target, gets) = (target.clone(), Arc::clone(&gets));
        tasks.spawn(async move {
            while Instant::now() < end {
                target.get(SYS_UP_TIME).await?;
                gets.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<(), varbind::client::Error>(())
        });
    }
    let mut failures = 0;
    while let Some(outcome) = tasks.join_next().await {
        if let Err(error) = outcome? {
            failures += 1;
            eprintln!("{error}");
        }
    }
    let gets = gets.load(Ordering::Relaxed);
    let cpu = processor_time() - cpu_before;
    let statistics = targets.iter().filter_map(Target::statistics);
    let retries: u64 = statistics.map(|statistics| statistics.retries).sum();
    println!(
        "{gets} Gets in {:.2} s, {retries} retries, {failures} failures, {cpu:.2} s of the processor: {:.3} us for each",
        begun.elapsed().as_secs_f64(),
        cpu * 1e6 / gets as f64,
    );
    Ok(())
}

/// Octets of memory that this process shares with no other.
fn private_memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("Private_Dirty:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) * 1024.0
}

/// Seconds of the processor that this process took.
fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
