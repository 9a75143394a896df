use super::super::{Cell, Experiment, Form, Measure, Published, SessionTask, Unit};
use super::levels::{USM, of_tls_by_openssl, requests};
use crate::measurement::TransportKind;
use crate::security::Scheme;

/// The columns of differences: (a) is no security, (b) integrity, (c) privacy with compression, (d) all.
const PLACES: [&str; 4] = ["b - a", "c - a", "d - b", "d - a"];

/// Tables 1 and 6: their columns of differences.
pub(super) fn levels() -> Experiment {
    let [integrity, privacy, added, all] = PLACES;
    let of_table_1 = [
        ("get v1/TLS", [31.0, 49.0, 35.0, 66.0]),
        ("walk v1/TLS", [76.0, 142.0, 153.0, 229.0]),
        ("walk v1/TLS, each message", [2.2, 2.1, 4.4, 6.7]),
    ];
    let of_table_6 = [
        ("get v3/TLS", [13.0, 135.0, 148.0]),
        ("get v3/UDP USM", [967.0, 1103.0, 2070.0]),
        ("get v3/TCP USM", [1109.0, 1644.0, 2753.0]),
        ("walk v3/TLS", [72.0, 188.0, 260.0]),
        ("walk v3/UDP USM", [1200.0, 1128.0, 2328.0]),
        ("walk v3/TCP USM", [1078.0, 1280.0, 2358.0]),
    ];
    let of_table_1 = of_table_1.iter().flat_map(|(series, values)| {
        Published::row(series, &[integrity, privacy, added, all], values)
    });
    let of_table_6 = of_table_6
        .iter()
        .flat_map(|(series, values)| Published::row(series, &[integrity, added, all], values));
    Experiment {
        id: "differences",
        title: "What each kind of security adds to a session",
        source: "Tables 1 and 6, differences",
        setup: "Differences of the times in Tables 1 and 6, repetition by repetition: (a) is no security, or noAuthNoPriv, (b) integrity, \
                or authNoPriv, (c) privacy with compression, (d) both, or authPriv. USM makes keys of passwords in each session, none \
                at (a), one at (b), two at (d). Of TLS, ours is what AES-128 adds to integrity alone (d - b)."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Table,
        theirs: of_table_1.chain(of_table_6).collect(),
        cells: cells(),
        left_out: Vec::new(),
    }
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
