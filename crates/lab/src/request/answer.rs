use std::cmp::Ordering;
use std::fmt;

use varbind_codec::message::{CommunityMessage, Version};
use varbind_codec::pdu::{CommonPdu, ErrorStatus, Pdu, PduType};
use varbind_codec::smi::{EncodedOid, OidRef, ValueRef};
use varbind_engine::security::usm::UsmError;

use super::Request;

/// The parts of a response that identify its request.
#[derive(Clone, Debug)]
pub struct Answer<'a> {
    /// The request-id, which in SNMPv3 is the msgID as well.
    pub id: i32,
    /// The Response-PDU, or in SNMPv3 a Report-PDU in its place.
    pub pdu: CommonPdu<'a>,
}

/// Why a message is not a right answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongAnswer {
    /// It does not decode as a Response-PDU of the right version.
    Undecodable,
    /// error-status says that the request failed.
    Error(ErrorStatus),
    /// It has not the names that it should have, or not in order.
    Names,
    /// It has an exception in place of a value.
    Exception,
    /// Its digest, user, engine, time, context or level is wrong, or its msgID and request-id differ.
    Unauthentic,
    /// It was not encrypted under the user's key.
    Undecryptable,
    /// A Report came in place of a response, with its error if known.
    Report(Option<UsmError>),
}

impl fmt::Display for WrongAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undecodable => f.write_str("an answer that does not decode"),
            Self::Error(status) => write!(f, "error-status {status}"),
            Self::Names => f.write_str("an answer with other names than it should have"),
            Self::Exception => f.write_str("an exception in place of a value"),
            Self::Unauthentic => f.write_str("an answer that is not authentic"),
            Self::Undecryptable => f.write_str("an answer that cannot be decrypted"),
            Self::Report(Some(error)) => write!(f, "a Report: {error}"),
            Self::Report(None) => f.write_str("a Report in place of a response"),
        }
    }
}

/// Reads a message that an agent sent.
///
/// # Errors
/// `Undecodable` if it is not a PDU of this type in a message of this version.
pub fn read_answer(
    message: &[u8],
    version: Version,
    pdu_type: PduType,
) -> Result<Answer<'_>, WrongAnswer> {
    match CommunityMessage::decode(message) {
        Ok(CommunityMessage {
            version: found,
            pdu: Pdu::Common(pdu),
            ..
        }) if found == version && pdu.pdu_type == pdu_type => Ok(Answer {
            id: pdu.request_id,
            pdu,
        }),
        _ => Err(WrongAnswer::Undecodable),
    }
}

/// The error of the user-based security model in a Report, by its first variable binding.
pub(crate) fn usm_report(pdu: &CommonPdu<'_>) -> Option<UsmError> {
    let first = pdu.var_binds.clone().next()?.ok()?;
    UsmError::ALL.into_iter().find(|error| {
        let counter = error.counter().instance();
        first.name.arcs().eq(counter.iter().copied())
    })
}

impl Answer<'_> {
    /// The error-status of a response.
    ///
    /// # Errors
    /// `Report` if it is none.
    pub(super) fn status(&self) -> Result<ErrorStatus, WrongAnswer> {
        match self.pdu.pdu_type {
            PduType::Report => Err(WrongAnswer::Report(usm_report(&self.pdu))),
            _ => Ok(self.pdu.status()),
        }
    }
}

/// What a right answer looks like.
#[derive(Clone, Debug)]
pub enum Expectation {
    /// These names and no others, each with a value.
    Same(Vec<EncodedOid>),
    /// For each name one that follows it; then repetitions of the names after the first `once`.
    Successors {
        /// The names asked for.
        names: Vec<EncodedOid>,
        /// How many are not repeated.
        once: usize,
        /// How often the others may be repeated.
        repetitions: usize,
    },
}

