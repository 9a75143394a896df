//! A run that ends when a signal arrives.

use varbind_lab::study::{Results, RunOptions, StudyError, run};
use varbind_terminal::Failure;
use varbind_terminal::messages::report;

use crate::ending_signals::EndingSignals;

/// Why a run has no values.
pub(crate) const NOTHING: &str = "nothing could be measured";

/// Runs until a signal arrives. Where the observations are kept, the run can go on later, and its end says so.
pub(crate) fn run_until_signal(options: &RunOptions) -> Result<Results, Failure> {
    let interruption = options.interruption.clone();
    let mut is_first = true;
    let signals = EndingSignals::handle(move |number| {
        if !std::mem::take(&mut is_first) {
            // A second signal ends the run at once.
            std::process::exit(128 + number);
        }
        interruption.interrupt();
    })?;
    match run(options) {
        Ok(results) => Ok(results),
        Err(error @ StudyError::Interrupted { .. }) => {
            match options.is_kept {
                true => report(format_args!("{error}")),
                false => report(format_args!("interrupted")),
            }
            Err(Failure::ReportedWith(signals.exit_code().unwrap_or(1)))
        }
        Err(error) => Err(Failure::Usage(error.to_string())),
    }
}

/// Whether anything was measured.
pub(crate) fn has_values(results: &Results) -> bool {
    let studies = results.studies.iter();
    let mut experiments = studies.flat_map(|study| &study.experiments);
    experiments.any(|one| !one.ours.is_empty())
}
