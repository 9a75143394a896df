//! Finds the device that a message is for, and has the engine answer in its name.

use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use varbind_codec::message::{UsmSecurityParameters, V3Message, Version, message_version};
use varbind_engine::applications::command_responder::Workspace;
use varbind_engine::transport::{Received, ResponseLimits, TransportState, WaitHandling};

use super::Shared;
use super::alteration::{Alteration, CurrentStage};
use super::configurations::{Configurations, Need};
use super::counts::Count;
use super::fate::{Fate, Treatment};
use super::objects::{Slot, Stage};
use crate::device::{Device, Fleet};
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
}

/// What is sent back.
pub(super) struct Outgoing {
    /// Where in the buffer it is.
    pub(super) range: Range<usize>,
    /// How long it is held back.
    pub(super) delay: Duration,
    pub(super) is_sent_twice: bool,
}

/// Where one request at a time is answered.
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

    /// Answers a message, if its device does.
    pub(super) fn answer(&mut self, message: &Incoming<'_>, buffer: &mut [u8]) -> Option<Outgoing> {
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
        let now = self.shared.clock.now();
        self.slot.set(device.number(), treatment.fate);
        if treatment.fate != Fate::default() {
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

/// The device that a message is for: that at its address, or else the one that its community or its engine names, or the
/// first of those that have names.
fn addressee<'f>(fleet: &'f Fleet, message: &Incoming<'_>) -> Option<(Device<'f>, Need)> {
    let (version, content) = message_version(message.payload).ok()?;
    let (address, port) = message.local;
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
            engine.ok().and_then(|engine| fleet.with_engine(engine))
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
