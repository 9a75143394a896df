//! What is asked of each host.

use std::sync::Arc;

use tokio::sync::mpsc::Sender;
use varbind::client::Target;
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, VarBind};
use varbind::engine::applications::command_generator::{Command, WalkOptions};
use varbind_mib::{Mib, OutputOptions, format_name};

use super::failure::HostFailure;
use super::run::Event;

/// The requests of a command, the same for all hosts.
#[derive(Clone)]
pub(crate) enum Operation {
    Get {
        names: Arc<[Oid]>,
        /// Ask for the others where one name fails.
        fix: bool,
    },
    GetNext {
        names: Arc<[Oid]>,
        fix: bool,
    },
    GetBulk {
        non_repeaters: u16,
        max_repetitions: u16,
        names: Arc<[Oid]>,
    },
    Set(Arc<[VarBind]>),
    Walk {
        roots: Arc<[Oid]>,
        options: Box<WalkOptions>,
        /// Ask for the name itself where nothing is below.
        root_if_empty: bool,
    },
    /// The columns of a table, whose rows are shown together.
    Table {
        columns: Arc<[Oid]>,
        options: Box<WalkOptions>,
    },
}

/// Names of objects in messages.
pub(super) struct Names {
    pub(super) mib: Mib,
    pub(super) options: OutputOptions,
}

impl Names {
    fn shown(&self, name: &Oid) -> String {
        let mut text = String::new();
        format_name(&self.mib, &self.options, name.arcs(), &mut text);
        text
    }
}

/// Where the results of a host go.
pub(super) struct Results {
    pub(super) host: usize,
    pub(super) events: Sender<Event>,
    pub(super) names: Arc<Names>,
}

impl Results {
    async fn send(&self, objects: Vec<VarBind>) {
        let event = Event::Objects {
            host: self.host,
            objects,
        };
        // The command was interrupted: the receiver is gone.
        let _ = self.events.send(event).await;
    }
}

impl Operation {
    /// Carries it out. What came before a failure was passed on.
    pub(super) async fn carry_out(
        &self,
        target: &Target,
        results: &Results,
    ) -> Result<(), HostFailure> {
        match self {
            Self::Get { names, fix } => read(target, results, names, *fix, Reading::Get).await,
            Self::GetNext { names, fix } => {
                read(target, results, names, *fix, Reading::GetNext).await
            }
            Self::GetBulk {
                non_repeaters,
                max_repetitions,
                names,
            } => {
                let reading = Reading::GetBulk {
                    non_repeaters: *non_repeaters,
                    max_repetitions: *max_repetitions,
                };
                read(target, results, names, false, reading).await
            }
            Self::Set(objects) => {
                let response = target.request(Command::Set(objects)).await?;
                if response.error_status != ErrorStatus::NoError {
                    let at = position(response.error_index, objects.len());
                    let name = at.and_then(|at| objects.get(at));
                    let name = name.map(|object| results.names.shown(&object.name));
                    return Err(HostFailure::of_status(response.error_status, name));
                }
                results.send(response.var_binds).await;
                Ok(())
            }
            Self::Walk {
                roots,
                options,
                root_if_empty,
            } => {
                for root in roots.iter() {
                    walk(target, results, root, options, *root_if_empty).await?;
                }
                Ok(())
            }
            Self::Table { columns, options } => {
                let mut walk = target.walk_with(columns.iter(), WalkOptions::clone(options));
                let mut all = Vec::new();
                let mut outcome = Ok(());
                while let Some(objects) = walk.next_batch().await {
                    match objects {
                        Ok(objects) => all.extend(objects),
                        Err(error) => outcome = Err(error.into()),
                    }
                }
                results.send(all).await;
                outcome
            }
        }
    }
}

/// Which request reads.
#[derive(Clone, Copy)]
enum Reading {
    Get,
    GetNext,
    GetBulk {
        non_repeaters: u16,
        max_repetitions: u16,
    },
}

impl Reading {
    const fn command(self, names: &[Oid]) -> Command<'_> {
        match self {
            Self::Get => Command::Get(names),
            Self::GetNext => Command::GetNext(names),
            Self::GetBulk {
                non_repeaters,
                max_repetitions,
            } => Command::GetBulk {
                non_repeaters,
                max_repetitions,
                names,
            },
        }
    }
}

/// Makes a request; where one name fails it is left out, and the others are asked for again (SNMPv1 answers nothing then).
async fn read(
    target: &Target,
    results: &Results,
    names: &[Oid],
    fix: bool,
    reading: Reading,
) -> Result<(), HostFailure> {
    let mut names = names.to_vec();
    let mut outcome = Ok(());
    loop {
        let response = target.request(reading.command(&names)).await?;
        if response.error_status == ErrorStatus::NoError {
            results.send(response.var_binds).await;
            return outcome;
        }
        let at = position(response.error_index, names.len());
        let name = at.and_then(|at| names.get(at));
        let name = name.map(|name| results.names.shown(name));
        let failure = HostFailure::of_status(response.error_status, name);
        match at.filter(|_| fix && names.len() > 1) {
            Some(at) => drop(names.remove(at)),
            None => return Err(failure),
        }
        outcome = Err(failure);
    }
}

/// The position that an error-index means.
fn position(error_index: u32, count: usize) -> Option<usize> {
    let index = usize::try_from(error_index).ok()?;
    index.checked_sub(1).filter(|&at| at < count)
}

async fn walk(
    target: &Target,
    results: &Results,
    root: &Oid,
    options: &WalkOptions,
    root_if_empty: bool,
) -> Result<(), HostFailure> {
    let mut walk = target.walk_with([root], options.clone());
    let mut is_empty = true;
    while let Some(objects) = walk.next_batch().await {
        is_empty = false;
        results.send(objects?).await;
    }
    if is_empty && root_if_empty {
        let response = target
            .request(Command::Get(std::slice::from_ref(root)))
            .await?;
        let is_value = |object: &VarBind| !object.value.as_value_ref().is_exception();
        if response.error_status == ErrorStatus::NoError && response.var_binds.iter().all(is_value)
        {
            results.send(response.var_binds).await;
        }
    }
    Ok(())
}
