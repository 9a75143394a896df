use std::net::IpAddr;

use super::address::ip_address;
use super::message::{Attributes, Message, aligned, u16_at, u32_at, u32_of};
use super::request::Request;
use super::socket::NetlinkSocket;

const RTM_NEWROUTE: u16 = 24;
const RTM_GETROUTE: u16 = 26;

// Attributes of routes (linux/rtnetlink.h).
const RTA_DST: u16 = 1;
const RTA_OIF: u16 = 4;
const RTA_GATEWAY: u16 = 5;
const RTA_PRIORITY: u16 = 6;
const RTA_MULTIPATH: u16 = 9;
const RTA_CACHEINFO: u16 = 12;
const RTA_TABLE: u16 = 15;
const RTA_VIA: u16 = 18;
const RTA_PREF: u16 = 20;

/// RT_TABLE_MAIN. Other tables depend on rules, for which no managed object has room.
const MAIN: u32 = 254;
/// RTM_F_CLONED: what the kernel learned of one destination.
const CLONED: u32 = 0x200;
/// Ticks of rta_expires in a second.
const TICKS: u32 = 100;
/// The size of struct rtnexthop.
const NEXT_HOP: usize = 8;

/// A route of the main table. One with several next hops is several routes here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    /// The prefix, with its length in bits.
    pub(crate) destination: IpAddr,
    pub(crate) prefix_length: u8,
    /// The type of service that it is for; 0 is any.
    pub(crate) service: u8,
    /// What becomes of packets.
    pub(crate) kind: RouteKind,
    /// Who set it (RTPROT_...).
    pub(crate) protocol: u8,
    /// Of several routes, that with the lowest is taken.
    pub(crate) metric: u32,
    /// The seconds after which it is gone; `None` if it stays.
    pub(crate) lifetime: Option<u32>,
    /// Its rank among default routers (RFC 4191): -1 (low), 0 or 1 (high).
    pub(crate) preference: i32,
    pub(crate) next_hop: NextHop,
}

/// Where packets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NextHop {
    /// The index of the link; 0 where packets are not sent.
    pub(crate) link: u32,
    /// The router; `None` where the destination is on the link.
    pub(crate) gateway: Option<IpAddr>,
}

/// What becomes of packets for a route (RTN_...).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouteKind {
    Unicast,
    /// Dropped without a word.
    Blackhole,
    /// Dropped with a notice to the sender.
    Reject,
}

impl RouteKind {
    const fn new(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Unicast,
            6 => Self::Blackhole,
            7 | 8 => Self::Reject,
            _ => return None,
        })
    }
}

impl NextHop {
    fn decode(link: u32, family: u8, attributes: &Attributes<'_>) -> Self {
        // RTA_VIA: a gateway of the other family, which it begins with.
        let via = |content: &[u8]| {
            let (family, address) = content.split_first_chunk()?;
            ip_address(u8::try_from(u16::from_ne_bytes(*family)).ok()?, address)
        };
        let gateway = attributes.find(RTA_GATEWAY);
        Self {
            link,
            gateway: gateway
                .and_then(|content| ip_address(family, content))
                .or_else(|| attributes.find(RTA_VIA).and_then(via)),
        }
    }

    /// The next hops in RTA_MULTIPATH. One that is cut off ends the list.
    fn decode_list(mut rest: &[u8], family: u8) -> Vec<Self> {
        let mut list = Vec::new();
        while let (Some(length), Some(link)) = (u16_at(rest, 0), u32_at(rest, 4)) {
            let length = usize::from(length);
            let Some(content) = rest.get(NEXT_HOP..length) else {
                break;
            };
            list.push(Self::decode(link, family, &Attributes::new(content)));
            rest = rest.get(aligned(length)..).unwrap_or_default();
        }
        list
    }
}

impl Route {
    /// The request for all routes of both families.
    pub(crate) fn request() -> Request {
        Request::dump(RTM_GETROUTE, &[0; 12])
    }

    /// The routes in a message of a dump: one for each next hop; none if it is about something else.
    pub(crate) fn decode(message: &Message<'_>) -> Vec<Self> {
        Self::decode_message(message).unwrap_or_default()
    }

