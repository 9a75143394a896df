use std::collections::BTreeMap;
use std::thread;

use super::order::Order;
use super::site::{Question, Site};
use super::{CommandWords, ExternalAgent, Manifest, Observation, Planned, RunOptions, Setting};

/// The processes in which tasks are done, one for each setting.
pub(super) struct Sites<'a> {
    options: &'a RunOptions,
    manifest: Manifest,
    running: BTreeMap<Setting, Site>,
    /// Settings that this machine does not allow, with the reason.
    denied: BTreeMap<Setting, String>,
}

/// The observations of each question, or why there are none.
type Answer = Result<Vec<Vec<Observation>>, String>;

impl<'a> Sites<'a> {
    /// Starts no process yet.
    pub(super) const fn new(options: &'a RunOptions, manifest: Manifest) -> Self {
        Self {
            options,
            manifest,
            running: BTreeMap::new(),
            denied: BTreeMap::new(),
        }
    }

    /// Where a task is done: across the network that was asked for, if it asks anything of an agent.
    pub(super) fn setting(&self, planned: &Planned) -> Setting {
        let setting = planned.task.setting();
        match self.options.network {
            Some(network) if planned.task.needs_agent() => setting.across(network),
            _ => setting,
        }
    }

    /// Runs tasks in all these settings at the same time. A process that ended is restarted once: its end may have nothing to do with
    /// these tasks.
    pub(super) fn ask(
        &mut self,
        questions: &BTreeMap<Setting, Vec<Question>>,
    ) -> BTreeMap<Setting, Answer> {
        let mut answers = self.ask_once(questions);
        let mut again = questions.clone();
        again.retain(|setting, _| matches!(answers.get(setting), Some(Err(_))));
        if !again.is_empty() && !self.options.interruption.is_asked() {
            answers.extend(self.ask_once(&again));
        }
        answers
    }

    fn ask_once(
        &mut self,
        questions: &BTreeMap<Setting, Vec<Question>>,
    ) -> BTreeMap<Setting, Answer> {
        let asked = questions.iter().map(|(setting, questions)| {
            let site = self.take(*setting);
            (*setting, site, questions)
        });
        let asked: Vec<_> = asked.collect();
        let answered = thread::scope(|scope| {
            let asked = asked.into_iter().map(|(setting, site, questions)| {
                let ask = move || {
                    let mut site = site?;
                    let observed = site.observe(questions)?;
                    Ok::<_, String>((site, observed))
                };
                (setting, scope.spawn(ask))
            });
            let asked: Vec<_> = asked.collect();
            let answered = asked
                .into_iter()
                .map(|(setting, thread)| (setting, thread.join()));
            answered.collect::<Vec<_>>()
        });
        let answers = answered.into_iter().map(|(setting, answered)| {
            let answered = answered.unwrap_or_else(|_| Err(BROKEN.to_owned()));
            let answer = answered.map(|(site, observed)| {
                self.running.insert(setting, site);
                observed
            });
            (setting, answer)
        });
        answers.collect()
    }

    /// Takes the process of a setting, or starts one.
    fn take(&mut self, setting: Setting) -> Result<Site, String> {
        if let Some(site) = self.running.remove(&setting) {
            return Ok(site);
        }
        if let Some(reason) = self.denied.get(&setting) {
            return Err(reason.clone());
        }
        let tasks = self.manifest.tasks.iter();
        let tasks = tasks.filter(|one| self.setting(one) == setting);
        let order = Order {
            setting,
            program: self.options.program.clone(),
            tasks: tasks.map(|one| (one.task.clone(), one.subject)).collect(),
            share: self.options.slow,
            seed: self.options.seed,
            external: self.external_of(setting),
            small_boards: self.manifest.small_boards.clone(),
        };
        Site::open(&order, &self.options.interruption).map_err(|reason| {
            let reason = format!("{setting} cannot be had: {reason}");
            self.denied.insert(setting, reason.clone());
            reason
        })
    }

    /// The agent that runs already, where it is asked.
    fn external_of(&self, setting: Setting) -> Option<(ExternalAgent, CommandWords)> {
        let external = self.options.external.clone();
        external.filter(|_| setting == Setting::Host)
    }
}

const BROKEN: &str = "the process of the site could not be asked";

impl Drop for Sites<'_> {
    /// Asks all to end before the first is waited for: agents take up to a second.
    fn drop(&mut self) {
        self.running.values_mut().for_each(Site::ask_to_end);
    }
}
