//! Du, Shayman and Rozenblit (2001): SNMP over TLS over TCP, and what it costs beside the user-based security model.

pub(super) mod claims;
mod commands;
mod differences;
mod lengths;
mod levels;
mod machines;
mod phases;

use super::file::read_study;
use super::{Experiment, Scope, Study};

/// The study.
#[allow(
    clippy::expect_used,
    reason = "the tests read the file, which is part of the program"
)]
pub(super) fn study() -> Study {
    let text = include_str!("../../../studies/du2001.toml");
    read_study(text, experiments).expect("the file of a study is right")
}

fn experiments(scope: Scope) -> Vec<Experiment> {
    vec![
        levels::table_1(),
        lengths::table_2_times(scope),
        lengths::table_2_messages(scope),
        lengths::table_2_ratios(scope),
        lengths::table_3(scope),
        phases::table_4(),
        phases::table_5(),
        levels::table_6(),
        levels::table_6_ratios(),
        commands::table_6_commands(),
        differences::levels(),
        machines::set_up(),
    ]
}
