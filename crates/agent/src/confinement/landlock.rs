//! Landlock: the kernel refuses files beside those that the configuration needs (landlock(7)).

use std::env;

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::files::Files;
use super::{ConfinementError, Mechanism};

/// The newest interface whose rights are known here; an older kernel restricts what it can.
const KNOWN: ABI = ABI::V6;

/// Restricts the calling thread; whether the kernel does that.
///
/// # Errors
/// When it is required and the kernel does not have it.
pub(super) fn restrict(files: &Files, wanted: Mechanism) -> Result<bool, ConfinementError> {
    if wanted == Mechanism::Off {
        return Ok(false);
    }
    let problem = match apply(files) {
        Ok(RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced) => return Ok(true),
        Ok(RulesetStatus::NotEnforced) => "this kernel does not have it".to_owned(),
        Err(error) => error.to_string(),
    };
    if wanted == Mechanism::Required {
        return Err(ConfinementError::Unavailable {
            mechanism: "landlock",
            problem,
        });
    }
    log::info!("not confined by Landlock: {problem}");
    Ok(false)
}

fn apply(files: &Files) -> Result<RulesetStatus, RulesetError> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let special = AccessFs::Execute | AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::MakeSock;
    let write = AccessFs::from_all(KNOWN) & !special;
    let sockets = read | AccessFs::MakeSock | AccessFs::RemoveFile;
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(KNOWN))?
        .scope(scopes())?
        .create()?
        .add_rules(path_beneath_rules(files.readable(), read))?
        .add_rules(path_beneath_rules(&files.written, write))?
        .add_rules(path_beneath_rules(&files.sockets, sockets))?
        .restrict_self()?;
    Ok(status.ruleset)
}

/// No signals to other processes, and no abstract sockets of theirs unless the service manager has one.
fn scopes() -> BitFlags<Scope> {
    let manager = env::var_os("NOTIFY_SOCKET");
    let is_abstract = manager.is_some_and(|name| name.as_encoded_bytes().starts_with(b"@"));
    if is_abstract {
        Scope::Signal.into()
    } else {
        Scope::from_all(KNOWN)
    }
}
