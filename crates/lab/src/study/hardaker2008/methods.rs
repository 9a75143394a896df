use super::super::{
    Cell, LinkTask, Measure, Method, Path, Retrieval, Scope, SubjectName, TcpSettings,
};
use crate::measurement::TransportKind;
use crate::security::{AuthenticationProtocol, PrivacyProtocol, Protection};

/// A way to ask an agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Series {
    pub(super) name: &'static str,
    /// How requests are sent.
    pub(super) method: Method,
    /// How TCP is set.
    tcp: TcpSettings,
    /// The user of SNMPv3 who asks, if it is one.
    user: Option<Protection>,
}

const fn series(name: &'static str, method: Method) -> Series {
    Series {
        name,
        method,
        tcp: TcpSettings::System,
        user: None,
    }
}

pub(super) const UDP_50: Series = series("UDP 50 ms", Method::FixedTimeout(50));
pub(super) const UDP_100: Series = series("UDP 100 ms", Method::FixedTimeout(100));
pub(super) const UDP_200: Series = series("UDP 200 ms", Method::FixedTimeout(200));
pub(super) const UDP_400: Series = series("UDP 400 ms", Method::FixedTimeout(400));
pub(super) const UDP_1000: Series = series("UDP 1 s", Method::FixedTimeout(1000));
pub(super) const TCP: Series = series("TCP", Method::Tcp);
pub(super) const ADAPTIVE: Series = series("UDP adaptive", Method::Adaptive);
pub(super) const PIPELINED: Series = series("UDP adaptive, 8 at a time", Method::Pipelined(8));
pub(super) const HEDGED: Series = series("UDP hedged", Method::Hedged);
pub(super) const OUR_TCP: Series = series("TCP, our manager", Method::Session(TransportKind::Tcp));
pub(super) const LOSSY_TCP: Series = Series {
    tcp: TcpSettings::Lossy,
    ..series("TCP, loss options", Method::Session(TransportKind::Tcp))
};
pub(super) const RESTARTED_TCP: Series = series("TCP, restarted", Method::TcpRestarted(400));
/// The user-based security model over UDP.
pub(super) const USM: Series = Series {
    user: Some(Protection::AuthPriv(
        AuthenticationProtocol::Sha256,
        PrivacyProtocol::Aes128,
    )),
    ..series("USM", Method::Adaptive)
};
pub(super) const DTLS: Series = series("DTLS", Method::Session(TransportKind::Dtls));
pub(super) const TLS: Series = series("TLS", Method::Session(TransportKind::Tls));
pub(super) const SSH: Series = series("SSH", Method::Session(TransportKind::Ssh));

/// Those of study 1, which every agent is asked by.
pub(super) const FIXED: [Series; 4] = [UDP_50, UDP_100, UDP_200, UDP_1000];
/// What the study could not do, or did not.
pub(super) const OURS: [Series; 7] = [PIPELINED, HEDGED, LOSSY_TCP, USM, DTLS, TLS, SSH];

/// How much is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// At most.
    pub(super) requests: u32,
    /// When the run is cut, in milliseconds.
    pub(super) limit: u64,
    /// Runs in which each request takes long have fewer, so that they need not be cut.
    pub(super) fit: Option<Fit>,
}

/// How many requests a run has that takes long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    /// As many as take so long, in milliseconds.
    time: u64,
    /// But not fewer than these.
    fewest: u32,
}

impl Size {
    /// Requests for one instance.
    pub(super) const fn small(scope: Scope) -> Self {
        Self::of(scope, scope.choose(120, 200))
    }

    /// Requests for 250 instances.
    pub(super) const fn large(scope: Scope) -> Self {
        Self::of(scope, scope.choose(40, 60))
    }

    const fn of(scope: Scope, requests: u32) -> Self {
        Self {
            requests,
            limit: scope.choose(60_000, 120_000) as u64,
            fit: Some(Fit {
                time: scope.choose(6_000, 12_000) as u64,
                fewest: scope.choose(12, 30),
            }),
        }
    }

    /// As many requests as fit.
    pub(super) fn fitted(self, mut task: LinkTask) -> LinkTask {
        if let Some(Fit { time, fewest }) = self.fit {
            let fitting = (time as f64 / task.expected_time()) as u32;
            task.requests = self.requests.min(fitting.max(fewest));
        }
        task
    }
}

/// Requests for one instance.
pub(super) fn task(series: Series, path: Path, size: Size) -> LinkTask {
    let task = LinkTask::new(series.method, path, size.requests, size.limit).with_tcp(series.tcp);
    size.fitted(match series.user {
        Some(protection) => task.with_user(protection),
        None => task,
    })
}

/// Requests for 250 instances, in so many messages.
pub(super) fn large_task(series: Series, path: Path, size: Size, messages: u16) -> LinkTask {
    let count = INSTANCES;
    size.fitted(task(series, path, size).retrieving(Retrieval::Instances { count, messages }))
}

/// The time of an exchange at a loss rate, with every agent.
pub(super) fn cell(series: Series, at: f64, task: LinkTask) -> Cell {
    Cell::new(series.name, at, task, Measure::ResponseTime)
}

/// The same with our agent alone.
pub(super) fn our_cell(series: Series, at: f64, task: LinkTask) -> Cell {
    cell(series, at, task).only(SubjectName::Varbind)
}

/// Instances in a request of studies 2 and 3.
const INSTANCES: u16 = 250;
