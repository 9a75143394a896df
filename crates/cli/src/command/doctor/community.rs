//! SNMPv1 and SNMPv2c: whether the agent accepts a community.

use std::time::Duration;

use varbind::codec::pdu::ErrorStatus;
use varbind::engine::applications::command_generator::DiscardCounts;
use varbind::engine::security::usm::Credentials;
use varbind_terminal::Failure;

use super::findings::{self, Verdict, report_step};
use super::probe::{Answer, Prober};
use super::report::{Days, milliseconds};
use super::{Examination, NOBODY};
use crate::arguments::{SessionArguments, SnmpVersion};
use crate::session;

/// The version to examine, if it is one with communities: -v1, -v2c, or none but a community.
pub(super) fn version(session: &SessionArguments) -> Option<SnmpVersion> {
    let community = &session.community;
    let names_community = community.community.is_some() || community.community_file.is_some();
    match session.version {
        Some(SnmpVersion::V3) => None,
        None => (names_community && session.user.name.is_none()).then_some(SnmpVersion::V2c),
        version => version,
    }
}

pub(super) const fn version_name(version: SnmpVersion) -> &'static str {
    match version {
        SnmpVersion::V1 => "SNMPv1",
        SnmpVersion::V2c => "SNMPv2c",
        SnmpVersion::V3 => "SNMPv3",
    }
}

impl Examination<'_> {
    pub(super) fn examine_community(&mut self, version: SnmpVersion) -> Result<(), Failure> {
        let name = version_name(version);
        let target = &self.session.target;
        let answer = match self.prober.request(session::processing(self.session)?) {
            Ok(Answer::Silence(discarded)) => return self.is_not_accepted(name, &discarded),
            Ok(answer) => answer,
            Err(failure) => {
                report_step(Verdict::Bad, name, &failure.to_string())?;
                return Err(failure.already_reported());
            }
        };
        let took = self.prober.round_trip.unwrap_or_default();
        let text = format!("{target} answers in {:.1} ms", milliseconds(took));
        report_step(Verdict::Good, name, &text)?;
        report_step(Verdict::Good, "community", "the agent accepts it")?;
        let refused = match answer {
            Answer::UpTime(time) => {
                let time = Days(Duration::from_millis(u64::from(time) * 10));
                report_step(Verdict::Good, "sysUpTime", &time.to_string())?;
                None
            }
            // SNMPv1 has no other way to say that an object is not seen.
            Answer::Refused(ErrorStatus::NoSuchName) | Answer::Other => {
                Some("the community does not see it: look at its view".to_owned())
            }
            Answer::Refused(status) => Some(format!("{status}: the community may not read it")),
            Answer::Report(reason) => Some(reason.to_string()),
            Answer::Silence(_) => None,
        };
        if let Some(text) = refused {
            report_step(Verdict::Bad, "sysUpTime", &text)?;
            return Err(Failure::Reported);
        }
        let (variable, community) = session::community_words(self.session);
        let version = session::version_option(self.session);
        findings::conclude(
            &format!("{variable}varbind get {version}{community}{target} sysUpTime.0"),
            None,
        )
    }

    /// Tells an agent that is silent about the community from a host that is silent about everything.
    fn is_not_accepted(&self, name: &str, discarded: &DiscardCounts) -> Result<(), Failure> {
        if let Some(cause) = discarded.likely_cause() {
            let text = format!("no answer; {discarded}: {cause}");
            report_step(Verdict::Bad, name, &text)?;
            return Err(Failure::NoAnswer(text).already_reported());
        }
        let mut prober = Prober::new(self.session);
        let is_there = prober.request_as(NOBODY, Credentials::NoAuthNoPriv).is_ok();
        if is_there {
            let text = "the agent answers in SNMPv3, but not to this community: it is wrong, or not accepted from this address";
            report_step(Verdict::Bad, "community", text)?;
            return Err(Failure::Reported);
        }
        let text = "no answer: the community is wrong or not accepted from this address, the host is down, or a firewall is between";
        report_step(Verdict::Bad, name, text)?;
        self.report_other_address()?;
        Err(Failure::NoAnswer(text.to_owned()).already_reported())
    }
}
