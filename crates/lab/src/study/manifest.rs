use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    AgentName, ExternalAgent, Network, Plan, Planned, SmallBoards, Study, StudyFileError,
    SubjectName, find, read_own,
};
use crate::measurement::Environment;

/// All that is needed to run the same again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`super::RESULTS_VERSION`] of the program that wrote it.
    pub schema_version: u32,
    /// The studies, by name.
    pub studies: Vec<String>,
    /// The files of those that are not in the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// How much is done.
    pub scope: Scope,
    /// Whose agents.
    pub subjects: Vec<SubjectName>,
    /// From which number all randomness comes.
    pub seed: u64,
    /// Where and with what it was begun.
    pub environment: Environment,
    /// What is done, how often.
    pub tasks: Vec<Planned>,
    /// How narrow intervals are to be for a comparison to end before all its repetitions: a part of the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// How many minutes it may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u32>,
    /// The network between manager and agent, if it is not loopback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// Of a core, in hundredths, for each agent, if that is not all that it wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow: Option<u32>,
    /// The agent that runs already, if it is a subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalAgent>,
    /// What was known of small boards, if a task asks for it. It is kept here, so that the run can go on and be repeated
    /// without the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub small_boards: Option<SmallBoards>,
}

/// How much is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// A look: few repetitions, the longest workloads scaled down.
    Quick,
    /// 30 repetitions or more, and the papers' own sizes where time allows.
    Full,
}

impl Scope {
    /// How often a task is done where nothing else is said.
    #[must_use]
    pub const fn repetitions(self) -> u32 {
        match self {
            Self::Quick => 6,
            Self::Full => 30,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quick => "quick",
            Self::Full => "full",
        })
    }
}

impl Manifest {
    /// Of a run that measures all that these studies need, and is asked for nothing else.
    #[must_use]
    pub fn of_studies(
        studies: &[&Study],
        scope: Scope,
        subjects: &[SubjectName],
        environment: Environment,
    ) -> Self {
        Self {
            schema_version: super::RESULTS_VERSION,
            studies: studies.iter().map(|study| study.name.to_owned()).collect(),
            files: studies
                .iter()
                .filter_map(|study| study.file.map(str::to_owned))
                .collect(),
            scope,
            subjects: subjects.to_vec(),
            seed: environment.seed,
            environment,
            tasks: Plan::of_studies(studies, scope, subjects).tasks,
            precision: None,
            within: None,
            network: None,
            slow: None,
            external: None,
            small_boards: None,
        }
    }

