use std::collections::HashMap;
use std::fs;
use std::io;
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

use super::namespace::interface;
use super::system_calls::link_layer_address;
use crate::statistics::mix;

/// An Ethertype for experiments (IEEE 802): nobody takes such frames for anything.
const EXPERIMENT: u16 = 0x88b5;
const EVERYBODY: [u8; 6] = [0xff; 6];
/// Frames by an interface, and octets of each, at least and at most.
const FRAMES: (u64, u64) = (16, 80);
const OCTETS: (u64, u64) = (46, 1500);
/// How long interfaces may take to come up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends frames by these interfaces, as many and as large as the name of each decides, so that their counters differ as those of
/// interfaces that are used do: where all are zero, tables are compressed too well.
pub(super) fn stir(names: &[String]) -> io::Result<()> {
    let socket = Socket::new(Domain::PACKET, Type::DGRAM, None)?;
    let octets = [0; OCTETS.1 as usize];
    await_carriers(names, |name| {
        let address = link_layer_address(interface(name)?, EXPERIMENT, EVERYBODY);
        let frame = octets.get(..OCTETS.0 as usize).unwrap_or(&octets);
        socket.send_to(frame, &address)
    })?;
    for name in names {
        let seed = name
            .bytes()
            .fold(1, |seed, octet| mix(seed ^ u64::from(octet)));
        let between = |(least, most): (u64, u64), draw| least + mix(seed ^ draw) % (most - least);
        let address = link_layer_address(interface(name)?, EXPERIMENT, EVERYBODY);
        for frame in 0..between(FRAMES, 1) {
            let size = between(OCTETS, frame + 2) as usize;
            let frame = octets.get(..size).unwrap_or(&octets);
            socket.send_to(frame, &address)?;
        }
    }
    Ok(())
}

/// Sends a frame by each interface until it counts one. The kernel takes a moment to find that the other end of a pair is up; until
/// then it drops what is sent, with or without an error (ENOBUFS).
fn await_carriers(names: &[String], send: impl Fn(&str) -> io::Result<usize>) -> io::Result<()> {
    let begun = Instant::now();
    let before = sent_frames()?;
    let mut silent: Vec<&String> = names.iter().collect();
    while !silent.is_empty() {
        if begun.elapsed() > PATIENCE {
            let problem = format!("{} interfaces do not come up", silent.len());
            return Err(io::Error::new(io::ErrorKind::TimedOut, problem));
        }
        for name in &silent {
            match send(name) {
                Err(error) if error.raw_os_error() != Some(libc::ENOBUFS) => return Err(error),
                _ => {}
            }
        }
        let now = sent_frames()?;
        silent.retain(|name| now.get(*name) == before.get(*name));
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// How many frames each interface of this network namespace has sent.
fn sent_frames() -> io::Result<HashMap<String, u64>> {
    let text = fs::read_to_string("/proc/thread-self/net/dev")?;
    let count = |line: &str| {
        let (name, numbers) = line.split_once(':')?;
        // Eight columns of what was received, then octets and frames sent.
        let frames = numbers.split_whitespace().nth(9)?.parse().ok()?;
        Some((name.trim().to_owned(), frames))
    };
    Ok(text.lines().filter_map(count).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{LinkError, enter_network};

    #[test]
    fn interfaces_have_counters_that_differ() {
        let counted = std::thread::spawn(|| -> Result<String, LinkError> {
            enter_network(5)?;
            Ok(std::fs::read_to_string("/proc/thread-self/net/dev").unwrap())
        });
        let text = match counted.join().unwrap() {
            Ok(text) => text,
            Err(error) => return varbind_testkit::peers::skip(&error.to_string()),
        };
        let pairs = text.lines().filter(|line| line.trim().starts_with('v'));
        let sent = pairs.map(|line| line.split_whitespace().nth(9).unwrap().to_owned());
        let sent: Vec<String> = sent.collect();
        let different: BTreeSet<&String> = sent.iter().collect();
        assert_eq!((sent.len(), different.len()), (4, 4), "{text}");
        assert!(sent.iter().all(|octets| octets.len() > 3), "{text}");
    }
}
