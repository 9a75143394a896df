//! Faults of devices.

use std::net::SocketAddr;
use std::time::Duration;

/// The faults of a group's devices. Chances are fractions from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Faults {
    /// The part of the devices that have these faults, chosen by the seed.
    pub share: f64,
    /// The delay of each response.
    pub latency: Duration,
    /// The greatest deviation from `latency`, in either direction.
    pub jitter: Duration,
    /// The chance that a request, or its response, is lost.
    pub loss: f64,
    /// The chance that a response is sent twice.
    pub duplicate: f64,
    /// The chance that a response has another request-id.
    pub wrong_request_id: f64,
    /// The chance that a response is genErr.
    pub general_error: f64,
    /// The chance that a response is tooBig.
    pub too_big: f64,
    /// Responses that are larger than this are tooBig, in octets of their variable bindings.
    pub largest_response: Option<usize>,
    /// The devices do not respond.
    pub mute: bool,
    /// GetNext and GetBulk answer every other object in the wrong order.
    pub wrong_order: bool,
    /// Behind the last object, walks start again.
    pub endless_loop: bool,
    /// The device restarts at this interval: one more boot, sysUpTime and counters from 0.
    pub restart_every: Option<Duration>,
    /// At this interval interfaces get other indexes.
    pub renumber_every: Option<Duration>,
    /// The traps that each device sends.
    pub traps: Option<Traps>,
}

/// Traps of devices.
#[derive(Clone, Debug, PartialEq)]
pub struct Traps {
    /// Traps per second of each device.
    pub rate: f64,
    /// Their destination.
    pub to: SocketAddr,
    /// Their community.
    pub community: String,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            share: 1.0,
            latency: Duration::ZERO,
            jitter: Duration::ZERO,
            loss: 0.0,
            duplicate: 0.0,
            wrong_request_id: 0.0,
            general_error: 0.0,
            too_big: 0.0,
            largest_response: None,
            mute: false,
            wrong_order: false,
            endless_loop: false,
            restart_every: None,
            renumber_every: None,
            traps: None,
        }
    }
}

impl Faults {
    /// Whether some faults depend on chance, so that requests have to be counted.
    pub(crate) fn depend_on_chance(&self) -> bool {
        let chances = [
            self.loss,
            self.duplicate,
            self.wrong_request_id,
            self.general_error,
            self.too_big,
        ];
        !self.jitter.is_zero() || chances.iter().any(|chance| *chance > 0.0)
    }

    /// Whether they affect requests or responses.
    pub(crate) fn change_messages(&self) -> bool {
        self.depend_on_chance()
            || !self.latency.is_zero()
            || self.mute
            || self.wrong_order
            || self.endless_loop
            || self.largest_response.is_some()
    }
}
