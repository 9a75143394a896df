use varbind_codec::pdu::PduType;

use super::options::RequestKind;
use super::plan::bursts;
use super::schemes::FIGURES;
use super::{Bench, BenchError, ECHO, Running, is_echo};
use crate::measurement::{ConfigurationResult, EchoResult, Mode, TransportKind};
use crate::security::Scheme;
use crate::subject::{Agent, Echo, Subject};

/// Requests that arrive together.
const BURSTS: [u32; 3] = [1, 8, 64];

impl Bench<'_> {
    /// Measures what a request costs an agent that arrives with others, beside an echo that does nothing. The echo is among
    /// the results as one more subject.
    pub(super) fn throughput(
        &mut self,
        subjects: &[Subject],
        agents: &mut Vec<Running>,
    ) -> Result<Vec<ConfigurationResult>, BenchError> {
        let is_over_udp = |running: &Running| running.agent.target(TransportKind::Udp).is_some();
        if !agents.iter().any(is_over_udp) {
            return Ok(Vec::new());
        }
        let mut gets = Vec::new();
        for burst in BURSTS {
            gets.push(bursts(
                self.options,
                subjects,
                Scheme::V2c,
                RequestKind::Get,
                burst,
            )?);
        }
        let of = |scheme, kind| bursts(self.options, subjects, scheme, kind, 8);
        // The echo speaks no SNMP, and so cannot take part in these.
        let without = [
            of(Scheme::V2c, RequestKind::GetBulk)?,
            of(Scheme::V3(FIGURES), RequestKind::Get)?,
        ];
        let without_echo = agents.len();
        agents.extend(self.echo());
        let mut results = self.exchanges("throughput, get, round", &gets, agents)?;
        agents.truncate(without_echo);
        results.extend(self.exchanges("throughput, getbulk and v3, round", &without, agents)?);
        Ok(results)
    }

    fn echo(&mut self) -> Option<Running> {
        let started = self.options.echo.as_ref().map(Echo::start);
        let note = match started {
            Some(Ok(echo)) => {
                return Some(Running {
                    name: ECHO.into(),
                    agent: Agent::echo(echo),
                    answered_by: PduType::GetRequest,
                });
            }
            Some(Err(error)) => format!("no echo to compare with: it cannot be started: {error}"),
            None => "no echo to compare with: no program for it was given".into(),
        };
        self.notes.push(note);
        None
    }
}

/// The echo's results in their own form.
pub(super) fn echoes(results: &[ConfigurationResult]) -> Vec<EchoResult> {
    results
        .iter()
        .filter(|result| is_echo(result))
        .filter_map(|result| match result.parameters.mode {
            Mode::Burst { size } => Some(EchoResult {
                burst: size,
                cpu_per_exchange: result.agent?.cpu_per_exchange,
                rate: result.rate,
            }),
            Mode::Closed | Mode::Window { .. } | Mode::Open { .. } => None,
        })
        .collect()
}
