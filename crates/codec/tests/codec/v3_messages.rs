//! Messages of SNMPv3 (RFC 3412 section 6, RFC 3414 section 2.4).

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use varbind_codec::ber::{DecodeErrorKind, EncodeError, Tag, Writer};
use varbind_codec::message::{
    CommunityMessage, HeaderData, MsgFlags, ScopedPdu, ScopedPduData, SecurityLevel,
    UsmSecurityParameters, V3Message, Version, message_version,
};
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::VarBind;
use varbind_testkit::codec::check_message;

use crate::strategies::var_bind;

/// A message in parts.
#[derive(Clone, Debug)]
struct Parts {
    header: HeaderData,
    engine_id: Vec<u8>,
    boots: i32,
    time: i32,
    user_name: Vec<u8>,
    digest: Vec<u8>,
    salt: Vec<u8>,
    context_engine_id: Vec<u8>,
    context_name: Vec<u8>,
    request_id: i32,
    var_binds: Vec<VarBind>,
}

/// Stands for a privacy protocol.
fn flip(octets: &mut [u8]) {
    octets.iter_mut().for_each(|octet| *octet ^= 0xff);
}

impl Parts {
    fn headroom(&self) -> usize {
        let variable = [
            &self.engine_id,
            &self.user_name,
            &self.digest,
            &self.salt,
            &self.context_engine_id,
            &self.context_name,
        ];
        V3Message::HEADROOM + variable.into_iter().map(Vec::len).sum::<usize>()
    }

    fn is_encrypted(&self) -> bool {
        self.header.msg_flags.security_level == SecurityLevel::AuthPriv
    }

    /// The message, and how far from its end the digest begins.
    fn encode(&self) -> Result<(Vec<u8>, usize), EncodeError> {
        let mut buffer = vec![0; 65_535];
        let mut writer = Writer::new(&mut buffer, self.headroom())?;
        for VarBind { name, value } in &self.var_binds {
            writer.append_var_bind(name.arcs(), value.as_value_ref())?;
        }
        writer.prepend_pdu(PduType::GetRequest, self.request_id, i32::MIN, i32::MIN)?;
        writer.prepend_scoped_pdu(&self.context_engine_id, &self.context_name)?;
        if self.is_encrypted() {
            flip(writer.written_mut());
            writer.enclose(Tag::OCTET_STRING)?;
        }
        let parameters = UsmSecurityParameters {
            authoritative_engine_id: &self.engine_id,
            authoritative_engine_boots: self.boots,
            authoritative_engine_time: self.time,
            user_name: &self.user_name,
            authentication_parameters: &self.digest,
            privacy_parameters: &self.salt,
            digest_offset: 0,
        };
        let digest_from_end = writer.prepend_usm_security_parameters(&parameters)?;
        writer.prepend_v3_header(&self.header)?;
        Ok((writer.written().to_vec(), digest_from_end))
    }
}

fn not_negative() -> impl Strategy<Value = i32> {
    prop_oneof![0..300, any::<i32>().prop_map(|number| number & i32::MAX)]
}

fn header() -> impl Strategy<Value = HeaderData> {
    let level = prop_oneof![
        proptest::prelude::Just(SecurityLevel::NoAuthNoPriv),
        proptest::prelude::Just(SecurityLevel::AuthNoPriv),
        proptest::prelude::Just(SecurityLevel::AuthPriv),
    ];
    (
        not_negative(),
        484..=i32::MAX,
        level,
        any::<bool>(),
        1..=i32::MAX,
    )
        .prop_map(
            |(msg_id, msg_max_size, security_level, reportable, msg_security_model)| HeaderData {
                msg_id,
                msg_max_size,
                msg_flags: MsgFlags {
                    security_level,
                    reportable,
                },
                msg_security_model,
            },
        )
}

