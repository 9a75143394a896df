//! One question to the agent, and what became of it.

use std::time::Duration;

use varbind::client::Error;
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, Value};
use varbind::engine::applications::command_generator::{
    Command, DiscardCounts, FailureReason, MessageProcessing, ReportReason, RetryPolicy,
    V3Parameters,
};
use varbind::engine::clock::Instant;
use varbind::engine::security::SecurityName;
use varbind::engine::security::usm::{Credentials, RemoteEngine};
use varbind_terminal::Failure;

use crate::arguments::SessionArguments;
use crate::session::{Session, Settings};

const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];

/// What the agent said when it was asked for sysUpTime.
#[derive(Debug)]
pub(super) enum Answer {
    /// The value, in hundredths of a second.
    UpTime(u32),
    /// The object, but no time in it: an exception, or another type.
    Other,
    /// An error-status.
    Refused(ErrorStatus),
    /// A Report of SNMPv3.
    Report(ReportReason),
    /// Nothing, though it told its engine ID, or needs not say anything to a wrong community; these messages came that
    /// are no answer.
    Silence(DiscardCounts),
}

/// Asks the agent, and remembers its engine.
pub(super) struct Prober<'a> {
    arguments: &'a SessionArguments,
    pub(super) engine: Option<RemoteEngine>,
    /// msgMaxSize of the agent.
    pub(super) max_message_size: Option<usize>,
    /// How long the last answer took.
    pub(super) round_trip: Option<Duration>,
}

impl<'a> Prober<'a> {
    pub(super) const fn new(arguments: &'a SessionArguments) -> Self {
        Self {
            arguments,
            engine: None,
            max_message_size: None,
            round_trip: None,
        }
    }

    /// Asks for sysUpTime as a user.
    pub(super) fn request_as(
        &mut self,
        user: &str,
        credentials: Credentials,
    ) -> Result<Answer, Failure> {
        let mut parameters = V3Parameters::user(SecurityName::new(user), credentials)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        parameters
            .context_name
            .clone_from(&self.arguments.user.context);
        parameters.context_engine = self.arguments.user.context_engine_id.into();
        if let Some(user) = parameters.security.user_mut() {
            user.engine.clone_from(&self.engine);
        }
        let processing = MessageProcessing::V3(Box::new(parameters));
        self.request(processing)
    }

    /// Asks for sysUpTime.
    pub(super) fn request(&mut self, processing: MessageProcessing) -> Result<Answer, Failure> {
        let has_community = !matches!(processing, MessageProcessing::V3(_));
        let began = std::time::Instant::now();
        let mut session = self.open(processing)?;
        let answer = session.request(Command::Get(&[sys_up_time()?]));
        if let Some(engine) = session.remote_engine() {
            // Each session has a clock of its own.
            let time = engine.time(Instant::ORIGIN + began.elapsed());
            let known = RemoteEngine::new(*engine.id()).with_hint(Instant::ORIGIN, time);
            self.engine = Some(known);
            self.max_message_size = engine.max_message_size().or(self.max_message_size);
        }
        match answer {
            Ok(response) => {
                self.round_trip = Some(response.round_trip);
                let first = response.var_binds.into_iter().next();
                Ok(match first.map(|object| object.value) {
                    _ if response.error_status != ErrorStatus::NoError => {
                        Answer::Refused(response.error_status)
                    }
                    Some(Value::TimeTicks(time)) => Answer::UpTime(time),
                    _ => Answer::Other,
                })
            }
            Err(Error::Unanswered(unanswered)) => match unanswered.failure.reason {
                FailureReason::Report(reason) => Ok(Answer::Report(reason)),
                FailureReason::NoAnswerToUser(_) => {
                    Ok(Answer::Silence(unanswered.failure.discarded))
                }
                FailureReason::NoAnswer if has_community || self.engine.is_some() => {
                    Ok(Answer::Silence(unanswered.failure.discarded))
                }
                _ => Err(Error::Unanswered(unanswered).into()),
            },
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the agent answers in version 2c.
    pub(super) fn supports_v2c(&self, community: Vec<u8>) -> bool {
        let asked = || -> Result<(), Failure> {
            let mut session = self.open(MessageProcessing::V2c { community })?;
            session.request(Command::Get(&[sys_up_time()?]))?;
            Ok(())
        };
        asked().is_ok()
    }

    fn open(&self, processing: MessageProcessing) -> Result<Session, Failure> {
        let mut settings = Settings::with(self.arguments, processing)?;
        let is_chosen = self.arguments.timeout.is_some() || self.arguments.retries.is_some();
        if let (false, Some(round_trip)) = (is_chosen, self.round_trip.or(self.fallback())) {
            // Some agents are silent about what they cannot decrypt: that takes little time where the agent is near.
            settings.retry = RetryPolicy::Fixed {
                timeout: (round_trip * 10).clamp(SHORTEST_TIMEOUT, LONGEST_TIMEOUT),
                retries: 1,
            };
        }
        Session::open(&self.arguments.target, settings)
    }

    /// What holds as soon as the agent has said anything.
    fn fallback(&self) -> Option<Duration> {
        self.engine.as_ref().map(|_| SHORTEST_TIMEOUT)
    }
}

const SHORTEST_TIMEOUT: Duration = Duration::from_millis(300);
const LONGEST_TIMEOUT: Duration = Duration::from_secs(3);

pub(super) fn sys_up_time() -> Result<Oid, Failure> {
    Oid::new(&SYS_UP_TIME).map_err(|error| Failure::Usage(error.to_string()))
}
