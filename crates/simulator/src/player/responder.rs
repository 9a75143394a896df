//! Finds the device that a message is for, and has the engine answer in its name.

use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use varbind_codec::message::{UsmSecurityParameters, V3Message, Version, message_version};
use varbind_engine::applications::command_responder::Workspace;
use varbind_engine::clock::Instant;
use varbind_engine::transport::{Received, ResponseLimits, TransportState, WaitHandling};

use super::Shared;
use super::alteration::{Alteration, CurrentStage};
use super::configurations::{Configurations, Need};
use super::counts::Count;
use super::objects::{Slot, Stage};
use super::response_faults::{ResponseFaults, Treatment};
use crate::device::{Device, Fleet};
use crate::recording::DelayVariation;
use crate::simulation::Simulation;

/// A message.
pub(super) struct Incoming<'m> {
    /// Which address and port it was sent to.
    pub(super) local: (IpAddr, u16),
    pub(super) remote: SocketAddr,
    pub(super) payload: &'m [u8],
    pub(super) limits: ResponseLimits,
    pub(super) transport_state: Option<&'m TransportState>,
    /// Whether it is a datagram, which may be lost and may come twice.
    pub(super) is_datagram: bool,
    /// The server name that the client sent over TLS or DTLS.
    pub(super) server_name: Option<&'m str>,
}

/// A response.
pub(super) struct Outgoing {
    /// Its place in the buffer.
    pub(super) range: Range<usize>,
    /// The delay before it is sent.
    pub(super) delay: Duration,
    pub(super) is_sent_twice: bool,
}

/// The engine that answers one request at a time.
pub(super) struct Desk {
    shared: Arc<Shared>,
    workspace: Workspace,
    slot: Arc<Slot>,
    stage: CurrentStage,
    configurations: Configurations,
}

impl Desk {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let slot = Arc::<Slot>::default();
        let stage = CurrentStage::default();
        let alteration = Alteration {
            slot: Arc::clone(&slot),
            stage: stage.clone(),
        };
        let simulation = shared.simulation.load_full();
        let configurations =
            Configurations::new(Stage::new(&shared, simulation, Arc::clone(&slot)));
        Self {
            shared,
            workspace: Workspace::altering(Box::new(alteration)),
            slot,
            stage,
            configurations,
        }
    }

    /// Takes the simulation of this moment.
    pub(super) fn refresh(&mut self) {
        let current = self.shared.simulation.load();
        if !Arc::ptr_eq(&current, &self.configurations.stage().simulation) {
            let simulation = Arc::clone(&current);
            let stage = Stage::new(&self.shared, simulation, Arc::clone(&self.slot));
            self.configurations = Configurations::new(stage);
        }
    }

    /// The time.
    pub(super) fn now(&self) -> Instant {
        self.shared.clock.now()
    }

    /// Answers a message that came `now`, if its device does.
    pub(super) fn answer(
        &mut self,
        message: &Incoming<'_>,
        now: Instant,
        buffer: &mut [u8],
    ) -> Option<Outgoing> {
        let simulation: Arc<Simulation>;
        let fleet: &Fleet = {
            simulation = Arc::clone(&self.configurations.stage().simulation);
            &simulation.fleet
        };
        let counts = &self.shared.counts;
        counts.count(Count::Messages);
        let Some((device, need)) = addressee(fleet, message) else {
            counts.count(Count::WithoutDevice);
            return None;
        };
        let treatment = Treatment::of_request(&device, message.is_datagram);
        if treatment.is_lost {
            counts.count(Count::Lost);
            return None;
        }
        self.slot.set(device.number(), treatment.response_faults);
        if treatment.response_faults != ResponseFaults::default() {
            self.stage.set(self.configurations.stage(), now);
        }
        let received = Received {
            now,
            remote: message.remote,
            message: message.payload,
            limits: message.limits,
            waits: WaitHandling::Now,
            transport_state: message.transport_state,
        };
        let local = self.configurations.of(&device, need, now)?;
        let dispatcher = &self.shared.dispatcher;
        let outcome = dispatcher.handle_message(local, &received, &mut self.workspace, buffer);
        if let Some(discard) = outcome.discard() {
            log::debug!("{}: {discard}", message.remote);
        }
        let Some(range) = outcome.answer() else {
            counts.count(Count::Refused);
            return None;
        };
        let delay = treatment.delay.max(self.slot.note.delay());
        if self.slot.note.delay() > DelayVariation::LONGEST {
            counts.count(Count::Lost);
            return None;
        }
        counts.count(Count::Responses);
        if !delay.is_zero() {
            counts.count(Count::Delayed);
        }
        if treatment.is_sent_twice {
            counts.count(Count::Duplicated);
        }
        Some(Outgoing {
            range,
            delay,
            is_sent_twice: treatment.is_sent_twice,
        })
    }
}

