//! Gets from many agents at once, to find out what the client costs.
//!
//! `cargo run --release -p varbind --example get_load -- 127.1.0.0:1161 1000 5 256`: for 5 seconds, one Get after the other from
//! each of the 1,000 addresses behind 127.1.0.0, 256 at a time. Prints Gets, seconds and the processor time of this process.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use varbind::client::{Client, User};
use varbind::oid;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [first, targets, seconds, in_flight, user @ ..] = &words[..] else {
        return Err(
            "write FIRST-ADDRESS, targets, seconds, requests in flight and perhaps a user".into(),
        );
    };
    let (user, in_flight) = (user.first(), in_flight.parse()?);
    let first: SocketAddr = first.parse()?;
    let IpAddr::V4(ip) = first.ip() else {
        return Err("the first address is one of IPv4".into());
    };
    let (targets, seconds): (u32, u64) = (targets.parse()?, seconds.parse()?);
    let user = user.map(|name| User::new(name).sha1("maplesyrup").aes128("apple sauce"));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let client = Client::builder().max_in_flight(in_flight).build()?;
        let name = oid!("1.3.6.1.2.1.1.3.0");
        let mut all = Vec::with_capacity(targets as usize);
        let mut before = 0.0;
        for number in 0..targets {
            let ip = Ipv4Addr::from(u32::from(ip) + number);
            let target = client.target(&format!("udp:{ip}:{}", first.port()))?;
            let target = match &user {
                Some(user) => target.user(user)?,
                None => target.community("public"),
            };
            target.get(&name).await?;
            all.push(target);
            if number == targets / 10 {
                before = memory();
            }
        }
        let each = (memory() - before) / f64::from(targets - targets / 10);
        let gets = Arc::new(AtomicU64::new(0));
        let begun = Instant::now();
        let cpu_before = processor_time()?;
        let end = begun + Duration::from_secs(seconds);
        let mut tasks = tokio::task::JoinSet::new();
        for target in all.iter().cloned() {
            let (gets, name) = (Arc::clone(&gets), name.clone());
            tasks.spawn(async move {
                while Instant::now() < end {
                    match target.get(&name).await {
                        Ok(_) => gets.fetch_add(1, Ordering::Relaxed),
                        Err(error) => return Some(error),
                    };
                }
                None
            });
        }
        let mut failures = 0;
        while let Some(outcome) = tasks.join_next().await {
            if let Some(error) = outcome? {
                failures += 1;
                if failures < 4 {
                    eprintln!("{error}");
                }
            }
        }
        let gets = gets.load(Ordering::Relaxed);
        let cpu = processor_time()? - cpu_before;
        let statistics = all.iter().filter_map(|target| target.statistics());
        let retries: u64 = statistics.map(|statistics| statistics.retries).sum();
        println!(
            "{gets} Gets in {:.2} s, {retries} retries, {failures} failures, {cpu:.2} s of the processor: {:.3} us for each, {each:.0} octets for each target",
            begun.elapsed().as_secs_f64(),
            cpu * 1e6 / gets as f64,
        );
        Ok(())
    })
}

/// Octets of private memory.
fn memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("Private_Dirty:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) * 1024.0
}

/// Seconds of the processor that this process took.
fn processor_time() -> Result<f64, Box<dyn Error>> {
    let times = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Ok(times.tv_sec as f64 + times.tv_nsec as f64 / 1e9)
}