fn parts() -> impl Strategy<Value = Parts> {
    let octets = |longest: usize| vec(any::<u8>(), 0..=longest);
    (
        header(),
        (octets(32), not_negative(), not_negative()),
        (octets(32), octets(48), octets(8)),
        (octets(32), octets(200)),
        any::<i32>(),
        vec(var_bind(), 0..4),
    )
        .prop_map(
            |(header, engine, security, context, request_id, var_binds)| Parts {
                header,
                engine_id: engine.0,
                boots: engine.1,
                time: engine.2,
                user_name: security.0,
                digest: security.1,
                salt: security.2,
                context_engine_id: context.0,
                context_name: context.1,
                request_id,
                var_binds,
            },
        )
}

proptest! {
    #[test]
    fn a_message_of_v3_is_read_as_it_was_written(parts in parts()) {
        let (octets, digest_from_end) = parts.encode().unwrap();
        check_message(&octets);
        let message = V3Message::decode(&octets).unwrap();
        prop_assert_eq!(message.header, parts.header);
        let usm = UsmSecurityParameters::decode(message.security_parameters).unwrap();
        prop_assert_eq!(usm.authoritative_engine_id, &parts.engine_id[..]);
        prop_assert_eq!(usm.authoritative_engine_boots, parts.boots);
        prop_assert_eq!(usm.authoritative_engine_time, parts.time);
        prop_assert_eq!(usm.user_name, &parts.user_name[..]);
        prop_assert_eq!(usm.authentication_parameters, &parts.digest[..]);
        prop_assert_eq!(usm.privacy_parameters, &parts.salt[..]);
        prop_assert_eq!(usm.digest_offset, octets.len() - digest_from_end);
        let mut decrypted = Vec::new();
        let plaintext = match message.data {
            ScopedPduData::Plaintext(plaintext) => plaintext,
            ScopedPduData::Encrypted(encrypted) => {
                decrypted.extend_from_slice(encrypted);
                flip(&mut decrypted);
                // A privacy protocol pads.
                decrypted.extend([0; 7]);
                varbind_codec::ber::Reader::new(&decrypted)
            }
        };
        prop_assert_eq!(matches!(message.data, ScopedPduData::Encrypted(_)), parts.is_encrypted());
        let scoped = ScopedPdu::decode(plaintext).unwrap();
        prop_assert_eq!(scoped.context_engine_id, &parts.context_engine_id[..]);
        prop_assert_eq!(scoped.context_name, &parts.context_name[..]);
        let Pdu::Common(pdu) = scoped.pdu else { panic!("a trap") };
        prop_assert_eq!(pdu.request_id, parts.request_id);
        let read: Vec<_> = pdu
            .var_binds
            .map(|var_bind| var_bind.unwrap().to_owned())
            .collect();
        prop_assert_eq!(read, parts.var_binds);
    }

    #[test]
    fn the_headers_take_no_more_than_the_headroom(parts in parts()) {
        let var_binds: usize = parts
            .var_binds
            .iter()
            .map(|VarBind { name, value }| {
                varbind_codec::pdu::var_bind_length(name.arcs(), &value.as_value_ref()).unwrap()
            })
            .sum();
        let (octets, _) = parts.encode().unwrap();
        prop_assert!(octets.len() - var_binds <= parts.headroom());
    }

    #[test]
    fn every_truncation_of_a_message_of_v3_is_an_error_in_the_input(parts in parts()) {
        let (octets, _) = parts.encode().unwrap();
        for length in 0..octets.len() {
            let error = V3Message::decode(&octets[..length]).unwrap_err();
            prop_assert!(error.offset <= length, "{error:?} in {length} octets");
        }
    }

    #[test]
    fn a_changed_octet_of_a_message_of_v3_does_no_harm(
        parts in parts(),
        changes in vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let (mut octets, _) = parts.encode().unwrap();
        for (at, octet) in changes {
            let at = at.index(octets.len());
            octets[at] = octet;
        }
        check_message(&octets);
    }
}

fn example() -> Parts {
    Parts {
        header: HeaderData {
            msg_id: 7,
            msg_max_size: 1472,
            msg_flags: MsgFlags {
                security_level: SecurityLevel::AuthNoPriv,
                reportable: true,
            },
            msg_security_model: 3,
        },
        engine_id: b"\x80\0\x7e\xd9\x04host".to_vec(),
        boots: 1,
        time: 2,
        user_name: b"ops".to_vec(),
        digest: vec![0; 12],
        salt: Vec::new(),
        context_engine_id: b"\x80\0\x7e\xd9\x04host".to_vec(),
        context_name: Vec::new(),
        request_id: 1,
        var_binds: Vec::new(),
    }
}

