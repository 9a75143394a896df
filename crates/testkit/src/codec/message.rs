//! What holds for any octets as a message; shared by tests and the fuzz target `decode_message`.

use varbind_codec::ber::{
    DecodeError, DecodeErrorKind, EncodeError, FrameLength, Writer, frame_length,
};
#[cfg(feature = "experiments")]
use varbind_codec::compression::expand_message;
use varbind_codec::message::{
    CommunityMessage, HeaderData, ScopedPdu, ScopedPduData, UsmSecurityParameters, V3Message,
    Version, message_version,
};
use varbind_codec::pdu::{Pdu, VarBindRef, VarBinds, var_bind_length};
use varbind_codec::smi::{OidScratch, OpaqueNumber, Value, ValueRef};

/// Reads `octets` as a message and checks what must hold whatever they are.
///
/// # Panics
/// When something does not hold.
pub fn check_message(octets: &[u8]) {
    check_v3(octets);
    let framed = frame_length(octets);
    let message = match CommunityMessage::decode(octets) {
        Ok(message) => message,
        Err(error) => return check_error(error, octets),
    };
    let Ok(FrameLength::Octets(length)) = framed else {
        panic!("a message was read where none is framed: {framed:?}");
    };
    assert!(length <= octets.len());
    assert_eq!(message_version(octets).unwrap().0, message.version);
    #[cfg(feature = "experiments")]
    if let Pdu::Common(pdu) = &message.pdu
        && let Err(error) = pdu.admit(|_| false)
    {
        // What it stands for is checked as a message of its own.
        match expand_message(octets, 65_507) {
            Ok(expanded) => check_message(&expanded),
            Err(error) => check_error(error, octets),
        }
        return check_error(error, octets);
    }

    match var_binds(&message.pdu).try_for_each(check_var_bind) {
        Ok(()) => check_second_writing(&message, octets),
        Err(error) => check_error(error, octets),
    }
}

/// The variable bindings of either shape of PDU.
pub fn var_binds<'a>(
    pdu: &Pdu<'a>,
) -> impl Iterator<Item = Result<VarBindRef<'a>, DecodeError>> + use<'a> {
    let var_binds: VarBinds<'a> = match pdu {
        Pdu::Common(pdu) => pdu.var_binds.clone(),
        Pdu::TrapV1(pdu) => pdu.var_binds.clone(),
    };
    var_binds
}

/// Writes the message anew, in the minimal form.
///
/// # Errors
/// Those of the writer.
pub fn write_message<'b>(
    message: &CommunityMessage<'_>,
    buffer: &'b mut [u8],
) -> Result<&'b [u8], EncodeError> {
    let headroom = CommunityMessage::HEADROOM + message.community.len() + 640;
    let mut writer = Writer::new(buffer, headroom)?;
    for var_bind in var_binds(&message.pdu) {
        let VarBindRef { name, value } = var_bind.expect("variable bindings that were read before");
        let before = writer.len();
        let mut scratch = OidScratch::new();
        let arcs = name.decode_into(&mut scratch);
        writer.append_var_bind(arcs, value)?;
        assert_eq!(writer.len() - before, var_bind_length(arcs, &value)?);
    }
    match &message.pdu {
        Pdu::Common(pdu) => writer.prepend_pdu(
            pdu.pdu_type,
            pdu.request_id,
            pdu.error_status,
            pdu.error_index,
        )?,
        Pdu::TrapV1(pdu) => writer.prepend_trap_v1(
            pdu.enterprise.to_oid().arcs(),
            pdu.agent_address,
            pdu.generic_trap,
            pdu.specific_trap,
            pdu.time_stamp,
        )?,
    }
    writer.prepend_community_header(message.version, message.community)?;
    let range = writer.range();
    Ok(&buffer[range])
}

fn check_error(error: DecodeError, octets: &[u8]) {
    assert!(error.offset <= octets.len(), "{error:?}");
    if error.kind == DecodeErrorKind::UnknownVersion(Version::V3.code()) {
        assert_eq!(message_version(octets).unwrap().0, Version::V3);
    }
}

/// What holds for any octets as a message of SNMPv3.
fn check_v3(octets: &[u8]) {
    let message = match V3Message::decode(octets) {
        Ok(message) => message,
        Err(error) => return check_error(error, octets),
    };
    assert_eq!(
        frame_length(octets),
        Ok(FrameLength::Octets(message.length))
    );
    assert!(message.header.msg_id >= 0);
    assert!(message.header.msg_max_size >= HeaderData::LEAST_MAX_SIZE);
    let parameters = match UsmSecurityParameters::decode(message.security_parameters) {
        Ok(parameters) => parameters,
        Err(error) => return check_error(error, octets),
    };
    assert!(parameters.user_name.len() <= UsmSecurityParameters::LONGEST_USER_NAME);
    let digest = parameters.digest_offset
        ..parameters.digest_offset + parameters.authentication_parameters.len();
    assert_eq!(&octets[digest], parameters.authentication_parameters);
    let ScopedPduData::Plaintext(plaintext) = message.data else {
        return;
    };
    let scoped_pdu = match ScopedPdu::decode(plaintext) {
        Ok(scoped_pdu) => scoped_pdu,
        Err(error) => return check_error(error, octets),
    };
    if let Err(error) = var_binds(&scoped_pdu.pdu).try_for_each(check_var_bind) {
        check_error(error, octets);
    }
}

fn check_var_bind(var_bind: Result<VarBindRef<'_>, DecodeError>) -> Result<(), DecodeError> {
    let VarBindRef { name, value } = var_bind?;
    assert!((2..=128).contains(&name.arcs().count()));
    assert_eq!(name.to_string().parse(), Ok(name.to_oid()));
    assert_eq!(Value::from(value).as_value_ref(), value);
    if let ValueRef::Opaque(content) = value
        && let Some(number) = OpaqueNumber::decode(content)
    {
        let mut buffer = [0; 12];
        let again = OpaqueNumber::decode(number.encode(&mut buffer).unwrap());
        // By its text, as a NaN is not equal to itself.
        assert_eq!(format!("{again:?}"), format!("{:?}", Some(number)));
    }
    Ok(())
}

/// What was read and written is read as the same, and is not written otherwise a second time.
fn check_second_writing(message: &CommunityMessage<'_>, octets: &[u8]) {
    let mut first = vec![0; 4 * octets.len() + 1024];
    let first = write_message(message, &mut first).unwrap();
    let again = CommunityMessage::decode(first).unwrap();
    assert_eq!(again.version, message.version);
    assert_eq!(again.community, message.community);
    assert_eq!(again.pdu.pdu_type(), message.pdu.pdu_type());
    for (again, before) in var_binds(&again.pdu).zip(var_binds(&message.pdu)) {
        let (again, before) = (again.unwrap(), before.unwrap());
        assert_eq!(again.name.to_oid(), before.name.to_oid());
        assert_eq!(again.value, before.value);
    }
    let mut second = vec![0; 4 * octets.len() + 1024];
    assert_eq!(write_message(&again, &mut second).unwrap(), first);
}
