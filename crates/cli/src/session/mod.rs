//! The session with the agent.

mod columns;
mod command_line;
#[cfg(feature = "experiments")]
mod compression;
mod explanation;
mod names;
mod settings;

use std::future::Future;
use std::ops::ControlFlow;
use std::pin::pin;

use tokio::runtime::{Builder, Runtime};
use varbind::client::{Client, Error, Target};
use varbind::codec::smi::{Oid, VarBind};
use varbind::engine::applications::command_generator::{
    Command, Response, WalkOptions, WalkSummary,
};
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::usm::RemoteEngine;
#[cfg(feature = "experiments")]
use varbind::manager::Manager;
use varbind::transport::TransportAddress;
use varbind_terminal::{Failure, log};

use crate::arguments::SessionArguments;
use crate::output::SilenceLine;
pub(crate) use columns::{Columns, Row};
pub(crate) use command_line::{
    command_line, community_words, context_options, doctor_line, quoted, transport_options,
    version_option,
};
#[cfg(feature = "experiments")]
pub(crate) use compression::columns_for_walk;
pub(crate) use explanation::{error_text, walk_failure};
pub(crate) use names::{columns_below, requested_names};
pub(crate) use settings::{Settings, community, processing};

/// Requests to one agent, each of which is waited for.
pub(crate) struct Session {
    peer: Peer,
}

enum Peer {
    Target {
        target: Target,
        silence: Option<SilenceLine>,
        /// Made once; it runs in the thread that waits.
        runtime: Runtime,
    },
    /// Compression, which the client has not.
    #[cfg(feature = "experiments")]
    Manager(Box<Manager>),
}

/// Opens a session with the settings of the arguments; a terminal shows how long the agent is silent.
pub(crate) fn open(arguments: &SessionArguments) -> Result<Session, Failure> {
    log::start_if_wanted(arguments.debug);
    let settings = Settings::new(arguments)?;
    #[cfg(feature = "experiments")]
    let wanted = settings.compression;
    let mut session = Session::open(&arguments.target, settings)?;
    session.report_silence(&arguments.target);
    #[cfg(feature = "experiments")]
    if let (Some(wanted), Peer::Manager(manager)) = (wanted, &mut session.peer) {
        compression::negotiate(manager, &arguments.target, wanted)?;
    }
    Ok(session)
}

impl Session {
    /// Opens a session with the agent at an address. Over UDP nothing is sent yet.
    pub(crate) fn open(address: &TransportAddress, settings: Settings) -> Result<Self, Failure> {
        #[cfg(feature = "experiments")]
        if settings.compression.is_some() {
            let manager = Manager::open(address, settings.manager_options())?;
            let peer = Peer::Manager(Box::new(manager));
            return Ok(Self { peer });
        }
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(Error::Runtime)?;
        let target = runtime.block_on(async {
            let target = settings.target(&Client::builder().resolve_in_place().build()?, address);
            target.connect().await?;
            Ok::<_, Error>(target)
        })?;
        let silence = None;
        let peer = Peer::Target {
            target,
            silence,
            runtime,
        };
        Ok(Self { peer })
    }

    fn report_silence(&mut self, address: &TransportAddress) {
        let Some(line) = SilenceLine::new(address) else {
            return;
        };
        match &mut self.peer {
            Peer::Target { silence, .. } => *silence = Some(line),
            #[cfg(feature = "experiments")]
            Peer::Manager(manager) => line.observe_manager(manager),
        }
    }

    /// The response to a command. An error-status is a response.
    pub(crate) fn request(&mut self, command: Command<'_>) -> Result<Response, Error> {
        match &mut self.peer {
            Peer::Target {
                target,
                silence,
                runtime,
            } => {
                let target: &Target = target;
                runtime.block_on(observed(target, silence, target.request(command)))
            }
            #[cfg(feature = "experiments")]
            Peer::Manager(manager) => Ok(manager.request(command)?),
        }
    }

