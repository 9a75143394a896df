use varbind_engine::security::usm::{
    AuthenticationProtocol, KeyExtension, Password, PrivacyProtocol,
};

use crate::security::{Account, Protection};

/// The password for authentication of the users that the laboratory gives the agents that it starts.
pub const AUTHENTICATION_PASSWORD: &str = "bench-authentication";
/// The password for privacy of these users.
pub const PRIVACY_PASSWORD: &str = "bench-privacy";

/// The name of the user whose messages are protected so.
#[must_use]
pub fn user_name(protection: Protection) -> String {
    let authentication = protection
        .authentication()
        .map(AuthenticationProtocol::name);
    let privacy = protection.privacy().map(PrivacyProtocol::name);
    ["bench"]
        .into_iter()
        .chain(authentication)
        .chain(privacy)
        .collect::<Vec<_>>()
        .join("-")
}

/// What is known of that user.
pub(super) fn account(protection: Protection) -> Account {
    Account {
        name: user_name(protection),
        authentication_password: Password::new(AUTHENTICATION_PASSWORD).ok(),
        privacy_password: Password::new(PRIVACY_PASSWORD).ok(),
    }
}

/// One user without protection, and one for each pair of six authentication and five privacy protocols: 31.
#[must_use]
pub fn many_users() -> Vec<Protection> {
    const PRIVACY: [PrivacyProtocol; 5] = [
        PrivacyProtocol::Des,
        PrivacyProtocol::Aes128,
        PrivacyProtocol::Aes192(KeyExtension::Blumenthal),
        PrivacyProtocol::Aes256(KeyExtension::Blumenthal),
        PrivacyProtocol::Aes256(KeyExtension::Reeder),
    ];
    let pairs = AuthenticationProtocol::ALL.into_iter().flat_map(|one| {
        PRIVACY
            .into_iter()
            .map(move |other| Protection::AuthPriv(one, other))
    });
    [Protection::NoAuthNoPriv]
        .into_iter()
        .chain(pairs)
        .collect()
}
