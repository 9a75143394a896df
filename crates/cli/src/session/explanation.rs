use varbind::client::{Error, Unanswered};
use varbind::codec::smi::Oid;
use varbind::engine::applications::command_generator::{Response, WalkError};
use varbind_mib::{Mib, OutputOptions, format_name};
use varbind_terminal::Failure;

use crate::arguments::SessionArguments;
use crate::error_status::explanation_in;

/// What an error-status says, and of which object: its name is from the request, since some agents do not repeat it.
pub(crate) fn error_text<'n>(
    arguments: &SessionArguments,
    mib: &Mib,
    options: &OutputOptions,
    response: &Response,
    mut requested: impl Iterator<Item = &'n Oid>,
) -> String {
    let status = response.error_status;
    let mut text = format!("{}: the agent answered {status}", arguments.target);
    let at = usize::try_from(response.error_index).unwrap_or(usize::MAX);
    if let Some(name) = at.checked_sub(1).and_then(|at| requested.nth(at)) {
        text.push_str(" for ");
        format_name(mib, options, name.arcs(), &mut text);
    }
    text.push_str(": ");
    text.push_str(&explanation_in(arguments, status));
    text
}

/// Why a walk ended early, with the names of the objects concerned.
pub(crate) fn walk_failure(
    arguments: &SessionArguments,
    mib: &Mib,
    options: &OutputOptions,
    error: Error,
) -> Failure {
    let failure = match error {
        Error::Walk(failure) => *failure,
        error => return error.into(),
    };
    ::log::debug!("{:?}", failure.summary);
    let shown = |name: &Oid| {
        let mut text = String::new();
        format_name(mib, options, name.arcs(), &mut text);
        text
    };
    let target = &arguments.target;
    let before = match failure.summary.objects {
        1 => "1 object came before".to_owned(),
        objects => format!("{objects} objects came before"),
    };
    match failure.error {
        WalkError::NotIncreasing { previous, name } => Failure::Protocol(format!(
            "{target}: the agent does not sort its objects: {} came behind {} ({before}); -Cc takes them as they come",
            shown(&name),
            shown(&previous)
        )),
        WalkError::Repeats(name) => Failure::Protocol(format!(
            "{target}: the agent repeats itself: it came back to {} ({before})",
            shown(&name)
        )),
        WalkError::EmptyAnswer(name) => Failure::Protocol(format!(
            "{target}: the agent answered without any object when asked what follows {} ({before})",
            shown(&name)
        )),
        WalkError::ErrorStatus { status, name } => Failure::ErrorStatus(format!(
            "{target}: the agent answered {status} when asked what follows {}: {} ({before})",
            shown(&name),
            explanation_in(arguments, status)
        )),
        WalkError::Failed {
            failure: reason,
            name,
        } => Failure::Unanswered {
            context: format!("; this was asked: what follows {} ({before})", shown(&name)),
            unanswered: Box::new(Unanswered {
                target: failure.target,
                remote: failure.remote,
                principal: failure.principal,
                failure: reason,
            }),
        },
        WalkError::Send(error) => Failure::Usage(format!("{target}: {error}")),
        error => Failure::Protocol(format!("{target}: {error} ({before})")),
    }
}
