use varbind_engine::security::usm::{
    AuthenticationProtocol, KeyExtension, Password, PrivacyProtocol,
};

use crate::security::{Account, Protection};

/// The password for authentication of the users that the laboratory gives the agents that it starts.
pub const AUTHENTICATION_PASSWORD: &str = "bench-authentication";
/// The password for privacy of these users.
pub const PRIVACY_PASSWORD: &str = "bench-privacy";

/// The name of the user whose messages are protected so. It is in every message: four letters, as short as a person's would be.
#[must_use]
pub fn user_name(protection: Protection) -> String {
    let authentication = protection.authentication().and_then(|used| {
        AuthenticationProtocol::ALL
            .iter()
            .position(|one| *one == used)
    });
    let privacy = protection.privacy();
    let privacy = privacy.and_then(|used| PrivacyProtocol::ALL.iter().position(|one| *one == used));
    let digit = |place: Option<usize>| place.map_or(0, |place| place + 1);
    format!("us{}{}", digit(authentication), digit(privacy))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_long_as_those_of_people_and_all_different() {
        let mut names: Vec<String> = many_users().into_iter().map(user_name).collect();
        assert!(names.iter().all(|name| name.len() == 4), "{names:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 31);
    }
}
