//! Runs a fleet in virtual time, with all faults: `plan TARGETS COLLECTORS SECONDS`.

use std::process::ExitCode;
use std::time::Duration;

use varbind_collector::scale::Scenario;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [targets, collectors, seconds] = &arguments[..] else {
        return Err(
            "usage: plan TARGETS COLLECTORS SECONDS: seconds between two polls of a target".into(),
        );
    };
    let interval = Duration::from_secs(seconds.parse()?);
    let scenario = Scenario::with_all_faults(targets.parse()?, collectors.parse()?, interval);
    let report = scenario.run();
    print!("{report}");
    let shortcomings = report.shortcomings();
    for shortcoming in &shortcomings {
        eprintln!("plan: {shortcoming}");
    }
    Ok(match shortcomings.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
