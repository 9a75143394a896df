use varbind_engine::clock::Instant;

use super::filter::{Filter, HiddenInterfaces};
use super::{Interface, InterfaceTable};
use crate::operating_system::netlink::{
    Address, EthtoolSocket, Link, LinkChange, LinkStatistics, NetlinkError, NetlinkSocket, Request,
};

/// How the kernel is asked.
pub(super) struct Reader {
    socket: NetlinkSocket,
    pub(super) statistics: Request,
    has_fallen_back: bool,
    ethtool: Option<EthtoolSocket>,
    pub(super) filter: Filter,
}

impl Reader {
    pub(super) fn open(hidden: HiddenInterfaces) -> Result<Self, NetlinkError> {
        Ok(Self {
            socket: NetlinkSocket::route()?,
            statistics: LinkStatistics::request(),
            has_fallen_back: false,
            ethtool: EthtoolSocket::open().ok(),
            filter: Filter::new(hidden),
        })
    }

    pub(super) fn interfaces(&mut self, now: Instant) -> Result<Vec<Interface>, NetlinkError> {
        let changes = self
            .socket
            .request(&mut Link::request(), Vec::new, |changes, message| {
                changes.extend(LinkChange::decode(message));
            })?;
        let speeds = match self.ethtool.as_mut().map(EthtoolSocket::speeds) {
            Some(Ok(speeds)) => speeds,
            Some(Err(error)) => {
                log::warn!("the speeds of the interfaces cannot be read: {error}");
                Vec::new()
            }
            None => Vec::new(),
        };
        let speed = |index| {
            speeds
                .iter()
                .find(|(of, _)| *of == index)
                .map(|(_, speed)| *speed)
        };
        let filter = &mut self.filter;
        Ok(changes
            .into_iter()
            .filter_map(|change| match change {
                LinkChange::Present(link) if filter.admits(link.index, &link.name) => {
                    let speed = speed(link.index);
                    Some(Interface::new(link, speed, now))
                }
                LinkChange::Present(_) | LinkChange::Gone(_) => None,
            })
            .collect())
    }

    pub(super) fn addresses(&mut self) -> Result<Vec<Address>, NetlinkError> {
        let filter = &self.filter;
        self.socket
            .request(&mut Address::request(), Vec::new, |addresses, message| {
                let address = Address::decode(message);
                addresses.extend(address.filter(|address| !filter.hides(address.link)));
            })
    }

    /// The counters, in the order of the rows of `table`.
    pub(super) fn counters(
        &mut self,
        table: &InterfaceTable,
    ) -> Result<Vec<LinkStatistics>, NetlinkError> {
        let start = || table.all_counters().to_vec();
        let read = self
            .socket
            .request(&mut self.statistics, start, |counters, message| {
                let Some((index, statistics)) = LinkStatistics::decode(message) else {
                    return;
                };
                if let Some(place) = table.row(index).and_then(|row| counters.get_mut(row)) {
                    *place = statistics;
                }
            });
        match read {
            Err(error) if error.is_unsupported() && !self.has_fallen_back => {
                log::info!("this kernel reports counters only together with links ({error})");
                self.has_fallen_back = true;
                self.statistics = LinkStatistics::fallback_request();
                self.counters(table)
            }
            read => read,
        }
    }

    pub(super) fn apply(
        &mut self,
        change: LinkChange,
        interfaces: &mut Vec<Interface>,
        now: Instant,
    ) {
        match change {
            LinkChange::Gone(index) => {
                self.filter.forget(index);
                interfaces.retain(|interface| interface.link.index != index);
            }
            LinkChange::Present(link) if !self.filter.admits(link.index, &link.name) => {
                interfaces.retain(|interface| interface.link.index != link.index);
            }
            LinkChange::Present(link) => {
                let speed = self
                    .ethtool
                    .as_mut()
                    .and_then(|socket| socket.speed(link.index));
                let interface = Interface::new(link, speed, now);
                let index = interface.link.index;
                match interfaces
                    .iter_mut()
                    .find(|before| before.link.index == index)
                {
                    Some(before) => *before = interface.replacing(before),
                    None => interfaces.push(interface),
                }
            }
        }
    }
}
