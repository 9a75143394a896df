//! The host's PAM. What a host of our own says is tested with the agent.

use varbind::transport::ssh::{Pam, Secret};
use varbind_testkit::peers::skip;

/// What the host's file for other services says is not known here, but nobody has this name.
#[test]
fn a_user_who_does_not_exist_is_refused_in_every_way() {
    let pam = match Pam::load() {
        Ok(pam) => pam,
        Err(refusal) => {
            skip(&refusal.to_string());
            return;
        }
    };
    let address = "192.0.2.1".parse().unwrap();
    let password = Secret::new("not a secret".to_owned());
    let refusal = pam.check_password("no such user", &password, address);
    let told = refusal.unwrap_err().to_string();
    assert!(
        told.starts_with("PAM: ") && !told.contains("secret"),
        "{told}"
    );
    // No text can carry a zero to the other side.
    let zero = Secret::new("with\0zero".to_owned());
    pam.check_password("root", &zero, address).unwrap_err();
    pam.check_account("ro\0ot", address).unwrap_err();
}
