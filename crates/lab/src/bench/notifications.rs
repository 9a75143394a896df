use super::schemes::FIGURES;
use super::{Bench, BenchError};
use crate::measurement::{NotificationResult, Placement, TransportKind};
use crate::process::place_in_turns;
use crate::security::Scheme;
use crate::statistics::{Random, median_interval};
use crate::subject::Subject;
use crate::workload::{NotificationSession, NotificationWay, Sending};

/// Notifications in a repetition, and together.
const COUNT: u32 = 500;
const TOGETHER: u32 = 50;
/// Repetitions in a full run.
const ROUNDS: u32 = 24;

/// A receiver that is sent to in one way.
struct Candidate {
    subject: String,
    way: NotificationWay,
    session: NotificationSession,
    has_failed: bool,
    sent: u64,
    arrived: u64,
    per_second: Vec<f64>,
    cpu: Vec<f64>,
}

impl Bench<'_> {
    /// Measures how many notifications the receiver of each subject takes in a second, over each transport.
    pub(super) fn notifications(
        &mut self,
        subjects: &[Subject],
    ) -> Result<Vec<NotificationResult>, BenchError> {
        let mut candidates = Vec::new();
        for subject in subjects.iter().filter(|subject| subject.is_started_here()) {
            for way in self.ways(subject) {
                match NotificationSession::open(subject, way) {
                    Ok(session) => candidates.push(Candidate {
                        subject: subject.name(),
                        way,
                        session,
                        has_failed: false,
                        sent: 0,
                        arrived: 0,
                        per_second: Vec::new(),
                        cpu: Vec::new(),
                    }),
                    Err(reason) => self.left_out(&subject.name(), &reason),
                }
            }
        }
        let rounds = self.options.usual(ROUNDS);
        let mut random = Random::new(self.options.seed);
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        for round in 0..rounds {
            random.shuffle(&mut order);
            for &at in &order {
                let candidate = candidates.get_mut(at).filter(|one| !one.has_failed);
                if let Some(candidate) = candidate {
                    let measured = candidate.session.measure(&self.cores, COUNT);
                    match measured.map_err(BenchError::Machine)? {
                        Ok(sending) => candidate.add(&sending),
                        Err(reason) => {
                            candidate.has_failed = true;
                            let reason = format!("{}: {reason}", candidate.name());
                            self.left_out(&candidate.subject, &reason);
                        }
                    }
                }
            }
            let done = round as usize + 1;
            self.progress
                .report("notifications, round", done, rounds as usize);
        }
        let placed = place_in_turns(&self.cores, Placement::Free, None, false);
        placed.map_err(BenchError::Machine)?;
        Ok(candidates
            .into_iter()
            .filter_map(Candidate::result)
            .collect())
    }

    /// Traps and informs, over each transport that the subject offers.
    fn ways(&self, subject: &Subject) -> Vec<NotificationWay> {
        let transports = self.options.transports.iter().copied();
        let transports = transports.filter(|one| !one.is_legacy_tls() && subject.offers(*one));
        let schemes = transports.flat_map(|transport| match transport {
            TransportKind::Udp => vec![(Scheme::V2c, transport), (Scheme::V3(FIGURES), transport)],
            TransportKind::Tcp => vec![(Scheme::V2c, transport)],
            _ => vec![(Scheme::V3Transport, transport)],
        });
        let ways = schemes.flat_map(|(scheme, transport)| {
            [false, true].map(|is_inform| NotificationWay {
                is_inform,
                scheme,
                transport,
                together: TOGETHER,
            })
        });
        ways.collect()
    }

    fn left_out(&mut self, subject: &str, reason: &str) {
        let note = format!("not measured: {subject}: notifications: {reason}");
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

impl Candidate {
    fn add(&mut self, sending: &Sending) {
        let arrived = sending.delivery.arrived as f64;
        self.sent += sending.delivery.sent;
        self.arrived += sending.delivery.arrived;
        self.per_second.push(arrived / sending.seconds);
        let cpu = sending.receiver.map(|cpu| cpu.total / arrived);
        self.cpu.extend(cpu);
    }

    fn version(&self) -> String {
        match self.way.scheme {
            Scheme::V3(protection) => format!("v3 {protection}"),
            Scheme::V3Transport => "v3 TSM".to_owned(),
            other => other.version_name().to_owned(),
        }
    }

    const fn kind(&self) -> &'static str {
        match self.way.is_inform {
            true => "inform",
            false => "trap",
        }
    }

    /// As `trap, v3 TSM over dtls`.
    fn name(&self) -> String {
        let (kind, version) = (self.kind(), self.version());
        format!("{kind}, {version} over {}", self.way.transport)
    }

    fn result(self) -> Option<NotificationResult> {
        if self.has_failed {
            return None;
        }
        Some(NotificationResult {
            version: self.version(),
            kind: self.kind().to_owned(),
            subject: self.subject,
            transport: self.way.transport,
            sent: self.sent,
            arrived: self.arrived,
            per_second: median_interval(&self.per_second)?,
            receiver_cpu: median_interval(&self.cpu)?,
        })
    }
}
