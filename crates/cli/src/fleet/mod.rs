//! Many hosts at once: those that a selection as `@routers` names, each asked by a task of its own, within bounds.

mod failure;
mod layer;
mod lines;
mod operation;
mod rows;
mod run;
mod select;
mod summary;

pub(crate) use failure::HostFailure;
pub(crate) use layer::fill;
pub(crate) use lines::VarBindLines;
pub(crate) use operation::Operation;
pub(crate) use rows::TableRows;
pub(crate) use run::{run, ssh_options};
pub(crate) use select::{find_hosts, find_one_host, select_all, take_selections};
pub(crate) use summary::Summary;

/// Failures of several kinds.
const MIXED: u8 = 6;
/// As shells have it for a program that Ctrl-C ended.
pub(crate) const INTERRUPTED: u8 = 130;
