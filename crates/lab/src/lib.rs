//! The laboratory: measures SNMP agents, our own and foreign ones, and reports.
//!
//! A [`subject`] is an agent under test, a [`request`] what it is asked, a [`workload`] how the requests follow each
//! other over a [`session`]. A [`study`] is data: which requests are sent to which subjects, and what is claimed of the results.
//! [`bench`](mod@bench) is a study without a paper. Results are written as tables, JSON, CSV and an HTML page.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "statistics are computed in f64, whose 53 bits hold every count and time measured here"
)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::float_cmp,
        reason = "a test may panic"
    )
)]

pub mod bench;
pub mod environment;
pub mod hostile;
pub mod link;
pub mod many_targets;
pub mod measurement;
mod netconf;
pub mod process;
mod progress;
pub mod report;
pub mod request;
pub mod security;
pub mod session;
pub mod soak;
pub mod statistics;
pub mod study;
pub mod subject;
pub mod workload;