    /// The studies. Those with files of their own are read from these.
    ///
    /// # Errors
    /// What is wrong with such a file.
    pub fn studies(&self) -> Result<Vec<&'static Study>, StudyFileError> {
        let own = self.files.iter().map(|text| read_own(text));
        let own = own.collect::<Result<Vec<_>, _>>()?;
        let of_name = |name: &String| {
            let own = own.iter().copied().find(|study| study.name == name);
            own.or_else(|| find(name))
        };
        Ok(self.studies.iter().filter_map(of_name).collect())
    }

    /// Leaves out what the agent that runs already cannot be asked for.
    pub(super) fn leave_out_refused(&mut self) {
        let plan = Plan {
            tasks: std::mem::take(&mut self.tasks),
        };
        self.tasks = plan.with_external(self.external.as_ref()).tasks;
    }

    /// Where the time is limited, it alone limits the repetitions: those that the study asks for are raised to the most.
    pub(super) fn raise_repetitions(&mut self) {
        if self.within.is_some() {
            let mut plan = Plan {
                tasks: std::mem::take(&mut self.tasks),
            };
            plan.raise_repetitions(self.scope);
            self.tasks = plan.tasks;
        }
    }

    /// The command that does the same again. Studies with files of their own are only in the directory of the run.
    #[must_use]
    pub fn command(&self) -> String {
        if !self.files.is_empty() {
            return "varbind study replay DIRECTORY --out OTHER".to_owned();
        }
        let quick = match self.scope {
            Scope::Quick => " --quick",
            Scope::Full => "",
        };
        let subject = self.subject_options();
        let repetitions = self.repetitions_option();
        let repetitions =
            repetitions.map_or_else(String::new, |one| format!(" --repetitions {one}"));
        let precision = self.precision.map_or_else(String::new, |part| {
            format!(" --stop-at-precision {}%", part * 100.0)
        });
        let within = self.within;
        let within = within.map_or_else(String::new, |minutes| format!(" --within {minutes}"));
        let (studies, seed, conditions) = (self.study_arguments(), self.seed, self.options());
        format!(
            "varbind study run {studies}{quick}{subject}{repetitions}{precision}{within}{conditions} --seed {seed}"
        )
    }

    /// The options that choose the subjects. Credentials are not known here: a word stands for them.
    fn subject_options(&self) -> String {
        let external = self.external.iter().flat_map(|one| one.addresses.clone());
        let started = self.subjects.iter().filter(|one| !one.is_external());
        let started: Vec<String> = started.map(ToString::to_string).collect();
        let words: Vec<String> = match (started.as_slice(), &self.external) {
            ([_, _], None) => return String::new(),
            _ => started.into_iter().chain(external).collect(),
        };
        let words = words.iter().map(|word| format!(" --subject {word}"));
        let name = self.external.as_ref().map(|agent| agent.name);
        let is_named = |name: &AgentName| *name != AgentName::default();
        let name = name.filter(is_named).map(|name| format!(" --name {name}"));
        let credentials = self.external.iter().map(|_| " CREDENTIALS".to_owned());
        words.chain(name).chain(credentials).collect()
    }

    /// The options for network and speed.
    pub(super) fn options(&self) -> String {
        let network = self.network.as_ref();
        let network = network.map_or_else(String::new, |one| format!(" --network {}", one.name));
        let slow = self.slow;
        let slow = slow.map_or_else(String::new, |percent| format!(" --slow {percent}%"));
        network + &slow
    }

    /// The network between manager and agent, and the agent's speed, as text of a report.
    #[must_use]
    pub fn conditions(&self) -> String {
        let network = match &self.network {
            Some(network) => format!("across {network}"),
            None => "over loopback".to_owned(),
        };
        match self.slow {
            Some(percent) => format!("{network}, each agent with {percent} % of a core"),
            None => network,
        }
    }

    /// How often each task is done, if that is not what the studies say.
    fn repetitions_option(&self) -> Option<u32> {
        let studies = self.studies().unwrap_or_default();
        let plan = Plan::of_studies(&studies, self.scope, &self.subjects);
        let mut plan = plan.with_external(self.external.as_ref());
        if self.within.is_some() {
            plan.raise_repetitions(self.scope);
        }
        let first = self.tasks.first()?.repetitions;
        let is_same = self.tasks.iter().all(|one| one.repetitions == first);
        // Tasks are not compared as a whole: a program with other features plans others.
        let is_asked = |one: &Planned| {
            let mut planned = plan.tasks.iter();
            let planned = planned.find(|it| it.subject == one.subject && it.task == one.task);
            planned.is_some_and(|planned| planned.repetitions != one.repetitions)
        };
        (is_same && self.tasks.iter().any(is_asked)).then_some(first)
    }

    /// The names of the studies on the command line: `all`, if it is all.
    fn study_arguments(&self) -> String {
        let all = super::with_overview().map(|study| study.name);
        if all.eq(self.studies.iter().map(String::as_str)) {
            return "all".to_owned();
        }
        self.studies.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::NetworkName;
    use super::*;
    use crate::environment::environment;
    use crate::process::Cores;

    /// The tasks are cut because a program with fewer features plans fewer of them: the command must be the same.
    #[test]
    fn the_command_of_an_agent_that_runs_already_has_a_word_for_its_credentials() {
        let environment = environment(&Cores::available().unwrap(), 3);
        let name = "router".parse().unwrap();
        let subjects = [SubjectName::External(name)];
        let studies = [find("overview").unwrap()];
        let mut manifest = Manifest::of_studies(&studies, Scope::Quick, &subjects, environment);
        manifest.external = Some(ExternalAgent {
            name,
            addresses: vec!["udp:192.0.2.1".to_owned()],
            targets: Vec::new(),
            has_community: true,
            user: None,
            may_be_set: false,
        });
        manifest.within = Some(22);
        manifest.raise_repetitions();
        manifest.tasks.truncate(7);
        assert_eq!(
            manifest.command(),
            "varbind study run overview --quick --subject udp:192.0.2.1 --name router CREDENTIALS --within 22 --seed 3"
        );
    }

    #[test]
    fn the_command_of_a_run_says_what_was_asked() {
        let studies = [find("du2001").unwrap()];
        let environment = environment(&Cores::available().unwrap(), 3);
        let subjects = [SubjectName::Varbind];
        let mut manifest = Manifest::of_studies(&studies, Scope::Quick, &subjects, environment);
        assert_eq!(
            manifest.command(),
            "varbind study run du2001 --quick --subject varbind --seed 3"
        );
        for planned in &mut manifest.tasks {
            planned.repetitions = 2;
        }
        manifest.precision = Some(0.03);
        assert_eq!(
            manifest.command(),
            "varbind study run du2001 --quick --subject varbind --repetitions 2 --stop-at-precision 3% --seed 3"
        );
        manifest.within = Some(55);
        assert!(
            manifest
                .command()
                .contains(" --stop-at-precision 3% --within 55 ")
        );
        manifest.within = None;
        manifest.network = Some(NetworkName::Wifi.network().clone());
        manifest.slow = Some(25);
        let told = manifest.command();
        assert!(
            told.ends_with(" --network wifi --slow 25% --seed 3"),
            "{told}"
        );
        let told = manifest.conditions();
        assert!(
            told.contains("0.7 ms") && told.ends_with("25 % of a core"),
            "{told}"
        );
    }
}
