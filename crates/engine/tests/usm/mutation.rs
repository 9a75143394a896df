//! What a peer with the right keys may send: anything, behind a valid digest and rightly encrypted.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof, proptest};
use proptest::sample::Index;
use varbind_codec::message::{SecurityLevel, V3Message};
use varbind_codec::pdu::PduType;
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::command_generator::Command;
use varbind_engine::clock::Instant;
use varbind_testkit::oid;
use varbind_testkit::simulator::SimulatedAgent;
use varbind_testkit::v3::user_based::{Message, auth_no_priv, auth_priv};
use varbind_testkit::v3::{SYS_DESCR, V3Agent, check_user_based_message};

use crate::exchanges::{configuration, parameters, simulation};

const LEVELS: [SecurityLevel; 3] = [
    SecurityLevel::NoAuthNoPriv,
    SecurityLevel::AuthNoPriv,
    SecurityLevel::AuthPriv,
];

fn pdu_type() -> impl Strategy<Value = PduType> {
    let types = [
        PduType::GetRequest,
        PduType::GetNextRequest,
        PduType::GetBulkRequest,
        PduType::SetRequest,
        PduType::Response,
        PduType::InformRequest,
        PduType::TrapV2,
        PduType::Report,
    ];
    (0..types.len()).prop_map(move |at| types[at])
}

/// Octets that are changed, put in or left out.
fn changes() -> impl Strategy<Value = Vec<(u8, Index, u8)>> {
    vec(
        (0..3_u8, any::<Index>(), prop_oneof![0..16_u8, any::<u8>()]),
        0..5,
    )
}

fn change(octets: &mut Vec<u8>, changes: &[(u8, Index, u8)]) {
    for (kind, at, octet) in changes {
        if octets.is_empty() {
            return;
        }
        let at = at.index(octets.len());
        match kind {
            0 => octets[at] = *octet,
            1 => octets.insert(at, *octet),
            _ => {
                octets.remove(at);
            }
        }
    }
}

proptest! {
    #[test]
    fn an_agent_withstands_what_is_authentic(
        pdu_type in pdu_type(),
        level in 0..3_usize,
        scoped in changes(),
        outer in changes(),
        max_repetitions in any::<i32>(),
    ) {
        let message = Message {
            pdu_type,
            max_repetitions,
            var_binds: vec![
                VarBind::new(oid(SYS_DESCR), Value::Null),
                VarBind::new(oid("1.3.6.1.2.1.2.2.1.10.3"), Value::Counter64(7)),
            ],
            ..Message::get(LEVELS[level], SYS_DESCR)
        };
        let mut scoped_pdu = message.encode_scoped_pdu();
        change(&mut scoped_pdu, &scoped);
        let message = Message {
            scoped_pdu: Some(scoped_pdu),
            ..message
        };
        let mut agent = V3Agent::with_users();
        check_user_based_message(&mut agent, &message.encode());
        let mut octets = message.encode();
        change(&mut octets, &outer);
        check_user_based_message(&mut agent, &octets);
    }

    #[test]
    fn a_manager_withstands_what_is_authentic(
        is_private in any::<bool>(),
        is_report in any::<bool>(),
        scoped in changes(),
    ) {
        let mut agent = V3Agent::with_users();
        let forge = move |now: Instant, message: &[u8]| {
            let header = V3Message::decode(message).expect("a message").header;
            let level = header.msg_flags.security_level;
            if level == SecurityLevel::NoAuthNoPriv {
                return SimulatedAgent::respond(&mut agent, now, message);
            }
            let answer = Message {
                msg_id: header.msg_id,
                request_id: header.msg_id,
                reportable: false,
                pdu_type: if is_report { PduType::Report } else { PduType::Response },
                ..Message::get(level, SYS_DESCR)
            };
            let mut scoped_pdu = answer.encode_scoped_pdu();
            change(&mut scoped_pdu, &scoped);
            let answer = Message {
                scoped_pdu: Some(scoped_pdu),
                ..answer
            };
            vec![(Duration::ZERO, answer.encode())]
        };
        let parameters = if is_private {
            parameters("ops", auth_priv())
        } else {
            parameters("signer", auth_no_priv())
        };
        let mut simulation = simulation(configuration(parameters), forge);
        // It ends, one way or the other.
        simulation.execute(Command::Get(&[oid(SYS_DESCR)]));
    }
}
