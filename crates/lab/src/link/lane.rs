use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{Channel, ChannelStatistics, DirectionModel};
use crate::statistics::mix;

/// A pair of addresses across a link, by its number from 1 to [`Lane::MOST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lane(u16);

impl Lane {
    /// How many lanes there can be.
    pub const MOST: u16 = 4096;

    /// A lane; `None` if there is none of that number.
    #[must_use]
    pub fn new(number: u16) -> Option<Self> {
        (1..=Self::MOST).contains(&number).then_some(Self(number))
    }

    /// The address of the near end.
    #[must_use]
    pub fn near(self) -> Ipv4Addr {
        End::Near.address(self.0)
    }

    /// The address of the far end.
    #[must_use]
    pub fn far(self) -> Ipv4Addr {
        End::Far.address(self.0)
    }

    /// Whether an address is the far end of some lane.
    pub(crate) fn is_far(address: IpAddr) -> bool {
        let lane = End::Far.number_of(address);
        lane.is_some_and(|lane| (1..=Self::MOST).contains(&lane))
    }

    /// The IPv6 address of the near end.
    #[must_use]
    pub fn near_v6(self) -> Ipv6Addr {
        End::Near.address_v6(self.0)
    }

    /// The IPv6 address of the far end.
    #[must_use]
    pub fn far_v6(self) -> Ipv6Addr {
        End::Far.address_v6(self.0)
    }
}

/// An end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Near,
    Far,
}

impl End {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::Far => "far",
        }
    }

    pub(super) const fn other(self) -> Self {
        match self {
            Self::Near => Self::Far,
            Self::Far => Self::Near,
        }
    }

    /// The addresses of an end are 10.1.0.0/16 or 10.2.0.0/16.
    pub(super) const fn address(self, lane: u16) -> Ipv4Addr {
        let [high, low] = lane.to_be_bytes();
        Ipv4Addr::new(10, self.net(), high, low)
    }

    /// fd00:1::/112 or fd00:2::/112.
    pub(super) const fn address_v6(self, lane: u16) -> Ipv6Addr {
        Ipv6Addr::new(0xfd00, self.net() as u16, 0, 0, 0, 0, 0, lane)
    }

    const fn net(self) -> u8 {
        match self {
            Self::Near => 1,
            Self::Far => 2,
        }
    }

    /// The lane of a packet that leaves this end; `None` if it is not for the other end.
    pub(super) fn lane_of(self, packet: &[u8]) -> Option<u16> {
        let other = self.other();
        let address = |range: std::ops::Range<usize>| packet.get(range);
        let (source, destination) = match packet.first()? >> 4 {
            4 => {
                let read = |range| Some(IpAddr::from(<[u8; 4]>::try_from(address(range)?).ok()?));
                (read(12..16)?, read(16..20)?)
            }
            6 => {
                let read = |range| Some(IpAddr::from(<[u8; 16]>::try_from(address(range)?).ok()?));
                (read(8..24)?, read(24..40)?)
            }
            _ => return None,
        };
        let lane = other.number_of(destination)?;
        (self.number_of(source) == Some(lane)).then_some(lane)
    }

    fn number_of(self, address: IpAddr) -> Option<u16> {
        match address {
            IpAddr::V4(address) => {
                let [_, _, high, low] = address.octets();
                let lane = u16::from_be_bytes([high, low]);
                (self.address(lane) == address).then_some(lane)
            }
            IpAddr::V6(address) => {
                let [.., lane] = address.segments();
                (self.address_v6(lane) == address).then_some(lane)
            }
        }
    }
}

/// What both directions of a lane do to packets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaneModel {
    /// From the near end to the far one.
    pub forward: DirectionModel,
    /// From the far end to the near one.
    pub backward: DirectionModel,
}

impl LaneModel {
    /// The same both ways.
    #[must_use]
    pub fn symmetric(model: DirectionModel) -> Self {
        Self {
            backward: model.clone(),
            forward: model,
        }
    }

    /// The channels of lane number `lane` of a link with that seed, from near to far and back.
    #[must_use]
    pub fn channels(&self, seed: u64, lane: u16) -> (Channel, Channel) {
        let seed = mix(seed) ^ u64::from(lane);
        (
            Channel::new(self.forward.clone(), mix(seed << 1)),
            Channel::new(self.backward.clone(), mix((seed << 1) | 1)),
        )
    }
}

/// What passed a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneStatistics {
    /// From the near end to the far one.
    pub forward: ChannelStatistics,
    /// From the far end to the near one.
    pub backward: ChannelStatistics,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet_v4(source: Ipv4Addr, destination: Ipv4Addr) -> Vec<u8> {
        let mut packet = vec![0x45; 20];
        packet[12..16].copy_from_slice(&source.octets());
        packet[16..20].copy_from_slice(&destination.octets());
        packet
    }

    #[test]
    fn a_packet_belongs_to_the_lane_of_both_its_addresses() {
        let lane = Lane::new(300).expect("a lane");
        let other = Lane::new(301).expect("a lane");
        assert_eq!(lane.near().to_string(), "10.1.1.44");
        let forward = packet_v4(lane.near(), lane.far());
        assert_eq!(End::Near.lane_of(&forward), Some(300));
        assert_eq!(End::Far.lane_of(&forward), None);
        assert_eq!(
            End::Far.lane_of(&packet_v4(lane.far(), lane.near())),
            Some(300)
        );
        assert_eq!(
            End::Near.lane_of(&packet_v4(lane.near(), other.far())),
            None
        );
        assert_eq!(
            End::Near.lane_of(&packet_v4(lane.near(), Ipv4Addr::BROADCAST)),
            None
        );
    }

    #[test]
    fn lanes_are_found_by_addresses_of_version_6_too() {
        let lane = Lane::new(7).expect("a lane");
        let mut packet = vec![0x60; 40];
        packet[8..24].copy_from_slice(&lane.near_v6().octets());
        packet[24..40].copy_from_slice(&lane.far_v6().octets());
        assert_eq!(End::Near.lane_of(&packet), Some(7));
        packet[24..40].copy_from_slice(&[0xff; 16]);
        assert_eq!(End::Near.lane_of(&packet), None);
    }

    #[test]
    fn what_is_cut_short_belongs_to_no_lane() {
        let lane = Lane::new(1).expect("a lane");
        let packet = packet_v4(lane.near(), lane.far());
        for length in 0..packet.len() {
            assert_eq!(End::Near.lane_of(&packet[..length]), None);
        }
    }

    #[test]
    fn no_two_channels_of_a_link_lose_the_same_packets() {
        use super::super::{Fate, Loss, Probability};
        let half = Probability::new(0.5).expect("a probability");
        let model = LaneModel::symmetric(DirectionModel {
            loss: Loss::Independent(half),
            ..DirectionModel::default()
        });
        let pattern = |mut channel: Channel| -> Vec<Fate> {
            (0..64).map(|k| channel.offer(k, 100)).collect()
        };
        let mut patterns = Vec::new();
        for lane in 1..=8 {
            let (forward, backward) = model.channels(1, lane);
            patterns.extend([pattern(forward), pattern(backward)]);
        }
        for (at, one) in patterns.iter().enumerate() {
            assert!(!patterns[..at].contains(one));
        }
    }
}
