//! Names of objects, as they are written on the command line.

use varbind::codec::smi::Oid;
use varbind_mib::{Mib, ResolveError};

use crate::Failure;

/// Reads names of objects.
///
/// # Errors
/// If names are invalid: the problem of the last one; the others are reported.
pub fn names(mib: &Mib, texts: &[String]) -> Result<Vec<Oid>, Failure> {
    let (names, failures) = read_names(mib, texts);
    all_or_failures(names, failures)
}

/// Reports all failures, the last one by the caller.
///
/// # Errors
/// The last one.
pub fn all_or_failures(names: Vec<Oid>, mut failures: Vec<Failure>) -> Result<Vec<Oid>, Failure> {
    let Some(last) = failures.pop() else {
        return Ok(names);
    };
    for failure in failures {
        failure.report();
    }
    Err(last)
}

/// Reads names of objects, and says what is wrong with the others.
#[must_use]
pub fn read_names(mib: &Mib, texts: &[String]) -> (Vec<Oid>, Vec<Failure>) {
    let mut failures = Vec::new();
    let names = texts.iter().map(|text| name(mib, text));
    let names = names.filter_map(|name| name.map_err(|failure| failures.push(failure)).ok());
    (names.collect(), failures)
}

/// Reads the name of an object.
///
/// # Errors
/// Why it is not known, and where its module may come from.
pub fn name(mib: &Mib, text: &str) -> Result<Oid, Failure> {
    mib.resolve(text)
        .map_err(|error| Failure::Usage(unresolved(&error)))
}

/// Why a name is not known, and where its module may come from.
fn unresolved(error: &ResolveError) -> String {
    let is_far = match error {
        ResolveError::UnknownName { near, .. } | ResolveError::UnknownModule { near, .. } => {
            near.is_empty()
        }
        _ => false,
    };
    let advice = if is_far {
        "; name the directory of its MIB module with -M, or read your modules once with varbind mib compile DIRECTORY"
    } else {
        ""
    };
    format!("{error}{advice}")
}
