use std::time::Duration;

use super::Planned;

/// How long the rest of a run takes: patient tasks, which wait at the same time, and the others by the mean of those that are done.
#[derive(Debug, Default)]
pub(super) struct Remaining {
    /// Patient tasks that are not done.
    patient_left: usize,
    patient: Done,
    others: Done,
}

/// What this process has done of a kind.
#[derive(Debug, Default)]
struct Done {
    count: usize,
    seconds: f64,
}

impl Remaining {
    /// Of a run of which `done` patient tasks were done before.
    pub(super) fn new(planned: &[Planned], done: usize) -> Self {
        let patient = planned.iter().filter(|one| one.task.is_patient());
        let all: usize = patient.map(|one| one.repetitions as usize).sum();
        Self {
            patient_left: all.saturating_sub(done),
            ..Self::default()
        }
    }

    /// These were done, together in this time.
    pub(super) fn note(&mut self, planned: &[&Planned], seconds: f64) {
        let is_patient = planned.iter().any(|one| one.task.is_patient());
        let done = match is_patient {
            true => &mut self.patient,
            false => &mut self.others,
        };
        done.count += planned.len();
        done.seconds += seconds;
        if is_patient {
            self.patient_left = self.patient_left.saturating_sub(planned.len());
        }
    }

    /// The time for so many tasks, patient ones among them; `None` before anything is known of it.
    pub(super) fn time(&self, left: usize) -> Option<Duration> {
        let patient = self.patient_left.min(left);
        let seconds =
            self.patient.seconds_for(patient)? + self.others.seconds_for(left - patient)?;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

impl Done {
    fn seconds_for(&self, count: usize) -> Option<f64> {
        match (count, self.count) {
            (0, _) => Some(0.0),
            (_, 0) => None,
            (count, done) => Some(self.seconds / done as f64 * count as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Plan, Scope, SubjectName, find};
    use super::*;

    #[test]
    fn what_waits_together_is_not_taken_for_fast() {
        let studies = [find("hardaker2008").unwrap()];
        let plan = Plan::of_studies(&studies, Scope::Quick, &[SubjectName::Varbind]);
        let (patient, others): (Vec<&Planned>, Vec<&Planned>) =
            plan.tasks.iter().partition(|one| one.task.is_patient());
        let all: u32 = patient.iter().map(|one| one.repetitions).sum();
        let mut remaining = Remaining::new(&plan.tasks, 0);
        assert_eq!(remaining.time(all as usize + 100), None);
        for _ in 0..6 {
            remaining.note(&patient, 10.0);
        }
        assert_eq!(remaining.time(100), None, "nothing is known of the others");
        remaining.note(&others[..2], 1.0);
        assert_eq!(remaining.time(100), Some(Duration::from_secs(50)));
        let once = Remaining::new(&plan.tasks, all as usize);
        assert_eq!(once.time(0), Some(Duration::ZERO));
    }
}