    /// Passes the objects below a name on, in order, as they come, until `pass_on` ends it.
    pub(crate) fn walk(
        &mut self,
        root: &Oid,
        options: WalkOptions,
        mut pass_on: impl FnMut(&[VarBind]) -> ControlFlow<()>,
    ) -> Result<WalkSummary, Error> {
        match &mut self.peer {
            Peer::Target {
                target,
                silence,
                runtime,
            } => {
                let target: &Target = target;
                let mut walk = target.walk_with([root], options);
                runtime.block_on(async {
                    while let Some(objects) = observed(target, silence, walk.next_batch()).await {
                        if pass_on(&objects?).is_break() {
                            break;
                        }
                    }
                    Ok(*walk.summary())
                })
            }
            #[cfg(feature = "experiments")]
            Peer::Manager(manager) => manager
                .walk(std::slice::from_ref(root), options, pass_on)
                .map_err(Error::Walk),
        }
    }

    /// Passes the objects below several names on, in order, as they come, until `interruption` is over: then the result is
    /// `None`.
    pub(crate) fn walk_until(
        &mut self,
        roots: &[Oid],
        options: WalkOptions,
        interruption: impl Future<Output = ()>,
        mut pass_on: impl FnMut(&[VarBind]) -> ControlFlow<()>,
    ) -> Result<Option<WalkSummary>, Error> {
        match &mut self.peer {
            Peer::Target {
                target,
                silence,
                runtime,
            } => {
                let target: &Target = target;
                let mut walk = target.walk_with(roots.iter().cloned(), options);
                runtime.block_on(async {
                    let mut interruption = pin!(interruption);
                    loop {
                        tokio::select! {
                            biased;
                            () = &mut interruption => return Ok(None),
                            objects = observed(target, silence, walk.next_batch()) => {
                                let is_end = match objects {
                                    Some(objects) => pass_on(&objects?).is_break(),
                                    None => true,
                                };
                                if is_end {
                                    return Ok(Some(*walk.summary()));
                                }
                            }
                        }
                    }
                })
            }
            #[cfg(feature = "experiments")]
            Peer::Manager(manager) => manager
                .walk(roots, options, pass_on)
                .map(Some)
                .map_err(Error::Walk),
        }
    }

    /// The authoritative engine of the agent, once it is known.
    pub(crate) fn remote_engine(&self) -> Option<RemoteEngine> {
        match &self.peer {
            Peer::Target { target, .. } => target.remote_engine(),
            #[cfg(feature = "experiments")]
            Peer::Manager(manager) => manager.generator().remote_engine().cloned(),
        }
    }

    /// contextEngineID of the requests, once it is known.
    pub(crate) fn context_engine_id(&self) -> Option<EngineId> {
        match &self.peer {
            Peer::Target { target, .. } => target.context_engine_id(),
            #[cfg(feature = "experiments")]
            Peer::Manager(manager) => manager.generator().context_engine_id(),
        }
    }

    /// msgMaxSize of the agent, once it is known.
    pub(crate) fn peer_max_message_size(&self) -> Option<usize> {
        match &self.peer {
            Peer::Target { target, .. } => target.peer_max_message_size(),
            #[cfg(feature = "experiments")]
            Peer::Manager(manager) => manager.generator().peer_max_message_size(),
        }
    }
}

impl Drop for Session {
    /// The agent is to know that the session has ended.
    fn drop(&mut self) {
        match &self.peer {
            Peer::Target {
                target, runtime, ..
            } => runtime.block_on(target.close()),
            #[cfg(feature = "experiments")]
            Peer::Manager(_) => {}
        }
    }
}

/// Waits for an outcome, and shows on a terminal how long the agent has been silent.
async fn observed<T>(
    target: &Target,
    silence: &mut Option<SilenceLine>,
    outcome: impl Future<Output = T>,
) -> T {
    let Some(line) = silence else {
        return outcome.await;
    };
    let received = || target.statistics().map(|it| it.octets_received);
    line.observe(received, outcome).await
}
