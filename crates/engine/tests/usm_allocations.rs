//! A message of SNMPv3 allocates nothing in the agent, at any level: keys are prepared and room for the plaintext is kept.

use allocation_counter::measure;
use varbind_codec::pdu::PduType;
use varbind_engine::security::SecurityLevel;
use varbind_engine::security::usm::{
    AuthenticationProtocol, Credentials, PrivacyProtocol, UserTable, UsmError,
};
use varbind_testkit::v3::user_based::{Message, key, password, user};
use varbind_testkit::v3::{SYS_UP_TIME, V3Agent};

const LEVELS: [SecurityLevel; 3] = [
    SecurityLevel::NoAuthNoPriv,
    SecurityLevel::AuthNoPriv,
    SecurityLevel::AuthPriv,
];

/// The allocations of one message, after another one like it.
fn allocations(agent: &mut V3Agent, message: &Message) -> u64 {
    let octets = message.encode();
    assert!(agent.handle(&octets).answer().is_some());
    let info = measure(|| {
        assert!(agent.handle(&octets).answer().is_some());
    });
    info.count_total
}

#[test]
fn requests_of_every_level_allocate_nothing() {
    let mut agent = V3Agent::with_users();
    for level in LEVELS {
        assert_eq!(
            allocations(&mut agent, &Message::get(level, SYS_UP_TIME)),
            0
        );
        let bulk = Message {
            pdu_type: PduType::GetBulkRequest,
            max_repetitions: 50,
            ..Message::get(level, "1.3.6.1.2.1.2.2")
        };
        assert_eq!(allocations(&mut agent, &bulk), 0);
    }
}

#[test]
fn reports_allocate_nothing() {
    let mut agent = V3Agent::with_users();
    for level in LEVELS {
        let message = Message {
            user_name: b"nobody".to_vec(),
            ..Message::get(level, SYS_UP_TIME)
        };
        agent.report(&message, UsmError::UnknownUserName.into());
        assert_eq!(allocations(&mut agent, &message), 0);
    }
    let message = Message {
        boots: 0,
        ..Message::get(SecurityLevel::AuthPriv, SYS_UP_TIME)
    };
    assert_eq!(allocations(&mut agent, &message), 0);
    let message = Message {
        key: key("another password"),
        ..Message::get(SecurityLevel::AuthPriv, SYS_UP_TIME)
    };
    assert_eq!(allocations(&mut agent, &message), 0);
}

/// Looking for the user does not depend on how many there are, and takes no room.
#[test]
fn many_users_cost_no_allocation() {
    let credentials = Credentials::auth_priv(
        AuthenticationProtocol::Sha256,
        &password("authentication"),
        PrivacyProtocol::Aes128,
        &password("privacyprivacy"),
    );
    let mut agent = V3Agent::with_users();
    let ops = user("ops", &credentials);
    let others = (0..1000).map(|at| user(&format!("user{at}"), &Credentials::NoAuthNoPriv));
    agent.local.users = UserTable::new(others.chain([ops]));
    let message = Message::get(SecurityLevel::AuthPriv, SYS_UP_TIME);
    assert_eq!(allocations(&mut agent, &message), 0);
}
