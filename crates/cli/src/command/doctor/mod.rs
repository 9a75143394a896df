//! Finding out what an agent accepts: the secure transport, if it is one, and SNMPv3 or a community.

mod answering_address;
mod community;
mod engine_id;
mod findings;
mod fleet;
mod probe;
mod report;
mod secure;

use std::time::Duration;

use clap::Args;
use varbind::engine::applications::command_generator::ReportReason;
use varbind::engine::clock::Instant;
use varbind::engine::security::SecurityLevel;
use varbind::engine::security::usm::{
    AuthenticationProtocol, AuthenticationSecret, Credentials, KeyExtension, PrivacyProtocol,
    UsmError,
};
use varbind_inventory::Host;
use varbind_terminal::Failure;

use crate::arguments::{ParallelArguments, SessionArguments, SnmpVersion};
use crate::credentials::{SecretOptions, Source, authentication_secret, privacy_secret};
use crate::session::{self, doctor_line};
use engine_id::Meaning;
use findings::{Verdict, report_step};
use probe::{Answer, Prober};
use report::{Days, Working, command_line, extension, milliseconds, weakness};
use secure::Next;

const AFTER: &str = "\
Over UDP and TCP, -v1 or -v2c with -c examines a community. Otherwise the doctor asks in SNMPv3. With -u it finds out about that
user: the protocols need not be known, those of -a and -x are tried first, then all others. Without -u it shows what an agent
tells everybody. Over TLS, DTLS and SSH it shows each step: name, connection, versions, certificates or keys of both sides,
whether the agent accepts ours, and what we may read in the version of -v. Exit code 0 means that the command line shown at the
end works.";

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,

    /// Write what was found as one object of JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    #[command(flatten)]
    parallel: ParallelArguments,

    /// The hosts of a selection.
    #[arg(skip)]
    hosts: Option<Vec<Host>>,
}

/// Most likely first.
const PRIVACY: [PrivacyProtocol; 6] = [
    PrivacyProtocol::Aes128,
    PrivacyProtocol::Aes256(KeyExtension::Blumenthal),
    PrivacyProtocol::Aes256(KeyExtension::Reeder),
    PrivacyProtocol::Aes192(KeyExtension::Blumenthal),
    PrivacyProtocol::Aes192(KeyExtension::Reeder),
    PrivacyProtocol::Des,
];
const AUTHENTICATION: [AuthenticationProtocol; 6] = [
    AuthenticationProtocol::Sha256,
    AuthenticationProtocol::Sha1,
    AuthenticationProtocol::Sha512,
    AuthenticationProtocol::Md5,
    AuthenticationProtocol::Sha224,
    AuthenticationProtocol::Sha384,
];
/// A user that no agent has, for discovering the engine ID.
const NOBODY: &str = "varbind-doctor";

impl Arguments {
    pub(crate) fn find_hosts(&mut self) -> Result<(), Failure> {
        crate::fleet::find_hosts(&mut self.session)?;
        self.hosts = self.session.selected.take();
        Ok(())
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        varbind_terminal::log::start_if_wanted(self.session.debug);
        if let Some(hosts) = &self.hosts {
            return fleet::examine(self, hosts);
        }
        if !self.json {
            return examine(&self.session);
        }
        findings::keep();
        let result = examine(&self.session);
        findings::write(&self.session.target, &result)?;
        result
    }
}

/// Examines one agent.
fn examine(session: &SessionArguments) -> Result<(), Failure> {
    if session.version.is_some() && session.version() != SnmpVersion::V3 {
        // A user has no place in the other versions.
        session::processing(session)?;
    }
    if session.target.transport.is_secure() {
        match secure::examine(session)? {
            Next::Nothing => return Ok(()),
            Next::User => {}
        }
    }
    let mut examination = Examination {
        prober: Prober::new(session),
        session,
    };
    match community::version(session) {
        Some(version) => examination.examine_community(version),
        None => examination.examine(),
    }
}

struct Examination<'a> {
    prober: Prober<'a>,
    session: &'a SessionArguments,
}

