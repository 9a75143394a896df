//! The studies: what five papers measured, measured again.
//!
//! A [`Study`] is data: what the paper did, its tables and figures as [`Experiment`]s with the values that it published,
//! and its claims, which are predicates over what is measured. What is measured is a [`Task`], one of the laboratory's
//! ordinary workloads, which run in a site: a process of its own, in a network that suits the task. [`run`] does the
//! tasks interleaved and notes each result at once in a [`Store`]; [`Results`] are made of the notes alone.

mod arithmetic;
mod calibration;
mod catalog;
mod claim;
mod claim_entry;
mod compare;
mod course;
mod difference;
#[cfg(test)]
mod documentation;
mod du2001;
mod evidence;
mod experiment;
mod experiment_entry;
mod external;
mod file;
mod file_error;
mod finding;
mod gamess2021;
mod grid;
mod hardaker2008;
mod interruption;
#[cfg(test)]
mod made_up;
mod manifest;
mod marinov2006;
mod names;
mod neighbours;
mod network;
mod notes;
mod observation;
mod order;
mod output;
mod plan;
mod pras2004;
mod precision;
mod published;
mod remaining;
mod report;
mod result;
mod rule;
mod run;
mod run_options;
mod site;
mod sites;
mod slope;
mod store;
mod store_error;
mod study_error;
mod subject_name;
mod task;
mod unit;
mod verdict;
mod verdict_pair;
mod workload;

pub(crate) use catalog::{BENCH, file};
pub use catalog::{every_study, find, read_own, studies, study_names, with_overview};
pub use claim::{Claim, ClaimedFigure, ClaimedFigures, Judge};
pub use compare::{ComparedValue, Comparison, MedianChange, compare};
pub use difference::Difference;
pub use evidence::Evidence;
pub use experiment::{At, Axis, Cell, Experiment, Form, LeftOut, Published};
pub use external::{CommandWords, ExternalAgent};
pub use file_error::StudyFileError;
pub use finding::{Figure, Finding};
pub use interruption::Interruption;
pub use manifest::{Manifest, Scope};
pub use network::{Network, NetworkName};
pub use notes::{Conditions, Notes};
pub use observation::{BEYOND, Measure, Observation, Phase, Record, is_beyond};
pub use order::{Setting, SiteProgram};
pub use output::{write_repetitions, write_results};
pub use plan::{Plan, Planned};
pub use published::{Publication, publish};
pub(crate) use report::reasons;
pub use report::{is_of_bench, write_report, write_results_page, write_summary};
pub use result::{
    ClaimResult, ExperimentResult, MeasuredValue, MissingValue, Quietness, RESULTS_VERSION,
    Results, StudyResult, TraceResult, VerdictResult, count,
};
pub use rule::{Claimed, Rules, rules};
pub use run::run;
pub use run_options::RunOptions;
pub use site::{observe, serve_site};
pub use store::Store;
pub use store_error::StoreError;
pub use study_error::StudyError;
pub use subject_name::{AgentName, SubjectName};
pub use task::Task;
pub use unit::Unit;
pub use verdict::{Doubt, MOST_REPETITIONS, Outcome, Verdict};
pub use verdict_pair::{ComparedVerdicts, VerdictPair};
pub use workload::{
    Change, CodingTask, CommandTask, CompressedTask, EchoTask, LinkTask, MemoryTask, MessageCoding,
    MessageCompression, Method, NetconfQuestion, NetconfTask, NotificationTask, Path, Restart,
    Retrieval, SessionTask, SharedRate, SmallBoardFigures, SmallBoardTask, SmallBoards, StartTask,
    TcpSettings, TwinTask, WebCompression, WebQuestion, WebTask,
};

/// A published study.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    /// Its name in commands, as `du2001`.
    pub name: &'static str,
    /// Who wrote it.
    pub authors: &'static str,
    /// When it appeared.
    pub year: u16,
    /// Its title.
    pub title: &'static str,
    /// Where it appeared.
    pub venue: &'static str,
    /// Its digital object identifier, if it has one.
    pub doi: Option<&'static str>,
    /// What it asked, in one line.
    pub question: &'static str,
    /// What was built and how it was measured, in a few sentences.
    pub system: &'static str,
    /// What is measured again in quick runs.
    quick: &'static [Experiment],
    /// The same in full runs.
    full: &'static [Experiment],
    /// What it claims.
    pub claims: &'static [Claim],
    /// What we claim of the same figures, and no paper does.
    pub own_claims: &'static [Claim],
    /// Its file, if it is not one of those in the program.
    pub(crate) file: Option<&'static str>,
}

impl Study {
    /// What is measured again, with what was published.
    #[must_use]
    pub fn experiments(&self, scope: Scope) -> Vec<Experiment> {
        match scope {
            Scope::Quick => self.quick.to_vec(),
            Scope::Full => self.full.to_vec(),
        }
    }

    /// Its claims, and then ours.
    pub fn all_claims(&self) -> impl Iterator<Item = &'static Claim> {
        self.claims.iter().chain(self.own_claims)
    }
}