impl Expectation {
    /// What to expect of a request; of a walk nothing, because it looks at each step itself.
    #[must_use]
    pub fn of_request(request: &Request) -> Self {
        let names: Vec<EncodedOid> = request.names().iter().map(EncodedOid::from).collect();
        match request {
            Request::Get { .. } | Request::Set { .. } => Self::Same(names),
            Request::GetNext { .. } | Request::Walk { .. } => Self::Successors {
                once: names.len(),
                names,
                repetitions: 0,
            },
            Request::GetBulk {
                non_repeaters,
                max_repetitions,
                ..
            } => Self::Successors {
                once: usize::from(*non_repeaters).min(names.len()),
                names,
                repetitions: usize::from(*max_repetitions),
            },
        }
    }

    /// Compares an answer with it, and counts the objects in the answer.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self, answer: Answer<'_>) -> Result<u64, WrongAnswer> {
        match answer.status()? {
            ErrorStatus::NoError => {}
            other => return Err(WrongAnswer::Error(other)),
        }
        match self {
            Self::Same(names) => check_same(names, answer),
            Self::Successors {
                names,
                once,
                repetitions,
            } => check_successors(names, *once, *repetitions, answer),
        }
    }
}

fn check_same(names: &[EncodedOid], answer: Answer<'_>) -> Result<u64, WrongAnswer> {
    let mut expected = names.iter();
    let mut objects = 0;
    for var_bind in answer.pdu.var_binds {
        let var_bind = var_bind.map_err(|_| WrongAnswer::Undecodable)?;
        if expected.next().map(EncodedOid::as_oid_ref) != Some(var_bind.name) {
            return Err(WrongAnswer::Names);
        }
        if var_bind.value.is_exception() {
            return Err(WrongAnswer::Exception);
        }
        objects += 1;
    }
    match expected.next() {
        None => Ok(objects),
        Some(_) => Err(WrongAnswer::Names),
    }
}

/// RFC 3416 4.2.2 and 4.2.3: in row order; an agent may cut the repetitions, even to none.
fn check_successors(
    names: &[EncodedOid],
    once: usize,
    repetitions: usize,
    answer: Answer<'_>,
) -> Result<u64, WrongAnswer> {
    let mut before: Vec<OidRef<'_>> = names.iter().map(EncodedOid::as_oid_ref).collect();
    let repeated = names.len() - once;
    let mut objects = 0;
    for (at, var_bind) in answer.pdu.var_binds.enumerate() {
        let var_bind = var_bind.map_err(|_| WrongAnswer::Undecodable)?;
        let column = match at.checked_sub(once) {
            None => at,
            Some(beyond) if repeated > 0 && beyond / repeated < repetitions => {
                once + beyond % repeated
            }
            Some(_) => return Err(WrongAnswer::Names),
        };
        let previous = before.get_mut(column).ok_or(WrongAnswer::Names)?;
        match (compare(var_bind.name, *previous), var_bind.value) {
            (Ordering::Greater, value) if !value.is_exception() => objects += 1,
            (_, ValueRef::EndOfMibView) => {}
            (_, value) if value.is_exception() => return Err(WrongAnswer::Exception),
            _ => return Err(WrongAnswer::Names),
        }
        *previous = var_bind.name;
    }
    if objects == 0 || objects < once as u64 {
        return Err(WrongAnswer::Names);
    }
    Ok(objects)
}

/// The order of names (RFC 2578 section 3.5): sub-identifier by sub-identifier.
pub(super) fn compare(left: OidRef<'_>, right: OidRef<'_>) -> Ordering {
    left.arcs().cmp(right.arcs())
}

#[cfg(test)]
mod tests {
    use varbind_codec::ber::Writer;
    use varbind_codec::smi::Oid;

    use super::*;

