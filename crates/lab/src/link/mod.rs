//! A link emulator: two network namespaces, and between them a link that loses, delays and bounds packets as asked.
//!
//! [`Channel`] is one direction of a link without input and output: it says what becomes of each packet, by its number
//! and the seed alone, so that every run and every method compared meets the same losses. [`Link`] puts channels
//! between two network namespaces of this process, in which any programs may run, without root where user namespaces
//! are allowed.
//!
//! A link has lanes: pairs of addresses, each with channels of its own, so that many experiments run at once and do
//! not disturb each other.

mod bottleneck;
mod capture;
mod channel;
mod device;
mod emulator;
mod error;
mod lane;
mod lateness;
mod loss;
mod model;
mod namespace;
mod route;
mod stir;
mod system_calls;
mod tunnel;
mod twin;
mod veth;

use std::path::PathBuf;
use std::thread::JoinHandle;

pub use bottleneck::CrossTraffic;
pub use channel::{Channel, ChannelStatistics, Fate, LossCause};
pub use device::{LinkDevice, ParseLinkDeviceError};
pub use error::LinkError;
pub use lane::{Lane, LaneModel, LaneStatistics};
pub use lateness::Lateness;
pub use loss::{GilbertElliott, Loss, LossChange};
pub use model::{DirectionModel, ParseProbabilityError, Probability};
pub use namespace::{Namespace, enter_network, enter_user_namespace};
pub use twin::{Twin, TwinRun};

use emulator::{Emulator, Stop};
use namespace::End;

/// What a link is like.
#[derive(Clone, Debug)]
pub struct LinkOptions {
    /// The lanes, the first of which has number 1; at most [`Lane::MOST`].
    pub lanes: Vec<LaneModel>,
    /// The largest packet, in octets; larger ones are fragmented by their sender.
    pub mtu: u16,
    /// From which number all randomness comes.
    pub seed: u64,
    /// Whether packet number k meets the same fate in every lane with the same model, so that what runs in different lanes
    /// can be compared.
    pub is_alike: bool,
    /// How packets get in and out; by a tunnel where it is allowed if nothing is said.
    pub device: Option<LinkDevice>,
    /// Where every packet is written, of both ends, in the form of pcapng.
    pub capture: Option<PathBuf>,
}

impl Default for LinkOptions {
    fn default() -> Self {
        Self {
            lanes: vec![LaneModel::default()],
            mtu: 1500,
            seed: 1,
            is_alike: false,
            device: None,
            capture: None,
        }
    }
}

/// A link between two network namespaces. Dropped, it ends; the programs in it have no way out any more.
#[derive(Debug)]
pub struct Link {
    near: Namespace,
    far: Namespace,
    device: LinkDevice,
    stop: Stop,
    thread: u32,
    emulator: Option<JoinHandle<Result<LinkReport, LinkError>>>,
}

/// What passed a link.
#[derive(Clone, Debug, Default)]
pub struct LinkReport {
    /// By lane.
    pub lanes: Vec<LaneStatistics>,
    /// How much later than due packets were passed on.
    pub lateness: Lateness,
}

impl Link {
    /// Makes the namespaces and the link. Without the right to do so, [`enter_user_namespace`] is to be called before.
    ///
    /// # Errors
    /// When the operating system does not allow it, or the capture cannot be written.
    pub fn open(options: &LinkOptions) -> Result<Self, LinkError> {
        let (near, near_device) = Namespace::create(End::Near, options.mtu, options.device)?;
        let (far, far_device) = Namespace::create(End::Far, options.mtu, options.device)?;
        let lanes = u16::try_from(options.lanes.len()).unwrap_or(Lane::MOST);
        if lanes > 1 {
            near.keep_to_lanes(End::Near, lanes)?;
            far.keep_to_lanes(End::Far, lanes)?;
        }
        let device = near_device.kind();
        let (emulator, stop) = Emulator::new(options, near_device, far_device)?;
        let (tell_thread, told) = std::sync::mpsc::channel();
        let emulator = std::thread::Builder::new()
            .name("link".to_owned())
            .spawn(move || {
                let _ = tell_thread.send(rustix::thread::gettid());
                emulator.run()
            })
            .map_err(LinkError::thread)?;
        let thread = told.recv().map_err(|_| LinkError::Ended)?;
        Ok(Self {
            near,
            far,
            device,
            stop,
            thread: thread.as_raw_nonzero().get().unsigned_abs(),
            emulator: Some(emulator),
        })
    }

    /// The end with the addresses [`Lane::near`].
    #[must_use]
    pub const fn near(&self) -> &Namespace {
        &self.near
    }

    /// The end with the addresses [`Lane::far`].
    #[must_use]
    pub const fn far(&self) -> &Namespace {
        &self.far
    }

    /// How packets get in and out.
    #[must_use]
    pub const fn device(&self) -> LinkDevice {
        self.device
    }

    /// The thread of this process that passes packets on.
    #[must_use]
    pub const fn thread(&self) -> u32 {
        self.thread
    }

    /// Ends the link and returns its counters.
    ///
    /// # Errors
    /// When forwarding failed on the way, or the capture could not be written.
    pub fn close(mut self) -> Result<LinkReport, LinkError> {
        self.stop.stop();
        match self.emulator.take().map(JoinHandle::join) {
            Some(Ok(report)) => report,
            _ => Err(LinkError::Ended),
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(emulator) = self.emulator.take() {
            let _ = emulator.join();
        }
    }
}
