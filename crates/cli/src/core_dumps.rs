//! Keeps the memory of a process that holds secrets from everybody but root.

use std::io;

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

/// Forbids core dumps of this process and of those that it starts, and forbids other processes of its user to look into its
/// memory (`PR_SET_DUMPABLE` of prctl(2)).
///
/// # Errors
/// What the system says.
pub(crate) fn forbid() -> io::Result<()> {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    Ok(())
}