    fn decode_message(message: &Message<'_>) -> Option<Vec<Self>> {
        if message.message_type != RTM_NEWROUTE {
            return None;
        }
        let (header, attributes) = message.split::<12>()?;
        let [
            family,
            prefix_length,
            _,
            service,
            table,
            protocol,
            _,
            kind,
            ..,
        ] = *header;
        let long_table = attributes.find(RTA_TABLE).and_then(u32_of);
        let table = long_table.unwrap_or_else(|| u32::from(table));
        if table != MAIN || u32_at(header, 8)? & CLONED != 0 {
            return None;
        }
        let destination = match attributes.find(RTA_DST) {
            Some(content) => ip_address(family, content)?,
            None => unspecified(family)?,
        };
        let link = attributes.find(RTA_OIF).and_then(u32_of).unwrap_or(0);
        let next_hops = match attributes.find(RTA_MULTIPATH) {
            Some(list) => NextHop::decode_list(list, family),
            None => vec![NextHop::decode(link, family, &attributes)],
        };
        let lifetime = attributes.find(RTA_CACHEINFO).and_then(lifetime);
        let preference = attributes.find(RTA_PREF).map_or(0, preference);
        let route = |next_hop| {
            Some(Self {
                destination,
                prefix_length,
                service,
                kind: RouteKind::new(kind)?,
                protocol,
                metric: attributes.find(RTA_PRIORITY).and_then(u32_of).unwrap_or(0),
                lifetime,
                preference,
                next_hop,
            })
        };
        next_hops.into_iter().map(route).collect()
    }
}

/// rta_expires of struct rta_cacheinfo, in seconds: 0 is none, and a negative one has passed.
fn lifetime(cache_information: &[u8]) -> Option<u32> {
    let ticks = u32_at(cache_information, 8)?.cast_signed();
    let left = u32::try_from(ticks).unwrap_or(0);
    (ticks != 0).then_some(left / TICKS)
}

/// ICMPV6_ROUTER_PREF_...
fn preference(content: &[u8]) -> i32 {
    match content.first() {
        Some(1) => 1,
        Some(3) => -1,
        _ => 0,
    }
}

/// The address of all zeros, of a default route.
fn unspecified(family: u8) -> Option<IpAddr> {
    ip_address(family, &[0; 4]).or_else(|| ip_address(family, &[0; 16]))
}

/// The routes of the main table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Routes {
    /// The first ones of the kernel's list, at most [`MOST_ROUTES`].
    pub(crate) list: Vec<Route>,
    /// The number of all routes of IPv4.
    pub(crate) number_of_ipv4: u32,
    /// The number of all routes.
    pub(crate) number: u32,
}

/// More routes are counted, and have no rows: routers with all of the Internet's have a million.
const MOST_ROUTES: usize = 2000;

impl Routes {
    fn add(&mut self, route: Route) {
        self.number = self.number.saturating_add(1);
        if route.destination.is_ipv4() {
            self.number_of_ipv4 = self.number_of_ipv4.saturating_add(1);
        }
        if self.list.len() < MOST_ROUTES {
            self.list.push(route);
        }
    }
}

/// The routes in the network namespace of the calling thread; none if the kernel does not tell them.
pub(crate) fn routes() -> Routes {
    let told = NetlinkSocket::route()
        .map_err(Into::into)
        .and_then(|mut socket| {
            socket.request(&mut Route::request(), Routes::default, |routes, message| {
                for route in Route::decode(message) {
                    routes.add(route);
                }
            })
        });
    told.unwrap_or_else(|error| {
        log::warn!("the routes of this host cannot be read: {error}");
        Routes::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_beyond_the_limit_are_counted() {
        let route = Route {
            destination: [192, 0, 2, 0].into(),
            prefix_length: 24,
            service: 0,
            kind: RouteKind::Unicast,
            protocol: 2,
            metric: 0,
            lifetime: None,
            preference: 0,
            next_hop: NextHop {
                link: 1,
                gateway: None,
            },
        };
        let mut routes = Routes::default();
        for _ in 0..MOST_ROUTES + 10 {
            routes.add(route.clone());
        }
        routes.add(Route {
            destination: [0_u16; 8].into(),
            ..route
        });
        assert_eq!(routes.list.len(), MOST_ROUTES);
        assert_eq!((routes.number_of_ipv4, routes.number), (2010, 2011));
    }
}
