//! The words of errors that scripts search for.

use varbind::codec::pdu::ErrorStatus;
use varbind::engine::applications::command_generator::ReportReason;
use varbind::engine::security::usm::UsmError;

/// What an error-status is called; the index is its number.
const ERROR_STATUS: [&str; 19] = [
    "(noError) No Error",
    "(tooBig) Response message would have been too large.",
    "(noSuchName) There is no such variable name in this MIB.",
    "(badValue) The value given has the wrong type or length.",
    "(readOnly) The two parties used do not have access to use the specified SNMP PDU.",
    "(genError) A general failure occured",
    "noAccess",
    "wrongType (The set datatype does not match the data type the agent expects)",
    "wrongLength (The set value has an illegal length from what the agent expects)",
    "wrongEncoding",
    "wrongValue (The set value is illegal or unsupported in some way)",
    "noCreation (That table does not support row creation or that object can not ever be created)",
    "inconsistentValue (The set value is illegal or unsupported in some way)",
    "resourceUnavailable (This is likely a out-of-memory failure within the agent)",
    "commitFailed",
    "undoFailed",
    "authorizationError (access denied to that object)",
    "notWritable (That object does not support modification)",
    "inconsistentName (That object can not currently be created)",
];

pub(super) const UNKNOWN_OBJECT: &str = "Unknown Object Identifier";
pub(super) const UNKNOWN_HOST: &str = "Unknown host";
pub(super) const TIMEOUT: &str = "Timeout";
pub(super) const CONNECTION_LOST: &str = "Failure in recvfrom";
pub(super) const MALFORMED: &str = "ASN.1 parse error in message";
pub(super) const TOO_LONG: &str = "Too long";
pub(super) const NO_USER: &str = "No securityName specified";
pub(super) const NO_AUTHENTICATION_KEY: &str =
    "USM authentication failure (incorrect password or key)";
pub(super) const NO_PRIVACY_KEY: &str = "USM generic error";
pub(super) const V2_IN_V1: &str = "Cannot send V2 PDU on V1 session";
pub(super) const BAD_TYPE: &str = "Bad variable type";
pub(super) const BAD_VALUE: &str = "Bad value notation";
pub(super) const OUT_OF_RANGE: &str = "Value out of range";

pub(super) fn error_status(status: ErrorStatus) -> &'static str {
    let number = usize::try_from(status.code()).ok();
    let words = number.and_then(|number| ERROR_STATUS.get(number).copied());
    words.unwrap_or("Unknown Error")
}

pub(super) const fn report(reason: ReportReason) -> &'static str {
    match reason {
        ReportReason::Usm(UsmError::UnknownEngineId) => "Unknown engine ID",
        ReportReason::Usm(UsmError::UnknownUserName) => "Unknown user name",
        ReportReason::Usm(UsmError::UnsupportedSecurityLevel) => "Unsupported security level",
        ReportReason::Usm(UsmError::WrongDigest) => {
            "Authentication failure (incorrect password, community or key)"
        }
        ReportReason::Usm(UsmError::NotInTimeWindow) => "Not in time window",
        ReportReason::Usm(UsmError::DecryptionError) => "Decryption error",
        _ => "Unknown Report message",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_status_has_its_words() {
        for (status, start) in [
            (ErrorStatus::TooBig, "(tooBig)"),
            (ErrorStatus::NoSuchName, "(noSuchName)"),
            (ErrorStatus::GenErr, "(genError)"),
            (ErrorStatus::WrongType, "wrongType"),
            (ErrorStatus::AuthorizationError, "authorizationError"),
            (ErrorStatus::InconsistentName, "inconsistentName"),
            (ErrorStatus::Unknown(77), "Unknown Error"),
        ] {
            assert!(error_status(status).starts_with(start), "{status:?}");
        }
    }
}
