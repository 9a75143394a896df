//! No secret is shown, whatever is looked at.

use std::fmt::Debug;

use varbind_engine::applications::command_generator::{
    CommandGenerator, GeneratorConfiguration, MessageProcessing,
};
use varbind_engine::security::usm::{AuthenticationProtocol, MasterKey};
use varbind_testkit::v3::user_based::{auth_no_priv, auth_priv, key, password, privacy_key};
use varbind_testkit::v3::{SYS_DESCR, V3Agent};

use crate::exchanges::{configuration, parameters, simulation};

/// Parts of the secrets, in the forms in which they could be shown.
fn secrets() -> Vec<String> {
    let master = |text: &str| {
        let key = MasterKey::derive(AuthenticationProtocol::Sha256, &password(text));
        assert!(!format!("{key:?}").contains("octets"));
        key
    };
    let _ = master("authentication");
    let mut secrets = vec!["authentication\"".to_owned(), "privacyprivacy".to_owned()];
    let octets = [
        key("authentication"),
        privacy_key("privacyprivacy"),
        b"authentication".to_vec(),
        b"privacyprivacy".to_vec(),
    ];
    for octets in octets {
        let octets = &octets[2..6];
        let list: Vec<String> = octets.iter().map(u8::to_string).collect();
        secrets.push(list.join(", "));
        secrets.push(list.join(",\n        "));
        let hex: Vec<String> = octets.iter().map(|octet| format!("{octet:02x}")).collect();
        secrets.push(hex.concat());
    }
    secrets
}

#[track_caller]
fn assert_hidden(shown: &impl Debug, secrets: &[String]) {
    for text in [format!("{shown:?}"), format!("{shown:#?}")] {
        for secret in secrets {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
}

#[test]
fn nothing_shows_a_secret() {
    let secrets = secrets();
    for (name, credentials) in [("ops", auth_priv()), ("signer", auth_no_priv())] {
        assert_hidden(&credentials, &secrets);
        let parameters = parameters(name, credentials);
        assert_hidden(&parameters, &secrets);
        let processing = MessageProcessing::V3(Box::new(parameters.clone()));
        assert_hidden(&processing, &secrets);
        let configuration: GeneratorConfiguration = configuration(parameters);
        assert_hidden(&configuration, &secrets);
        let mut simulation = simulation(configuration, V3Agent::with_users());
        simulation.get(SYS_DESCR);
        let generator: &CommandGenerator = &simulation.generator;
        assert_hidden(generator, &secrets);
        assert!(!format!("{generator:?}").contains("a host"));
        assert_hidden(&simulation.agent.local, &secrets);
        assert_hidden(&simulation.agent.local.users, &secrets);
    }
}

/// What was decrypted for others is no more to be seen than the keys.
#[test]
fn decrypted_content_is_not_shown() {
    let parameters = parameters("ops", auth_priv());
    let mut simulation = simulation(configuration(parameters), V3Agent::with_users());
    simulation.get(SYS_DESCR);
    let shown = format!("{:?}", simulation.generator);
    for secret in ["a host", "97, 32, 104, 111", "6120686f"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
