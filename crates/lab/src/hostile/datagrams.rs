//! Hostile peers over UDP, all of them in one thread.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use varbind_codec::smi::{Oid, Value};

use super::attack::{Attack, Datagrams, Service, Sources};
use super::client_hello::{client_hello, cookie};
use super::opening::{get_bulk, message};
use super::{Course, Effort};
use crate::measurement::TransportKind;
use crate::request::{Assignment, Request};
use crate::statistics::Random;

/// sysContact.0.
const SYS_CONTACT: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 4, 0];
/// Datagrams that one attack sends at most.
const MOST_DATAGRAMS: u64 = 1_000_000;
/// Sockets of an attack from many sources.
const MANY: u32 = 500;
/// Handshakes that one attack leaves half-way at most: as many as it can in some ten seconds.
const MOST_HANDSHAKES: u64 = 200_000;
/// Datagrams between two looks at the clock, and the least time that they take: 50,000 a second do not fill the agent's socket by
/// themselves.
const BATCH: u32 = 32;
const BATCH_TIME: Duration = Duration::from_micros(640);
/// The wait after the kernel took no more, or when nothing came back.
const PAUSE: Duration = Duration::from_millis(1);

/// Makes the attack until its course is over.
pub(super) fn attack(
    attack: &Attack,
    what: Datagrams,
    agent: SocketAddr,
    seed: u64,
    course: &Course,
    effort: &mut Effort,
) -> io::Result<()> {
    let count = match attack.sources {
        Sources::One => 1,
        Sources::Many => MANY,
    };
    let sockets = (0..count).map(|number| attack.sources.datagrams(number, agent));
    let sockets = sockets.collect::<io::Result<Vec<UdpSocket>>>()?;
    let mut random = Random::new(seed);
    if what == Datagrams::HalfHandshakes {
        return half_handshakes(attack.sources, agent, &mut random, course, effort);
    }
    let samples = samples(attack.service, what)?;
    let mut next = 0;
    while !course.is_over() && effort.datagrams < MOST_DATAGRAMS {
        let begun = Instant::now();
        for _ in 0..BATCH {
            next = (next + 1) % sockets.len().max(1);
            let (Some(socket), Some(sample)) =
                (sockets.get(next), samples.get(random.below(samples.len())))
            else {
                continue;
            };
            let datagram = match what {
                Datagrams::Mutated => mutated(sample, &mut random),
                Datagrams::SpoofedHellos => client_hello(octets(&mut random), &[]),
                Datagrams::RefusedSets | Datagrams::HalfHandshakes => sample.clone(),
            };
            send(socket, &datagram, effort)?;
        }
        if !course.has_begun() {
            course.begin()?;
        }
        std::thread::sleep(BATCH_TIME.saturating_sub(begun.elapsed()));
    }
    Ok(())
}

/// Messages to begin with.
fn samples(service: Service, what: Datagrams) -> io::Result<Vec<Vec<u8>>> {
    let name = Oid::new(&SYS_CONTACT).map_err(|error| io::Error::other(error.to_string()))?;
    let set = message(&Request::Set {
        alternatives: vec![vec![Assignment {
            name: name.clone(),
            value: Value::OctetString(b"hostile".to_vec()),
        }]],
    })?;
    Ok(match (service, what) {
        (Service::Snmp(TransportKind::Dtls), _) => {
            vec![client_hello([7; 32], &[]), client_hello([7; 32], &[9; 20])]
        }
        (_, Datagrams::RefusedSets) => vec![set],
        _ => {
            let get = message(&Request::Get { names: vec![name] })?;
            vec![get, get_bulk()?, set]
        }
    })
}

/// A sample with one to eight octets changed, and now and then cut off or with octets behind it.
fn mutated(sample: &[u8], random: &mut Random) -> Vec<u8> {
    let mut datagram = sample.to_vec();
    for _ in 0..=random.below(8) {
        let at = random.below(datagram.len());
        if let Some(octet) = datagram.get_mut(at) {
            *octet = random.next().to_be_bytes()[0];
        }
    }
    match random.below(8) {
        0 => datagram.truncate(random.below(datagram.len())),
        1 => datagram.extend(octets(random)),
        _ => {}
    }
    datagram
}

/// Returns cookies, from a new socket for each handshake, and then goes away.
fn half_handshakes(
    sources: Sources,
    agent: SocketAddr,
    random: &mut Random,
    course: &Course,
    effort: &mut Effort,
) -> io::Result<()> {
    let mut number = 0;
    while !course.is_over() && effort.handshakes < MOST_HANDSHAKES {
        let batch = (number..number + BATCH).map(|number| {
            let socket = sources.datagrams(number, agent)?;
            Ok((socket, octets(random)))
        });
        let batch = batch.collect::<io::Result<Vec<(UdpSocket, [u8; 32])>>>()?;
        number += BATCH;
        for (socket, hello) in &batch {
            send(socket, &client_hello(*hello, &[]), effort)?;
        }
        std::thread::sleep(PAUSE);
        let mut response = [0; 512];
        for (socket, hello) in &batch {
            let Ok(length) = socket.recv(&mut response) else {
                continue;
            };
            effort.octets_received += length as u64;
            if let Some(cookie) = cookie(response.get(..length).unwrap_or_default()) {
                send(socket, &client_hello(*hello, cookie), effort)?;
                effort.handshakes += 1;
            }
        }
        if !course.has_begun() && effort.handshakes > 0 {
            course.begin()?;
        }
    }
    Ok(())
}

fn octets(random: &mut Random) -> [u8; 32] {
    let mut octets = [0; 32];
    for chunk in octets.chunks_exact_mut(8) {
        chunk.copy_from_slice(&random.next().to_be_bytes());
    }
    octets
}

fn send(socket: &UdpSocket, datagram: &[u8], effort: &mut Effort) -> io::Result<()> {
    match socket.send(datagram) {
        Ok(length) => {
            effort.datagrams += 1;
            effort.octets_sent += length as u64;
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            std::thread::sleep(PAUSE);
            Ok(())
        }
        // The agent's port is closed.
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
        Err(error) => Err(error),
    }
}
