//! The objects of the requested device, as the command responder sees them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, Value, ValueRef};
use varbind_engine::engine_id::SNMP_ENGINE_ID;
use varbind_engine::instrumentation::{
    ManagedObject, NotStored, PreparedSet, ReadError, Registry, Reply, RequestContext, SetError,
};
use varbind_engine::security::SecurityModel;

use super::Shared;
use super::notifier::{Announcement, Notifier};
use super::response_faults::ResponseFaults;
use crate::device::{Asked, Note, Writes};
use crate::recording::{Refusal, Variation};
use crate::simulation::Simulation;

/// The request that is being answered: one at a time for each desk.
#[derive(Debug, Default)]
pub(super) struct Slot {
    device: AtomicU32,
    response_faults: AtomicU32,
    pub(super) note: Note,
}

impl Slot {
    /// Begins the next request.
    pub(super) fn set(&self, device: u32, response_faults: ResponseFaults) {
        self.device.store(device, Ordering::Relaxed);
        self.response_faults
            .store(response_faults.bits(), Ordering::Relaxed);
        self.note.clear();
    }

    pub(super) fn device(&self) -> u32 {
        self.device.load(Ordering::Relaxed)
    }

    pub(super) fn response_faults(&self) -> ResponseFaults {
        ResponseFaults::from_bits(self.response_faults.load(Ordering::Relaxed))
    }
}

/// The data in which the objects of one simulation are looked up.
#[derive(Clone)]
pub(super) struct Stage {
    pub(super) simulation: Arc<Simulation>,
    pub(super) slot: Arc<Slot>,
    pub(super) writes: Arc<Writes>,
    pub(super) notifier: Arc<Notifier>,
    pub(super) epoch: f64,
}

impl Stage {
    pub(super) fn new(shared: &Shared, simulation: Arc<Simulation>, slot: Arc<Slot>) -> Self {
        Self {
            simulation,
            slot,
            writes: Arc::clone(&shared.writes),
            notifier: Arc::clone(&shared.notifier),
            epoch: shared.epoch,
        }
    }

    /// The objects of the device in the slot, or of a certain one.
    pub(super) fn registry(&self, fixed: Option<u32>) -> Arc<Registry> {
        let mut builder = Registry::builder();
        for root in 0..=2 {
            if let Ok(oid) = Oid::new(&[root]) {
                let stage = self.clone();
                builder = builder.register(oid, Arc::new(DeviceObjects { stage, root, fixed }));
            }
        }
        // No root lies below another.
        Arc::new(builder.build().unwrap_or_default())
    }

    /// The device of the request.
    pub(super) fn asked(
        &self,
        now: varbind_engine::clock::Instant,
        fixed: Option<u32>,
        is_v3: bool,
    ) -> Option<Asked<'_>> {
        let number = fixed.unwrap_or_else(|| self.slot.device());
        let device = self.simulation.fleet.device(number)?;
        let (moment, recording) = device.playing_now(now, &self.writes)?;
        Some(Asked {
            device,
            recording,
            moment,
            now,
            clock: self.epoch,
            writes: &self.writes,
            note: &self.slot.note,
            is_v3,
        })
    }
}

/// All objects below 0, 1 or 2.
struct DeviceObjects {
    stage: Stage,
    root: u32,
    fixed: Option<u32>,
}

impl DeviceObjects {
    /// Sends the notification that a recording asks for when an object is read.
    fn announce_reading(&self, asked: &Asked<'_>, at: usize) {
        if let Some(Variation::Notification(notification)) = asked.recording.variation(at)
            && notification.on_read
        {
            let announcement = Announcement::new(asked, notification);
            self.stage.notifier.send(announcement);
        }
    }

    fn asked(&self, request: &RequestContext<'_>) -> Result<Asked<'_>, ReadError> {
        let model = request.requester.map(|requester| requester.security_model);
        let is_v3 = matches!(
            model,
            Some(SecurityModel::UserBased | SecurityModel::Transport)
        );
        let asked = self.stage.asked(request.now, self.fixed, is_v3);
        asked.ok_or(ReadError::Failed)
    }
}

impl ManagedObject for DeviceObjects {
    fn get(
        &self,
        request: &RequestContext<'_>,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let asked = self.asked(request)?;
        if asked.is_v3 && name == SNMP_ENGINE_ID {
            return asked.engine_id(&mut |value| reply.value(value));
        }
        let Some(at) = asked.recording.find(name) else {
            // A prefix with other instances below it is an object.
            let is_object = name.split_last().is_some_and(|(_, object)| {
                let mut next = varbind_codec::smi::OidScratch::new();
                asked
                    .recording
                    .name(asked.recording.next(object, usize::MAX), &mut next);
                !object.is_empty() && next.arcs().starts_with(object)
            });
            return Err(match is_object {
                true => ReadError::NoSuchInstance,
                false => ReadError::NoSuchObject,
            });
        };
        self.stage.slot.note.nearby.store(at, Ordering::Relaxed);
        asked.value(at, name, &mut |value| reply.value(value))?;
        self.announce_reading(&asked, at);
        Ok(())
    }