fn header_error(header: HeaderData) -> DecodeErrorKind {
    let (octets, _) = Parts {
        header,
        ..example()
    }
    .encode()
    .unwrap();
    V3Message::decode(&octets).unwrap_err().kind
}

/// RFC 3412 6: the ranges of HeaderData.
#[test]
fn a_header_outside_its_ranges_is_an_error() {
    let header = example().header;
    let wrong = [
        HeaderData {
            msg_id: -1,
            ..header
        },
        HeaderData {
            msg_max_size: 483,
            ..header
        },
        HeaderData {
            msg_max_size: -1,
            ..header
        },
        HeaderData {
            msg_security_model: 0,
            ..header
        },
    ];
    for header in wrong {
        assert_eq!(header_error(header), DecodeErrorKind::IntegerOutOfRange);
    }
}

/// RFC 3412 7.2 (5): priv without auth is an error of its own, other bits are ignored.
#[test]
fn flags_are_read_by_their_bits() {
    let (octets, _) = example().encode().unwrap();
    let flags = octets.windows(3).position(|w| w == [4, 1, 5]).unwrap() + 2;
    let with_flags = |value: u8| {
        let mut octets = octets.clone();
        octets[flags] = value;
        V3Message::decode(&octets).map(|message| message.header.msg_flags)
    };
    for value in 0..=u8::MAX {
        let found = with_flags(value);
        match value & 3 {
            2 => assert_eq!(
                found.unwrap_err().kind,
                DecodeErrorKind::PrivacyWithoutAuthentication
            ),
            // What is to be encrypted is not.
            3 => assert!(matches!(
                found.unwrap_err().kind,
                DecodeErrorKind::UnexpectedTag { .. }
            )),
            _ => assert_eq!(found.unwrap().octet(), value & 7),
        }
        if let Some(flags) = MsgFlags::from_octet(value) {
            assert_eq!(flags.octet(), value & 7);
        }
    }
}

#[test]
fn flags_of_another_length_are_an_error() {
    let (octets, _) = example().encode().unwrap();
    let at = octets.windows(3).position(|w| w == [4, 1, 5]).unwrap();
    // The flags become an empty OCTET STRING, and what followed one of the wrong type.
    let mut octets = octets;
    octets[at + 1] = 0;
    let error = V3Message::decode(&octets).unwrap_err();
    assert_eq!(error.kind, DecodeErrorKind::WrongContentLength);
    assert_eq!(error.offset, at);
}

/// RFC 3414 2.4: msgUserName (SIZE(0..32)).
#[test]
fn a_user_name_of_more_than_32_octets_is_an_error() {
    let decode = |length: usize| {
        let parts = Parts {
            user_name: vec![b'a'; length],
            ..example()
        };
        let (octets, _) = parts.encode().unwrap();
        let message = V3Message::decode(&octets).unwrap();
        UsmSecurityParameters::decode(message.security_parameters).map(|_| ())
    };
    assert_eq!(decode(32), Ok(()));
    assert_eq!(
        decode(33).unwrap_err().kind,
        DecodeErrorKind::WrongContentLength
    );
}

#[test]
fn each_decoder_refuses_the_other_versions() {
    let (octets, _) = example().encode().unwrap();
    assert_eq!(message_version(&octets).unwrap().0, Version::V3);
    assert_eq!(
        CommunityMessage::decode(&octets).unwrap_err().kind,
        DecodeErrorKind::UnknownVersion(3)
    );
    let mut community = octets;
    let version = community.windows(3).position(|w| w == [2, 1, 3]).unwrap();
    community[version + 2] = 1;
    assert_eq!(
        V3Message::decode(&community).unwrap_err().kind,
        DecodeErrorKind::UnknownVersion(1)
    );
}
