//! The attacks, as data.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::measurement::TransportKind;

/// What is attacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// A listener for SNMP.
    Snmp(TransportKind),
    /// The web server, over HTTP.
    Http,
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Snmp(transport) => transport.fmt(f),
            Self::Http => f.write_str("http"),
        }
    }
}

impl Serialize for Service {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// How many addresses an attack comes from. None of them is in the /24 of the well-behaved client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sources {
    One,
    /// Each connection from a /24 of its own.
    Many,
}

/// What a hostile peer sends first over a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    Nothing,
    /// The first half of what the service expects first.
    HalfHello,
    /// What a client sends until the server has done its expensive part: a ClientHello, or the first two messages of a key
    /// exchange of SSH.
    Hello,
    /// GetBulk requests with 1000 repetitions, one behind the other.
    GetBulk,
    /// A request line and a header, without the end of the headers.
    HttpHeaders,
    /// A request to set something, of a megabyte that lacks its last octets.
    HttpBody,
}

/// What it does then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    Waits,
    /// Goes on with one octet a second.
    Drips,
    /// Sends the opening again as soon as the connection takes it.
    Repeats {
        reads: bool,
    },
    /// Resets the connection, and opens another.
    Reconnects {
        awaits_response: bool,
    },
}

/// What a hostile peer sends in datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Datagrams {
    /// SNMP messages with octets changed, cut off or added.
    Mutated,
    /// SetRequests in a community without write access.
    RefusedSets,
    /// ClientHellos of DTLS; the peer ignores the cookie, as the owner of a spoofed address would.
    SpoofedHellos,
    /// ClientHellos of DTLS with their cookie, and nothing of the rest of the handshake.
    HalfHandshakes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Traffic {
    Streams {
        /// Connections at a time.
        connections: u32,
        opening: Opening,
        then: Then,
    },
    Datagrams(Datagrams),
}

/// What hostile peers do to one service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attack {
    pub(super) name: &'static str,
    pub(super) service: Service,
    pub(super) sources: Sources,
    pub(super) traffic: Traffic,
}

const TCP: Service = Service::Snmp(TransportKind::Tcp);
const TLS: Service = Service::Snmp(TransportKind::Tls);
const SSH: Service = Service::Snmp(TransportKind::Ssh);
const UDP: Service = Service::Snmp(TransportKind::Udp);
const DTLS: Service = Service::Snmp(TransportKind::Dtls);
const HTTP: Service = Service::Http;

/// More than the agent serves from one source.
const FROM_ONE: u32 = 300;
/// More than the agent serves in all.
const FROM_MANY: u32 = 1500;
/// Handshakes at a time.
const FLOOD: u32 = 64;

const FLOODS: Then = Then::Reconnects {
    awaits_response: true,
};
const DROPS: Then = Then::Reconnects {
    awaits_response: false,
};
const READS: Then = Then::Repeats { reads: true };
const NEVER_READS: Then = Then::Repeats { reads: false };

const fn streams(
    name: &'static str,
    service: Service,
    (sources, connections): (Sources, u32),
    opening: Opening,
    then: Then,
) -> Attack {
    Attack {
        name,
        service,
        sources,
        traffic: Traffic::Streams {
            connections,
            opening,
            then,
        },
    }
}

const fn datagrams(
    name: &'static str,
    service: Service,
    sources: Sources,
    what: Datagrams,
) -> Attack {
    Attack {
        name,
        service,
        sources,
        traffic: Traffic::Datagrams(what),
    }
}

const ONE: Sources = Sources::One;
const MANY: Sources = Sources::Many;

/// All attacks, in the order in which they are made. Names fit into a table of 80 columns.
#[rustfmt::skip]
pub(super) const ATTACKS: [Attack; 32] = [
    streams("silent TCP, one source", TCP, (ONE, FROM_ONE), Opening::Nothing, Then::Waits),
    streams("silent TCP, many sources", TCP, (MANY, FROM_MANY), Opening::Nothing, Then::Waits),
    streams("silent TLS, one source", TLS, (ONE, FROM_ONE), Opening::Nothing, Then::Waits),
    streams("silent TLS, many sources", TLS, (MANY, FROM_MANY), Opening::Nothing, Then::Waits),
    streams("silent SSH, one source", SSH, (ONE, FROM_ONE), Opening::Nothing, Then::Waits),
    streams("silent SSH, many sources", SSH, (MANY, FROM_MANY), Opening::Nothing, Then::Waits),
    streams("silent HTTP, one source", HTTP, (ONE, FROM_ONE), Opening::Nothing, Then::Waits),
    streams("silent HTTP, many sources", HTTP, (MANY, FROM_MANY), Opening::Nothing, Then::Waits),
    streams("half ClientHello, one source", TLS, (ONE, FROM_ONE), Opening::HalfHello, Then::Waits),
    streams("half ClientHello, many sources", TLS, (MANY, FROM_MANY), Opening::HalfHello, Then::Waits),
    streams("half SSH handshake, many sources", SSH, (MANY, FROM_MANY), Opening::HalfHello, Then::Waits),
    streams("1 octet/s TCP", TCP, (ONE, 100), Opening::HalfHello, Then::Drips),
    streams("1 octet/s TLS", TLS, (ONE, 20), Opening::HalfHello, Then::Drips),
    streams("slow HTTP headers, one source", HTTP, (ONE, FROM_ONE), Opening::HttpHeaders, Then::Drips),
    streams("slow HTTP headers, many sources", HTTP, (MANY, FROM_MANY), Opening::HttpHeaders, Then::Drips),
    streams("large HTTP bodies, one source", HTTP, (ONE, 100), Opening::HttpBody, Then::Waits),
    streams("large HTTP bodies, many sources", HTTP, (MANY, 300), Opening::HttpBody, Then::Waits),
    streams("100 TCP GetBulk, never reading", TCP, (ONE, 100), Opening::GetBulk, NEVER_READS),
    streams("1 TCP GetBulk, reading", TCP, (ONE, 1), Opening::GetBulk, READS),
    streams("20 TCP GetBulk, reading", TCP, (ONE, 20), Opening::GetBulk, READS),
    streams("100 TCP GetBulk, reading", TCP, (ONE, 100), Opening::GetBulk, READS),
    streams("TCP opened and dropped", TCP, (ONE, FLOOD), Opening::Nothing, DROPS),
    streams("ClientHello flood, one source", TLS, (ONE, FLOOD), Opening::Hello, FLOODS),
    streams("ClientHello flood, many sources", TLS, (MANY, FLOOD), Opening::Hello, FLOODS),
    streams("SSH handshake flood, one source", SSH, (ONE, FLOOD), Opening::Hello, FLOODS),
    streams("SSH handshake flood, many sources", SSH, (MANY, FLOOD), Opening::Hello, FLOODS),
    datagrams("mutated datagrams", UDP, ONE, Datagrams::Mutated),
    datagrams("refused Sets", UDP, ONE, Datagrams::RefusedSets),
    datagrams("spoofed DTLS hellos", DTLS, MANY, Datagrams::SpoofedHellos),
    datagrams("DTLS left half-way, one source", DTLS, ONE, Datagrams::HalfHandshakes),
    datagrams("DTLS left half-way, many sources", DTLS, MANY, Datagrams::HalfHandshakes),
    datagrams("mutated datagrams to DTLS", DTLS, MANY, Datagrams::Mutated),
];
