//! What an error-status means, for people.

use varbind::codec::pdu::ErrorStatus;

/// One sentence on an error-status.
pub(crate) const fn explanation(status: ErrorStatus) -> &'static str {
    match status {
        ErrorStatus::NoError => "no error",
        ErrorStatus::TooBig => {
            "the response does not fit into one message: name fewer objects, allow larger messages (--max-message-size), or \
             use TCP"
        }
        ErrorStatus::NoSuchName => "there is no such variable name in this MIB, or no access to it",
        ErrorStatus::BadValue => "the value has a wrong type, length or content",
        ErrorStatus::ReadOnly => "the object is read-only",
        ErrorStatus::GenErr => "a general failure occurred in the agent",
        ErrorStatus::NoAccess => "the community has no access to the object",
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
