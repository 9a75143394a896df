use std::time::Duration;

use serde::{Deserialize, Serialize};
use varbind_codec::pdu::PduType;

use super::super::{Measure, Observation};
use super::Laboratory;
use crate::measurement::{Mode, Placement, TransportKind};
use crate::process::{place_in_turns, usage_of};
use crate::request::Request;
use crate::security::Scheme;
use crate::workload::Workload;

/// How long one datagram may take.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Requests to a program that only returns each datagram: the floor under every agent over UDP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EchoTask {
    /// What is sent, in SNMPv2c.
    pub request: Request,
    /// How many.
    pub exchanges: u32,
    /// How they follow each other.
    pub mode: Mode,
}

impl EchoTask {
    pub(super) fn observe(&self, laboratory: &mut Laboratory) -> Result<Observation, String> {
        let cores = laboratory.cores.clone();
        let echo = laboratory.echo()?;
        let pid = echo.id();
        let told = |error: std::io::Error| error.to_string();
        place_in_turns(&cores, Placement::SameCore, pid, true).map_err(told)?;
        let target = echo.target(TransportKind::Udp);
        let security = echo.security(Scheme::V2c, false);
        let security = security.map_err(|missing| missing.to_string())?;
        let workload = Workload {
            target: target.ok_or("the echo has no address")?,
            access: None,
            security: security.ok_or("the echo has no community")?,
            derives_per_session: false,
            request: self.request.clone(),
            sessions: 1,
            exchanges: self.exchanges,
            mode: self.mode,
            timeout: TIMEOUT,
            answered_by: PduType::GetRequest,
            retries: 5,
            pause: Duration::ZERO,
        };
        workload.warm_up(2).map_err(|error| error.to_string())?;
        let used = usage_of(pid, None, || workload.run()).map_err(told)?;
        let measured = used.result.map_err(|error| error.to_string())?;
        let completed = measured.outcome.completed;
        if measured.outcome.failed() > 0 || completed == 0 {
            return Err("datagrams to the echo were lost".to_owned());
        }
        let mut observation = Observation::default();
        observation.note(Measure::Completed, completed as f64);
        observation.note(Measure::Rate, measured.rate());
        if let Some(cpu) = used.agent {
            observation.note(Measure::AgentCpu, cpu.total / completed as f64);
        }
        Ok(observation)
    }
}