    fn response(names: &[(&str, ValueRef<'_>)], status: i32) -> Vec<u8> {
        let mut buffer = [0; 1000];
        let mut writer = Writer::new(&mut buffer, 100).unwrap();
        for (name, value) in names {
            let name: Oid = name.parse().unwrap();
            writer.append_var_bind(name.arcs(), *value).unwrap();
        }
        writer.prepend_pdu(PduType::Response, 5, status, 1).unwrap();
        writer
            .prepend_community_header(Version::V2c, b"public")
            .unwrap();
        writer.written().to_vec()
    }

    fn check(request: &Request, names: &[(&str, ValueRef<'_>)]) -> Result<u64, WrongAnswer> {
        let octets = response(names, 0);
        Expectation::of_request(request).check(read_answer(
            &octets,
            Version::V2c,
            PduType::Response,
        )?)
    }

    fn oids(names: &[&str]) -> Vec<Oid> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    const ONE: ValueRef<'static> = ValueRef::Integer(1);

    #[test]
    fn a_get_must_return_the_names_asked_for() {
        let get = Request::Get {
            names: oids(&["1.3.1", "1.3.2"]),
        };
        assert_eq!(check(&get, &[("1.3.1", ONE), ("1.3.2", ONE)]), Ok(2));
        let swapped = [("1.3.2", ONE), ("1.3.1", ONE)];
        assert_eq!(check(&get, &swapped), Err(WrongAnswer::Names));
        assert_eq!(check(&get, &[("1.3.1", ONE)]), Err(WrongAnswer::Names));
        let exception = [("1.3.1", ONE), ("1.3.2", ValueRef::NoSuchObject)];
        assert_eq!(check(&get, &exception), Err(WrongAnswer::Exception));
    }

    #[test]
    fn a_successor_must_follow() {
        let next = Request::GetNext {
            names: oids(&["1.3.1"]),
        };
        assert_eq!(check(&next, &[("1.3.1.0", ONE)]), Ok(1));
        assert_eq!(check(&next, &[("1.3.1", ONE)]), Err(WrongAnswer::Names));
        assert_eq!(check(&next, &[("1.3.0.5", ONE)]), Err(WrongAnswer::Names));
        assert_eq!(check(&next, &[]), Err(WrongAnswer::Names));
        let two = [("1.3.1.0", ONE), ("1.3.1.1", ONE)];
        assert_eq!(check(&next, &two), Err(WrongAnswer::Names));
    }

    #[test]
    fn repetitions_rise_column_by_column_and_may_be_cut() {
        let bulk = Request::GetBulk {
            names: oids(&["1.2.1", "1.3.1", "1.3.2"]),
            non_repeaters: 1,
            max_repetitions: 2,
        };
        let rows = [
            ("1.2.1.0", ONE),
            ("1.3.1.1", ONE),
            ("1.3.2.1", ONE),
            ("1.3.1.2", ONE),
            ("1.3.2.1", ValueRef::EndOfMibView),
        ];
        assert_eq!(check(&bulk, &rows), Ok(4));
        assert_eq!(check(&bulk, &rows[..4]), Ok(4));
        let mut back = rows;
        back[3].0 = "1.3.1.1";
        assert_eq!(check(&bulk, &back), Err(WrongAnswer::Names));
        let long: Vec<_> = (1..8).map(|_| ("1.4", ONE)).collect();
        assert_eq!(check(&bulk, &long), Err(WrongAnswer::Names));
    }

    #[test]
    fn an_error_status_is_an_error() {
        let get = Request::Get {
            names: oids(&["1.3.1"]),
        };
        let octets = response(&[("1.3.1", ValueRef::Null)], 2);
        let answer = read_answer(&octets, Version::V2c, PduType::Response).unwrap();
        assert_eq!(
            Expectation::of_request(&get).check(answer),
            Err(WrongAnswer::Error(ErrorStatus::NoSuchName))
        );
        assert!(read_answer(&octets, Version::V1, PduType::Response).is_err());
        assert!(read_answer(&octets[1..], Version::V2c, PduType::Response).is_err());
    }
}
