use serde::{Deserialize, Serialize};

use super::external;
use super::workload::{
    CodingTask, CommandTask, CompressedTask, EchoTask, LinkTask, MemoryTask, MessageCoding,
    NetconfTask, NotificationTask, SessionTask, SmallBoardTask, StartTask, TwinTask, WebTask,
};
use super::{Setting, SubjectName};
use crate::measurement::TransportKind;
use crate::subject::{HAS_EXPERIMENTS, NO_EXPERIMENTS};

/// What is measured once: one of the laboratory's workloads, with all its parameters.
///
/// Two cells that name the same task share its observations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Task {
    /// Sessions with exchanges.
    Sessions(SessionTask),
    /// The packets of one such session, seen on the wire.
    Packets(SessionTask),
    /// Requests of the web services.
    Web(WebTask),
    /// ifTable in messages that are compressed.
    Compressed(CompressedTask),
    /// Requests across an emulated link.
    Link(LinkTask),
    /// The same in virtual time.
    Twin(TwinTask),
    /// The memory of an agent by open sessions.
    Memory(MemoryTask),
    /// What an agent for a small board costs, as it was found out elsewhere.
    SmallBoard(SmallBoardTask),
    /// The coding of messages alone.
    Coding(CodingTask),
    /// Whole commands.
    Command(CommandTask),
    /// Notifications.
    Notifications(NotificationTask),
    /// Requests of NETCONF, to a server beside the agents.
    Netconf(NetconfTask),
    /// Datagrams that are returned, without any agent.
    Echo(EchoTask),
    /// The start of an agent.
    Start(StartTask),
}

impl Task {
    /// The network that it needs.
    #[must_use]
    pub const fn setting(&self) -> Setting {
        match self {
            Self::Sessions(task) | Self::Packets(task) => task.setting,
            Self::Web(task) => task.setting,
            Self::Netconf(task) => task.setting,
            Self::Compressed(task) => task.setting,
            Self::Coding(task) => task.setting,
            Self::Link(_) => Setting::Link,
            Self::Twin(_)
            | Self::Memory(_)
            | Self::SmallBoard(_)
            | Self::Command(_)
            | Self::Notifications(_)
            | Self::Echo(_)
            | Self::Start(_) => Setting::Host,
        }
    }

    /// Whether an agent is asked, for which it matters what is between.
    #[must_use]
    pub const fn needs_agent(&self) -> bool {
        !matches!(
            self,
            Self::Twin(_)
                | Self::SmallBoard(_)
                | Self::Notifications(_)
                | Self::Echo(_)
                | Self::Start(_)
        )
    }

    /// Whether it waits most of its time, so that many of its kind can be done at once without disturbing each other.
    #[must_use]
    pub const fn is_patient(&self) -> bool {
        matches!(self, Self::Link(_))
    }

    /// Whether it counts packets or pages and times nothing.
    #[must_use]
    pub const fn is_counted(&self) -> bool {
        matches!(self, Self::Packets(_) | Self::Memory(_))
    }

    /// Whether a subject can do it.
    ///
    /// # Errors
    /// Why it cannot, in a few words.
    pub fn is_possible(&self, subject: SubjectName) -> Result<(), String> {
        if let Self::Sessions(task) | Self::Packets(task) = self {
            task.is_of_version()?;
        }
        self.is_offered(subject)?;
        if self.needs_experiments() && !HAS_EXPERIMENTS {
            return Err(NO_EXPERIMENTS.to_owned());
        }
        Ok(())
    }

    /// Whether only builds with the feature `experiments` have it.
    fn needs_experiments(&self) -> bool {
        matches!(self, Self::Coding(task) if task.coding != MessageCoding::Ber)
            || self.needs_experiments_of_agent()
    }

    /// Whether only an agent that is built with the feature `experiments` has it.
    pub(super) fn needs_experiments_of_agent(&self) -> bool {
        match self {
            Self::Sessions(task) | Self::Packets(task) => task.needs_experiments(),
            Self::Web(task) => task.needs_experiments(),
            Self::Compressed(_) => true,
            Self::Memory(task) => task.transport == TransportKind::IntegrityOnlyTls,
            Self::Link(_)
            | Self::Twin(_)
            | Self::SmallBoard(_)
            | Self::Coding(_)
            | Self::Command(_)
            | Self::Notifications(_)
            | Self::Netconf(_)
            | Self::Echo(_)
            | Self::Start(_) => false,
        }
    }

    fn is_offered(&self, subject: SubjectName) -> Result<(), String> {
        if subject.is_external() {
            return external::can_do(subject, self);
        }
        match self {
            Self::Netconf(task) => task.is_possible(subject),
            Self::Sessions(task) | Self::Packets(task) => task.is_possible(subject),
            Self::Web(_) => WebTask::is_possible(subject),
            Self::Compressed(task) => task.is_possible(subject),
            Self::Link(task) => task.is_possible(subject),
            Self::Twin(task) => task.is_possible(subject),
            Self::Memory(task) => task.is_possible(subject),
            Self::SmallBoard(_) => SmallBoardTask::is_possible(subject),
            Self::Coding(_) => CodingTask::is_possible(subject),
            Self::Command(task) => task.is_possible(subject),
            Self::Notifications(task) => task.is_possible(subject),
            Self::Echo(_) | Self::Start(_) => Ok(()),
        }
    }
}

macro_rules! tasks {
    ($($kind:ident($task:ident)),+ $(,)?) => {$(
        impl From<$task> for Task {
            fn from(task: $task) -> Self {
                Self::$kind(task)
            }
        }
    )+};
}

tasks!(
    Sessions(SessionTask),
    Web(WebTask),
    Compressed(CompressedTask),
    Link(LinkTask),
    Twin(TwinTask),
    Coding(CodingTask),
    Command(CommandTask),
    Notifications(NotificationTask),
    Netconf(NetconfTask),
    Echo(EchoTask),
    Start(StartTask),
);
