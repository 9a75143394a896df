use varbind_codec::pdu::PduType;
use varbind_engine::security::usm::{AuthenticationProtocol, Password, PrivacyProtocol};

use super::*;
use crate::security::{Account, Protection};

const ID: i32 = 0x4000_0007;

fn session(protection: Protection, password: &str) -> EngineSession {
    session_at(protection, password, 200)
}

fn session_at(protection: Protection, password: &str, time: i32) -> EngineSession {
    let account = Account {
        name: "ops".into(),
        authentication_password: Some(Password::new(password).unwrap()),
        privacy_password: Some(Password::new("privacy of ops").unwrap()),
    };
    let user = account.user(protection).unwrap();
    let id = EngineId::new(&[0x80, 0, 0, 1, 5, 6]).unwrap();
    let keys = user.derive_keys().localize(&id).unwrap();
    let mut session = EngineSession::of_user(&user);
    session.adopt(id, keys, EngineTime { boots: 3, time });
    session
}

/// What an agent with the same keys answers.
fn response(agent: &mut EngineSession, request_id: i32) -> Vec<u8> {
    let mut buffer = [0; 200];
    let mut writer = Writer::new(&mut buffer, 100).unwrap();
    let value = varbind_codec::smi::ValueRef::Integer(1);
    writer.append_var_bind(&[1, 3, 6], value).unwrap();
    writer
        .prepend_pdu(PduType::Response, request_id, 0, 0)
        .unwrap();
    let message = agent.enclose(writer.written(), ID);
    message.unwrap().to_vec()
}

fn protections() -> Vec<Protection> {
    let mut protections = vec![Protection::NoAuthNoPriv];
    for authentication in AuthenticationProtocol::ALL {
        protections.push(Protection::AuthNoPriv(authentication));
    }
    for privacy in PrivacyProtocol::ALL {
        let authentication = AuthenticationProtocol::Sha1;
        protections.push(Protection::AuthPriv(authentication, privacy));
    }
    protections
}

#[test]
fn an_answer_is_read_under_every_protection() {
    for protection in protections() {
        let octets = response(&mut session(protection, "password of ops"), ID);
        let mut manager = session(protection, "password of ops");
        let answer = manager.incoming(&octets).unwrap();
        assert_eq!(answer.id, ID);
        assert_eq!(answer.pdu.request_id, ID);
        assert_eq!(answer.pdu.var_binds.count(), 1);
    }
}

#[test]
fn an_answer_with_any_octet_changed_is_refused() {
    for protection in protections().into_iter().skip(1) {
        let octets = response(&mut session(protection, "password of ops"), ID);
        let mut manager = session(protection, "password of ops");
        for at in 0..octets.len() {
            let mut changed = octets.clone();
            changed[at] ^= 0x11;
            assert!(manager.incoming(&changed).is_err(), "{protection}: {at}");
        }
    }
}

#[test]
fn an_answer_that_is_less_protected_or_of_another_request_is_refused() {
    let sha = Protection::AuthNoPriv(AuthenticationProtocol::Sha1);
    let mut manager = session(sha, "password of ops");
    let refused = |manager: &mut EngineSession, octets: &[u8]| manager.incoming(octets).err();
    let plain = response(
        &mut session(Protection::NoAuthNoPriv, "password of ops"),
        ID,
    );
    let unauthentic = Some(WrongAnswer::Unauthentic);
    assert_eq!(refused(&mut manager, &plain), unauthentic);
    let other_key = response(&mut session(sha, "another password"), ID);
    assert_eq!(refused(&mut manager, &other_key), unauthentic);
    let other_id = response(&mut session(sha, "password of ops"), ID + 1);
    assert_eq!(refused(&mut manager, &other_id), unauthentic);
    // An authentic message has set the time before.
    let old = response(&mut session_at(sha, "password of ops", 49), ID);
    assert_eq!(refused(&mut manager, &old), unauthentic);
    let right = response(&mut session(sha, "password of ops"), ID);
    assert_eq!(refused(&mut manager, &right), None);
}
