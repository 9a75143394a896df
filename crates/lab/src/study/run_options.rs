use std::path::PathBuf;

use super::{
    CommandWords, ExternalAgent, Interruption, Manifest, NetworkName, Planned, Scope, SiteProgram,
    SmallBoards, Study, StudyError, SubjectName, Task,
};
use crate::environment::environment;
use crate::process::{Cores, listener};
use crate::subject::Subject;

/// What is run, and where its results go.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The studies.
    pub studies: Vec<&'static Study>,
    /// How much is done.
    pub scope: Scope,
    /// Whose agents.
    pub subjects: Vec<SubjectName>,
    /// From which number all randomness comes.
    pub seed: u64,
    /// How often each task is done, in place of what its study says.
    pub repetitions: Option<u32>,
    /// How narrow intervals are to be for a comparison to end before all its repetitions: a part of the value.
    pub precision: Option<f64>,
    /// How many minutes it may take. Comparisons that are not precise share the time.
    pub within: Option<u32>,
    /// The network between manager and agent; loopback if nothing is said.
    pub network: Option<NetworkName>,
    /// Of a core, in hundredths, for each agent.
    pub slow: Option<u32>,
    /// The agent that runs already, if it is a subject, and the command line with its credentials.
    pub external: Option<(ExternalAgent, CommandWords)>,
    /// The directory of the results.
    pub directory: PathBuf,
    /// Whether it is there afterwards, so that the run can go on.
    pub is_kept: bool,
    /// How to start sites.
    pub program: SiteProgram,
    /// What to do instead of what the studies need: what another run did.
    pub replay: Option<Manifest>,
    /// How it is ended before its time.
    pub interruption: Interruption,
}

impl RunOptions {
    /// The processes of the agent that runs already, where they are on this host and can be seen.
    pub(super) fn processes_of_external(&self) -> Vec<u32> {
        let agent = self.external.iter().flat_map(|(agent, _)| &agent.targets);
        let here = agent.filter(|target| target.address.ip().is_loopback());
        here.filter_map(|target| listener(target.transport, target.address.port()))
            .collect()
    }
}

/// All that is needed to run it, and to run it again.
pub(super) fn manifest(options: &RunOptions) -> Result<Manifest, StudyError> {
    let cores = Cores::available().map_err(StudyError::Machine)?;
    let mut environment = environment(&cores, options.seed);
    let external = options.external.as_ref().map(|(agent, _)| agent);
    let subjects = options.subjects.iter().filter_map(|name| match name {
        SubjectName::Varbind => {
            let executable = options.program.varbind.clone();
            Some(Subject::Varbind { executable }.describe())
        }
        SubjectName::NetSnmp => Some(Subject::net_snmp().ok()?.describe()),
        SubjectName::External(_) => external.map(ExternalAgent::describe),
    });
    environment.subjects = subjects.collect();
    let (scope, names) = (options.scope, &options.subjects);
    let mut manifest = Manifest::of_studies(&options.studies, scope, names, environment);
    manifest.external = external.cloned();
    manifest.leave_out_refused();
    manifest.within = options.within;
    manifest.raise_repetitions();
    if let Some(replayed) = &options.replay {
        manifest.tasks.clone_from(&replayed.tasks);
    }
    for planned in &mut manifest.tasks {
        planned.repetitions = options.repetitions.unwrap_or(planned.repetitions);
    }
    let small_boards = small_boards(options, &manifest.tasks).map_err(StudyError::SmallBoards)?;
    Ok(Manifest {
        precision: options.precision,
        network: options.network.map(|name| name.network().clone()),
        slow: options.slow,
        small_boards,
        ..manifest
    })
}

/// What is known of small boards, if a task asks for it: what a run that is repeated knew, or what the environment names.
fn small_boards(options: &RunOptions, tasks: &[Planned]) -> Result<Option<SmallBoards>, String> {
    let is_asked = |one: &Planned| matches!(one.task, Task::SmallBoard(_));
    if !tasks.iter().any(is_asked) {
        return Ok(None);
    }
    let replayed = options.replay.as_ref();
    match replayed.and_then(|manifest| manifest.small_boards.clone()) {
        Some(known) => Ok(Some(known)),
        None => SmallBoards::of_environment(),
    }
}
