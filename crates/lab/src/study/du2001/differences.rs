use super::super::{Cell, Experiment, Measure, SessionTask};
use super::levels::{USM, of_tls_by_openssl, requests};
use crate::measurement::TransportKind;
use crate::security::Scheme;

/// The columns of differences: (a) is no security, (b) integrity, (c) privacy with compression, (d) all.
const PLACES: [&str; 4] = ["b - a", "c - a", "d - b", "d - a"];

/// Tables 1 and 6: their columns of differences.
pub(super) fn levels() -> Experiment {
    Experiment::new("differences", cells())
}

fn cells() -> Vec<Cell> {
    let [integrity, _, added, all] = PLACES;
    let [no_auth, auth, auth_priv] = USM;
    let time = Measure::SessionTime;
    let mut cells = Vec::new();
    for (name, request) in requests() {
        let task =
            |scheme, transport| SessionTask::new(scheme, transport, request.clone()).sessions_of(1);
        for (version, scheme) in [("v1", Scheme::V1), ("v3", Scheme::V3Transport)] {
            let with_aes = task(scheme, TransportKind::LegacyAesTls);
            let without = task(scheme, TransportKind::IntegrityOnlyTls);
            let cell = Cell::new(&format!("{name} {version}/TLS"), added, with_aes, time);
            cells.push(of_tls_by_openssl(cell.less(without, time)));
        }
        for (transport, label) in [(TransportKind::Udp, "UDP"), (TransportKind::Tcp, "TCP")] {
            let usm = |protection| SessionTask {
                derives_per_session: true,
                ..task(Scheme::V3(protection), transport)
            };
            let pairs = [
                (integrity, auth, no_auth),
                (added, auth_priv, auth),
                (all, auth_priv, no_auth),
            ];
            for (at, higher, lower) in pairs {
                let cell = Cell::new(&format!("{name} v3/{label} USM"), at, usm(higher), time);
                cells.push(cell.less(usm(lower), time));
            }
        }
    }
    cells
}