    fn get_next(
        &self,
        request: &RequestContext<'_>,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let asked = self.asked(request)?;
        let nearby = &self.stage.slot.note.nearby;
        let mut at = asked.recording.next(name, nearby.load(Ordering::Relaxed));
        let mut found = varbind_codec::smi::OidScratch::new();
        while at < asked.recording.len() {
            asked.recording.name(at, &mut found);
            if found.arcs().first() != Some(&self.root) {
                return Ok(());
            }
            reply.name().set(found.arcs());
            match asked.value(at, found.arcs(), &mut |value| reply.value(value)) {
                // An object that says it is not there is passed over.
                Err(ReadError::NoSuchInstance) => at += 1,
                result => {
                    nearby.store(at, Ordering::Relaxed);
                    if result.is_ok() {
                        self.announce_reading(&asked, at);
                    }
                    return result;
                }
            }
        }
        Ok(())
    }

    fn prepare_set(
        &self,
        request: &RequestContext<'_>,
        name: &[u32],
        value: ValueRef<'_>,
    ) -> Result<Box<dyn PreparedSet>, SetError> {
        let asked = self.asked(request).map_err(|_| SetError::Failed)?;
        let at = asked.recording.find(name).ok_or(SetError::NoCreation)?;
        let recorded = asked.recording.value(at).ok_or(SetError::Failed)?;
        let has_type = recorded.tag() == value.tag();
        match asked.recording.variation(at) {
            Some(
                Variation::WriteCache(_)
                | Variation::Delay(_)
                | Variation::Notification(_)
                | Variation::Choice(_),
            ) if !has_type => return Err(SetError::WrongType),
            Some(Variation::Choice(count)) => match value {
                ValueRef::Integer(number) if (0..*count).contains(&number) => {}
                _ => return Err(SetError::WrongValue),
            },
            Some(Variation::Notification(notification)) => {
                let is_sent = notification.on_set(value);
                let announcement = is_sent.then(|| Announcement::new(&asked, notification));
                return Ok(Box::new(Announced {
                    notifier: Arc::clone(&self.stage.notifier),
                    announcement,
                }));
            }
            Some(Variation::WriteCache(cache)) => {
                if let Some(refusal) = cache.on_set(value) {
                    return Err(refuse(&asked, refusal));
                }
            }
            Some(Variation::Delay(delay)) => {
                asked.delay(delay, at, Some(value));
                return Ok(Box::new(Forgotten));
            }
            Some(Variation::Error(error)) => match error.on_set(value) {
                Some(refusal) => return Err(refuse(&asked, refusal)),
                None if has_type => {}
                None => return Err(SetError::WrongType),
            },
            _ => return Err(SetError::NotWritable),
        }
        if !self.stage.writes.has_room() {
            return Err(SetError::ResourceUnavailable);
        }
        Ok(Box::new(Write {
            writes: Arc::clone(&self.stage.writes),
            device: asked.device.number(),
            name: name.into(),
            value: value.to_owned(),
            former: None,
        }))
    }
}

/// A notification that is sent when the request succeeds. The value is not kept.
struct Announced {
    notifier: Arc<Notifier>,
    announcement: Option<Announcement>,
}

impl PreparedSet for Announced {
    fn commit(&mut self) -> Result<(), NotStored> {
        if let Some(announcement) = self.announcement.take() {
            self.notifier.send(announcement);
        }
        Ok(())
    }

    fn undo(&mut self) -> Result<(), NotStored> {
        Ok(())
    }
}

/// A value that a Set request accepts and the device does not keep.
struct Forgotten;

impl PreparedSet for Forgotten {
    fn commit(&mut self) -> Result<(), NotStored> {
        Ok(())
    }

    fn undo(&mut self) -> Result<(), NotStored> {
        Ok(())
    }
}

/// A value that is to be set.
struct Write {
    writes: Arc<Writes>,
    device: u32,
    name: Box<[u32]>,
    value: Value,
    former: Option<Value>,
}

impl PreparedSet for Write {
    fn commit(&mut self) -> Result<(), NotStored> {
        let value = Some(self.value.clone());
        self.former = self.writes.replace(self.device, &self.name, value);
        Ok(())
    }

    fn undo(&mut self) -> Result<(), NotStored> {
        let former = self.former.take();
        self.writes.replace(self.device, &self.name, former);
        Ok(())
    }
}

/// Why a value cannot be set that a recording refuses.
fn refuse(asked: &Asked<'_>, refusal: Refusal) -> SetError {
    match refusal {
        Refusal::NoSuchInstance => SetError::NoCreation,
        Refusal::Status(status) => set_error(status).unwrap_or_else(|| {
            // A status that has no SetError replaces genErr in the response.
            asked.note.fail(status);
            SetError::Failed
        }),
    }
}

/// Why a value cannot be set, by the error-status that a recording asks for.
fn set_error(status: ErrorStatus) -> Option<SetError> {
    [
        SetError::NoAccess,
        SetError::NotWritable,
        SetError::WrongType,
        SetError::WrongLength,
        SetError::WrongEncoding,
        SetError::WrongValue,
        SetError::NoCreation,
        SetError::InconsistentName,
        SetError::InconsistentValue,
        SetError::ResourceUnavailable,
    ]
    .into_iter()
    .find(|error| ErrorStatus::from(*error) == status)
}
