//! The programs that the laboratory starts: varbind, which it measures, and itself.

use std::path::PathBuf;

use varbind_lab::study::{SiteProgram, SubjectName};
use varbind_terminal::{Failure, program};

pub(crate) const VARBIND: &str = "varbind";
/// The commands for its own use, as [`crate::command::Command`] has them.
const ECHO: &str = "echo";
const HOLD_SESSIONS: &str = "hold-sessions";
const STUDY_SITE: &str = "study-site";
const RUN_TARGETS: &str = "run-targets";

/// The varbind executable, whose agent and commands are measured: what is installed beside the laboratory, else what is in PATH.
pub(crate) fn varbind() -> Result<PathBuf, Failure> {
    program::find(VARBIND).map_err(|missing| {
        Failure::Usage(format!(
            "varbind is the measured program, and {missing}: install the package {VARBIND} (from the sources: make install)"
        ))
    })
}

fn own_executable() -> Result<PathBuf, Failure> {
    std::env::current_exe()
        .map_err(|error| Failure::Usage(format!("the program cannot find its own file: {error}")))
}

/// What asks many targets once.
pub(crate) fn targets_runner() -> Result<(PathBuf, Vec<String>), Failure> {
    Ok((own_executable()?, vec![RUN_TARGETS.to_owned()]))
}

/// What does the tasks of a study with agents of these subjects.
pub(crate) fn site(subjects: &[SubjectName]) -> Result<SiteProgram, Failure> {
    let is_measured = subjects.contains(&SubjectName::Varbind);
    Ok(SiteProgram {
        executable: own_executable()?,
        site: vec![STUDY_SITE.to_owned()],
        holder: vec![HOLD_SESSIONS.to_owned()],
        echo: vec![ECHO.to_owned()],
        varbind: if is_measured {
            varbind()?
        } else {
            VARBIND.into()
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_for_own_use_exist_and_are_hidden() {
        let definition = crate::arguments::definition();
        for name in [ECHO, HOLD_SESSIONS, RUN_TARGETS, STUDY_SITE] {
            let command = definition.find_subcommand(name);
            assert!(command.is_some_and(clap::Command::is_hide_set), "{name}");
        }
    }
}
