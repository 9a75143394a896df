//! What an error-status means, for people.

use std::borrow::Cow;

use varbind::codec::pdu::ErrorStatus;
use varbind::engine::security::SecurityLevel;

use crate::arguments::{SessionArguments, SnmpVersion, level_name};
use crate::credentials;
use crate::session::doctor_line;

/// What an error-status means in a session, and what to do about it.
pub(crate) fn explanation_in(session: &SessionArguments, status: ErrorStatus) -> Cow<'static, str> {
    match status {
        ErrorStatus::AuthorizationError => authorization(session).into(),
        ErrorStatus::NoSuchName if session.target.transport.is_secure() => {
            "there is no such object, or the name that the agent takes from your certificate or login may not read or write it in this \
             version (versions and access in [[transport-user]]); communities do not count here"
                .into()
        }
        status => explanation(status).into(),
    }
}

/// Who is refused, and how access might be had.
fn authorization(session: &SessionArguments) -> String {
    let user = &session.user;
    let doctor = || doctor_line(session);
    if session.target.transport.is_secure() && user.name.is_none() {
        return match session.version() {
            SnmpVersion::V3 => format!(
                "the agent gives the name that it takes from your certificate or login no such access: `{}` shows the rule, if \
                 there is none; a Set needs access = \"read-write\" in it",
                doctor()
            ),
            _ => format!(
                "the agent gives the name that it takes from your certificate or login no access in this version: leave the version \
                 out for SNMPv3, or allow it there (versions in [[transport-user]], `{}` shows the lines); communities do not count \
                 here",
                doctor()
            ),
        };
    }
    match (session.version(), &user.name) {
        (SnmpVersion::V1 | SnmpVersion::V2c, _) => {
            "the agent gives this community no such access from here (check -c; a community may be for reading only)".to_owned()
        }
        (SnmpVersion::V3, Some(name)) => match credentials::level(user) {
            SecurityLevel::AuthPriv => format!(
                "the agent gives user {name} no such access at level authPriv (a user may be for reading only; check -n, or the agent's access \
                 rules)"
            ),
            level => format!(
                "the agent gives user {name} no access at level {}; it may need authPriv (add -l authPriv), or ask \
                 `{}`",
                level_name(level),
                doctor()
            ),
        },
        (SnmpVersion::V3, None) => format!("name a user (-u), or ask `{}`", doctor()),
    }
}

/// One sentence on an error-status.
pub(crate) const fn explanation(status: ErrorStatus) -> &'static str {
    match status {
        ErrorStatus::NoError => "no error",
        ErrorStatus::TooBig => {
            "the response does not fit into one message: name fewer objects, allow larger messages (--max-message-size), or \
             use TCP"
        }
        ErrorStatus::NoSuchName => {
            "there is no such object, or the user or community may not read or write it (check the name, -u or -c; many communities \
             are for reading only)"
        }
        ErrorStatus::BadValue => "the value has a wrong type, length or content",
        ErrorStatus::ReadOnly => "the object is read-only",
        ErrorStatus::GenErr => "a general failure occurred in the agent",
        ErrorStatus::NoAccess => {
            "the user or community may not read or write the object (check -u or -c; many communities are for reading only)"
        }
        ErrorStatus::WrongType => "the value has another type than the object",
        ErrorStatus::WrongLength => "the value is too long or too short for the object",
        ErrorStatus::WrongEncoding => "the value is encoded in a way the agent does not take",
        ErrorStatus::WrongValue => "the object can never have this value",
        ErrorStatus::NoCreation => "there is no such instance and it cannot be created",
        ErrorStatus::InconsistentValue => "the object cannot have this value at present",
        ErrorStatus::ResourceUnavailable => "the agent lacks a resource for it",
        ErrorStatus::CommitFailed => "the change failed; nothing was changed",
        ErrorStatus::UndoFailed => "the change failed and could not be taken back entirely",
        ErrorStatus::AuthorizationError => "the agent refused the request",
        ErrorStatus::NotWritable => "the object cannot be changed",
        ErrorStatus::InconsistentName => {
            "there is no such instance and it cannot be created at present"
        }
        _ => "no standard defines this status",
    }
}
