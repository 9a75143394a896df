use super::super::{Cell, Experiment, LinkTask, Measure, Method, Path, Scope};
use super::{PROTECTION, TCP, TSM_SSH, UDP, USM_TCP, USM_UDP};
use crate::measurement::TransportKind;
use crate::security::Protection;

/// UDP as Net-SNMP's programs have it: a time-out of one second.
const FIXED: Method = Method::FixedTimeout(1000);
/// The paper's transports, and ours. A user of SNMPv3 asks where there is a protection.
const METHODS: [(&str, Method, Option<Protection>); 8] = [
    (UDP, FIXED, None),
    (TCP, Method::Tcp, None),
    (USM_UDP, FIXED, Some(PROTECTION)),
    (USM_TCP, Method::Tcp, Some(PROTECTION)),
    (ADAPTIVE, Method::Adaptive, None),
    (TSM_SSH, Method::Session(TransportKind::Ssh), None),
    ("SNMPv3/TSM/TLS", Method::Session(TransportKind::Tls), None),
    (
        "SNMPv3/TSM/DTLS",
        Method::Session(TransportKind::Dtls),
        None,
    ),
];

/// UDP with the time-outs of our manager.
pub(super) const ADAPTIVE: &str = "SNMPv2c/UDP, adaptive";

/// Round trip of the link, in milliseconds: not that of a switched network, where the time-out of a second would be all that
/// can be seen.
const ROUND_TRIP: f64 = 2.0;
/// Times of a run, in milliseconds.
const LIMIT: u64 = 120_000;

/// Exchanges of walks with 2 to 107 interfaces.
fn lengths(scope: Scope) -> &'static [u32] {
    match scope {
        Scope::Quick => &[45, LONG],
        Scope::Full => &[45, 265, LONG, 1189, LONGEST],
    }
}

/// The longest that every scope has.
pub(super) const LONG: u32 = 529;
/// The longest of full runs.
pub(super) const LONGEST: u32 = 2355;

/// Figure 4, with 0.1 % of loss.
pub(super) fn figure_4_little(scope: Scope) -> Experiment {
    figure_4(scope, "figure-4-little", 0.001)
}

/// Figure 4, with 0.5 % of loss.
pub(super) fn figure_4_more(scope: Scope) -> Experiment {
    figure_4(scope, "figure-4-more", 0.005)
}

fn figure_4(scope: Scope, id: &'static str, loss: f64) -> Experiment {
    // Both ends lost packets, there; a path is told what exchanges lose.
    let of_exchanges = 1.0 - (1.0 - loss) * (1.0 - loss);
    let cells = METHODS.into_iter().flat_map(|(series, method, user)| {
        lengths(scope).iter().map(move |&length| {
            let path = Path::new(of_exchanges, ROUND_TRIP);
            let task = LinkTask::new(method, path, length, LIMIT);
            let task = match user {
                Some(protection) => task.with_user(protection),
                None => task,
            };
            Cell::new(series, length, task, Measure::Elapsed).repeated(scope.choose(6, 10))
        })
    });
    Experiment::new(id, cells)
}