/// The device that a message is for: that at its address, or else the one that its community, the name of the server or its
/// engine names, or the first of those that have names.
fn addressee<'f>(fleet: &'f Fleet, message: &Incoming<'_>) -> Option<(Device<'f>, Need)> {
    let (version, content) = message_version(message.payload).ok()?;
    let ((address, port), server_name) = (message.local, message.server_name);
    let need = match version {
        Version::V3 => Need::Device,
        _ => Need::Communities,
    };
    if let Some(device) = fleet.at_address(address, port) {
        return Some((device, need));
    }
    let named = match version {
        Version::V3 => {
            let message = V3Message::decode_content(content).ok()?;
            let parameters = UsmSecurityParameters::decode(message.security_parameters);
            let engine = parameters.map(|parameters| parameters.authoritative_engine_id);
            let by_engine = || fleet.with_engine(engine.ok()?);
            server_name
                .and_then(|name| fleet.called(name))
                .or_else(by_engine)
        }
        _ => {
            let mut content = content;
            let community = content.octet_string().ok()?;
            fleet.named(community)
        }
    };
    let device = named
        .filter(|device| device.name().is_some())
        .or_else(|| fleet.default_device())?;
    Some((device, Need::Device))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use varbind_codec::message::CommunityMessage;
    use varbind_codec::pdu::Pdu;
    use varbind_codec::smi::ValueRef;
    use varbind_engine::security::SourceAddresses;

    use super::*;
    use crate::device::{AddressRange, DeviceGroup, Faults, Selection, Template, ValueRules};
    use crate::recording::{Library, Recording};

    /// A GetRequest for sysUpTime.0 and sysName.0 with the community public.
    const REQUEST: &[u8] =
        b"\x30\x34\x02\x01\x01\x04\x06public\xa0\x27\x02\x01\x07\x02\x01\x00\x02\x01\x00\
        \x30\x1c\x30\x0c\x06\x08\x2b\x06\x01\x02\x01\x01\x03\x00\x05\x00\
        \x30\x0c\x06\x08\x2b\x06\x01\x02\x01\x01\x05\x00\x05\x00";
    const SYS_NAME: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 5, 0];
    const SYS_UP_TIME: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 3, 0];
    const HOUR: Duration = Duration::from_secs(3600);

    fn million() -> Simulation {
        let first = Ipv4Addr::new(127, 1, 0, 0);
        let range = AddressRange::new(first.into(), 1_000_000).unwrap();
        let objects = [
            (SYS_UP_TIME, ValueRef::TimeTicks(100)),
            (SYS_NAME, ValueRef::OctetString(b"recorded")),
        ];
        let recording = Arc::new(Recording::of_objects(objects));
        let mut group = DeviceGroup::new(
            "million",
            Selection::Addresses(range, None),
            vec![recording],
        );
        group.values = ValueRules {
            up_time: true,
            counter_rate: None,
            texts: vec![(
                varbind_codec::oid!("1.3.6.1.2.1.1.5.0"),
                Template::parse("sw{index}").unwrap(),
            )],
        };
        group.faults = Faults {
            restart_every: Some(HOUR),
            ..Faults::default()
        };
        Simulation {
            fleet: Fleet::new(7, vec![group]).unwrap(),
            listen: Vec::new(),
            sources: SourceAddresses::loopback(),
            users: Vec::new(),
            secure: crate::SecureServers::default(),
            library: Library::default(),
        }
    }

    #[test]
    fn a_million_devices_answer_within_a_virtual_day() {
        let shared = Arc::new(Shared::new(million()));
        let mut desk = Desk::new(Arc::clone(&shared));
        let simulation = shared.simulation.load_full();
        let mut buffer = vec![0; 4096];
        let mut restarts = 0;
        let (step, count) = (97, 1_000_000);
        for place in (0..count).step_by(step) {
            let device = simulation.fleet.in_group(0, place).unwrap();
            let now = Instant::ORIGIN + HOUR * 24 * place / count;
            let incoming = Incoming {
                local: (device.address().unwrap(), 161),
                remote: ([127, 0, 0, 1], 40_000).into(),
                payload: REQUEST,
                limits: ResponseLimits {
                    message: 1472,
                    bulk: 1472,
                },
                transport_state: None,
                is_datagram: true,
                server_name: None,
            };
            let outgoing = desk.answer(&incoming, now, &mut buffer).unwrap();
            let response = CommunityMessage::decode(&buffer[outgoing.range]).unwrap();
            let (restarted, since) = device.restarts(now);
            let before = if restarted == 0 { 100 } else { 0 };
            let ticks = u32::try_from(since.as_millis() / 10).unwrap() + before;
            let name = format!("sw{}", place + 1);
            let expected = [
                ValueRef::TimeTicks(ticks),
                ValueRef::OctetString(name.as_bytes()),
            ];
            let Pdu::Common(pdu) = response.pdu else {
                panic!("{place}");
            };
            let found: Vec<_> = pdu
                .var_binds
                .map(|var_bind| var_bind.unwrap().value)
                .collect();
            assert_eq!(found, expected, "{place}");
            restarts = restarts.max(restarted);
        }
        assert_eq!(restarts, 24);
        let asked = u64::from(count).div_ceil(step as u64);
        assert_eq!(shared.counts.read().of(Count::Responses), asked);
    }
}