impl Examination<'_> {
    fn examine(&mut self) -> Result<(), Failure> {
        let user = self.session.user.name.as_deref();
        let first = match self
            .prober
            .request_as(user.unwrap_or(NOBODY), Credentials::NoAuthNoPriv)
        {
            Ok(answer) => answer,
            Err(failure) => return Err(self.unreachable(&failure)),
        };
        self.print_engine()?;
        let Some(user) = user else {
            return report_step(Verdict::Open, "user", "none was named: -u");
        };
        if !Self::is_known(user, &first)? {
            return Err(Failure::Reported);
        }
        let working = self.find(user, first)?;
        self.conclude(user, &working)
    }

    /// Tells why there is no answer in SNMPv3, and what is there instead.
    fn unreachable(&self, failure: &Failure) -> Failure {
        let supports_v2c = session::community(&self.session.community)
            .is_ok_and(|community| self.prober.supports_v2c(community));
        let text = if supports_v2c {
            "the agent answers in SNMPv2c, but not in SNMPv3: use -v2c -c COMMUNITY, or give it a user".to_owned()
        } else {
            failure.to_string()
        };
        let said = report_step(Verdict::Bad, "SNMPv3", &text);
        match said.and_then(|()| self.report_other_address()) {
            Ok(()) => failure.already_reported(),
            Err(error) => error,
        }
    }

    /// Says so where an agent answers from another address than the one that was asked.
    fn report_other_address(&self) -> Result<(), Failure> {
        let user = self.session.user.name.as_deref().unwrap_or(NOBODY);
        let Some(address) = answering_address::other_than_asked(self.session, user) else {
            return Ok(());
        };
        let text = format!(
            "an answer came from {address}, which was not asked: ask that address, or have the agent answer from the one \
             that is asked"
        );
        report_step(Verdict::Bad, "", &text)
    }

    fn print_engine(&self) -> Result<(), Failure> {
        let Some(engine) = &self.prober.engine else {
            return report_step(
                Verdict::Bad,
                "SNMPv3",
                "the agent does not report its engine ID",
            );
        };
        let target = &self.session.target;
        let time = match self.prober.round_trip {
            Some(time) => format!("{target} answers in {:.1} ms", milliseconds(time)),
            None => format!("{target} answers"),
        };
        report_step(Verdict::Good, "SNMPv3", &time)?;
        let id = engine.id();
        report_step(
            Verdict::Good,
            "engine ID",
            &format!("{id}: {}", Meaning(id)),
        )?;
        let time = engine.time(Instant::ORIGIN);
        let since = format!(
            "started {} times, last {} ago",
            time.boots,
            Days(Duration::from_secs(u64::try_from(time.time).unwrap_or(0)))
        );
        let verdict = if time.boots > 0 {
            Verdict::Good
        } else {
            Verdict::Open
        };
        report_step(verdict, "engine time", &since)?;
        match self.prober.max_message_size {
            Some(size) => report_step(Verdict::Good, "message size", &format!("{size} octets")),
            None => Ok(()),
        }
    }

    fn is_known(user: &str, answer: &Answer) -> Result<bool, Failure> {
        let (verdict, text) = match answer {
            Answer::Report(ReportReason::Usm(UsmError::UnknownUserName)) => (
                Verdict::Bad,
                "the agent has no such user, or has it for another engine ID",
            ),
            Answer::UpTime(_) => (
                Verdict::Good,
                "known; and anyone can read sysUpTime in its name, without a password",
            ),
            Answer::Silence(_) => (Verdict::Open, "the agent says nothing about it"),
            _ => (Verdict::Good, "known"),
        };
        report_step(verdict, &format!("user {user}"), text)?;
        Ok(!matches!(verdict, Verdict::Bad))
    }

    /// Finds the highest level at which the user is answered.
    fn find(&mut self, user: &str, first: Answer) -> Result<Working, Failure> {
        let arguments = &self.session.user;
        let authentication = SecretOptions::authentication(arguments);
        let nothing = Working {
            authentication: None,
            privacy: None,
            answer: first,
        };
        if !authentication.is_given() && arguments.level.is_none() {
            report_step(Verdict::Open, "authentication", "no password was given: -A")?;
            return Ok(nothing);
        }
        let source = authentication.source(user)?;
        let Some(authenticated) = self.find_authentication(user, &source)? else {
            return Err(Failure::Reported);
        };
        let privacy = SecretOptions::privacy(arguments);
        if !privacy.is_given() {
            report_step(Verdict::Open, "privacy", "no password was given: -X")?;
            return Ok(authenticated);
        }
        let sources = (source, privacy.source(user)?);
        match self.find_privacy(user, &authenticated, &sources)? {
            Some(working) => Ok(working),
            None => Err(Failure::Reported),
        }
    }

    fn find_authentication(
        &mut self,
        user: &str,
        source: &Source,
    ) -> Result<Option<Working>, Failure> {
        let mut has_keys = true;
        for protocol in first_of(self.session.user.auth_protocol, AUTHENTICATION) {
            // A key that has another length is none of that protocol.
            let Ok(secret) = authentication_secret(protocol, source.clone()) else {
                continue;
            };
            match self
                .prober
                .request_as(user, Credentials::AuthNoPriv(secret))?
            {
                Answer::Report(ReportReason::Usm(UsmError::WrongDigest)) | Answer::Silence(_) => {}
                Answer::Report(ReportReason::Usm(UsmError::UnsupportedSecurityLevel)) => {
                    has_keys = false;
                    break;
                }
                answer => {
                    let strength = weakness(protocol.is_weak());
                    report_step(
                        Verdict::Good,
                        "authentication",
                        &format!("{protocol}{strength}"),
                    )?;
                    return Ok(Some(Working {
                        authentication: Some(protocol),
                        privacy: None,
                        answer,
                    }));
                }
            }
        }
        let text = if has_keys {
            "the password is wrong: no protocol is accepted with it"
        } else {
            "the user has no key for authentication"
        };
        report_step(Verdict::Bad, "authentication", text)?;
        Ok(None)
    }

    fn find_privacy(
        &mut self,
        user: &str,
        authenticated: &Working,
        (authentication, privacy): &(Source, Source),
    ) -> Result<Option<Working>, Failure> {
        let Some(hash) = authenticated.authentication else {
            return Ok(None);
        };
        let secret = || -> Result<AuthenticationSecret, Failure> {
            authentication_secret(hash, authentication.clone())
                .map_err(|error| Failure::Usage(error.to_string()))
        };
        let mut has_keys = true;
        for protocol in first_of(self.session.user.priv_protocol, PRIVACY) {
            let Ok(privacy) = privacy_secret(hash, protocol, privacy.clone()) else {
                continue;
            };
            let credentials = Credentials::AuthPriv(secret()?, privacy);
            match self.prober.request_as(user, credentials)? {
                Answer::Report(ReportReason::Usm(UsmError::DecryptionError))
                | Answer::Silence(_) => {}
                Answer::Report(ReportReason::Usm(UsmError::UnsupportedSecurityLevel)) => {
                    has_keys = false;
                    break;
                }
                answer => {
                    let extension = extension(hash, protocol);
                    let strength = weakness(protocol.is_weak());
                    let text = format!("{protocol}{extension}{strength}");
                    report_step(Verdict::Good, "privacy", &text)?;
                    return Ok(Some(Working {
                        authentication: Some(hash),
                        privacy: Some(protocol),
                        answer,
                    }));
                }
            }
        }
        let text = if has_keys {
            "the password is wrong: no protocol is accepted with it"
        } else {
            "the user has no key for privacy"
        };
        report_step(Verdict::Bad, "privacy", text)?;
        Ok(None)
    }

    fn conclude(&self, user: &str, working: &Working) -> Result<(), Failure> {
        let may_read = match &working.answer {
            Answer::UpTime(time) => {
                let time = Days(Duration::from_millis(u64::from(*time) * 10));
                report_step(Verdict::Good, "sysUpTime", &format!("{time}"))?;
                true
            }
            Answer::Refused(status) => {
                let text = format!("{status}: the user may not read it at this level");
                report_step(Verdict::Bad, "sysUpTime", &text)?;
                false
            }
            Answer::Report(reason) => {
                report_step(Verdict::Bad, "sysUpTime", &reason.to_string())?;
                false
            }
            Answer::Other => {
                report_step(Verdict::Bad, "sysUpTime", "the user does not see it")?;
                false
            }
            Answer::Silence(discarded) => {
                let text = match discarded.likely_cause() {
                    Some(cause) => format!("no answer; {discarded}: {cause}"),
                    None => "no answer".to_owned(),
                };
                report_step(Verdict::Bad, "sysUpTime", &text)?;
                false
            }
        };
        if !may_read {
            if working.privacy.is_none() && !matches!(working.answer, Answer::Silence(_)) {
                self.advise_higher_level()?;
            }
            return Err(Failure::Reported);
        }
        findings::conclude(&command_line(self.session, user, working), None)
    }

    /// Names the options with which the user may have access.
    fn advise_higher_level(&self) -> Result<(), Failure> {
        let mut session = self.session.clone();
        // The doctor examines a user in SNMPv3 without -v3 too.
        session.version = Some(SnmpVersion::V3);
        session.user.level = Some(SecurityLevel::AuthPriv);
        findings::advise(
            "The user may need the level authPriv: add -l authPriv with both passwords (-A and -X, or these variables)",
            Some(&doctor_line(&session)),
        )
    }
}

/// The preferred one, then the others.
fn first_of<T: Copy + PartialEq, const N: usize>(
    preferred: Option<T>,
    all: [T; N],
) -> impl Iterator<Item = T> {
    let others = all.into_iter().filter(move |one| Some(*one) != preferred);
    preferred.into_iter().chain(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_preferred_comes_first_and_once() {
        let order: Vec<_> = first_of(Some(3), [1, 2, 3]).collect();
        assert_eq!(order, [3, 1, 2]);
        let order: Vec<_> = first_of(None, [1, 2, 3]).collect();
        assert_eq!(order, [1, 2, 3]);
    }

    #[test]
    fn all_protocols_are_tried() {
        for protocol in AuthenticationProtocol::ALL {
            assert!(AUTHENTICATION.contains(&protocol));
        }
        for protocol in PrivacyProtocol::ALL {
            assert!(PRIVACY.contains(&protocol));
        }
    }
}
