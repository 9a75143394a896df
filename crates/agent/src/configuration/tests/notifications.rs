use varbind_codec::message::Version;
use varbind_engine::applications::command_generator::RetryPolicy;
use varbind_engine::applications::notification::{Notification, NotificationFilter};
use varbind_engine::applications::notification_receiver::NotificationKind;

use super::*;

fn targets(text: &str) -> Vec<ConfiguredTarget> {
    parse(text).unwrap().targets
}

fn target(keys: &str) -> String {
    format!("[[notification-target]]\naddress = \"udp:192.0.2.1\"\ncommunity = \"c\"\n{keys}")
}

#[test]
fn a_target_gets_traps_of_v2c_where_nothing_else_is_written() {
    let targets = targets(&target(""));
    let [target] = &targets[..] else {
        panic!("{targets:?}");
    };
    assert_eq!(target.address.to_string(), "udp:192.0.2.1");
    assert_eq!(target.processing.version(), Version::V2c);
    assert_eq!(target.kind, NotificationKind::Trap);
    assert_eq!((target.retry, target.max_waiting), (None, 1000));
}

#[test]
fn version_kind_and_times_are_those_that_are_written() {
    let version_1 = &targets(&target("version = \"v1\""))[0];
    assert_eq!(version_1.processing.version(), Version::V1);
    let inform = &targets(&target("kind = \"inform\"\ntimeout = \"2s\"\nqueue = 5"))[0];
    assert_eq!(inform.kind, NotificationKind::Inform);
    assert_eq!(inform.max_waiting, 5);
    let retry = RetryPolicy::Fixed {
        timeout: Duration::from_secs(2),
        retries: 5,
    };
    assert_eq!(inform.retry, Some(retry));
}

#[test]
fn what_is_excluded_alone_is_excluded_from_everything() {
    let passes = |filter: &str, name: &str| {
        let notification = Notification::new(0, name.parse().unwrap(), Vec::new());
        let filter = targets(&target(filter))[0].filter.clone();
        NotificationFilter::new(filter).passes(&notification)
    };
    let (cold_start, link_up) = ("1.3.6.1.6.3.1.1.5.1", "1.3.6.1.6.3.1.1.5.4");
    let excluding = "exclude = [\"1.3.6.1.6.3.1.1.5.4\"]";
    assert!(passes("", link_up));
    assert!(passes(excluding, cold_start) && !passes(excluding, link_up));
    let including = "include = [\"1.3.6.1.6.3.1.1.5.4\"]";
    assert!(!passes(including, cold_start) && passes(including, link_up));
}

#[test]
fn mistakes_are_reported_with_their_line() {
    for (text, line, part) in [
        (target("kind = \"inform\"\nversion = \"v1\""), 4, "SNMPv1 has no inform"),
        (target("retries = 3"), 4, "no effect on traps"),
        (target("kind = \"postcard\""), 4, r#"write one of "trap", "inform""#),
        (
            "[[notification-target]]\naddress = \"192.0.2.1\"\ncommunity = \"\"".to_owned(),
            3,
            "must not be empty",
        ),
        (
            "[[notification-target]]\naddress = \"unix:x\"\ncommunity = \"c\"".to_owned(),
            2,
            "not supported",
        ),
        (
            "[[notification-target]]\naddress = \"tcp:x\"\ncommunity = \"c\"\nkind = \"inform\"\nretries = 2"
                .to_owned(),
            5,
            "over streams",
        ),
    ] {
        let error = parse(&text).unwrap_err();
        let ConfigurationError::Invalid {
            place: Some(place),
            message,
            ..
        } = &error
        else {
            panic!("{error}");
        };
        assert_eq!(place.line, line, "{error}");
        assert!(message.contains(part), "{error}");
    }
}

#[test]
fn a_target_of_version_3_has_a_user_of_the_configuration() {
    let user = "[[user]]\nname = \"ops\"\nauthentication = { protocol = \"SHA-256\", password = \"a password\" }\nprivacy = { protocol = \"AES-128\", password = \"a password\" }\n";
    let v3 = |keys: &str| {
        format!("{user}[[notification-target]]\naddress = \"192.0.2.1\"\nversion = \"v3\"\n{keys}")
    };
    let target = &targets(&v3("user = \"ops\"\nkind = \"inform\""))[0];
    assert_eq!(target.processing.version(), Version::V3);
    for (keys, part) in [
        ("user = \"op\"", "there is no [[user]]"),
        ("community = \"c\"", "needs `user`"),
        ("", "needs `user`"),
    ] {
        let error = parse(&v3(keys)).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn another_text_is_another_configuration() {
    let checksum = |text: &str| parse(text).unwrap().checksum;
    assert_eq!(checksum(""), checksum(""));
    assert_ne!(checksum(""), checksum("# a remark"));
}

/// Whether the first target is told of a cold start.
fn is_told_of_cold_starts(text: &str) -> bool {
    let configuration = parse(text).unwrap();
    let cold_start = Notification::new(0, "1.3.6.1.6.3.1.1.5.1".parse().unwrap(), Vec::new());
    configuration.targets[0]
        .principal
        .may_learn(
            &configuration.access_control.clone().build().unwrap(),
            &cold_start,
        )
        .is_ok()
}

#[test]
fn the_view_of_a_target_decides_where_its_community_may_not_ask() {
    let view = |include: &str| format!("[[view]]\nname = \"v\"\ninclude = [{include:?}]\n");
    let with_view = target("view = \"v\"\n");
    assert!(is_told_of_cold_starts(&target("")));
    assert!(is_told_of_cold_starts(
        &(with_view.clone() + &view("1.3.6.1.6"))
    ));
    assert!(!is_told_of_cold_starts(&(with_view + &view("1.3.6.1.2"))));
}

#[test]
fn the_notify_view_of_a_community_decides_where_it_may_ask() {
    let view = "[[view]]\nname = \"v\"\ninclude = [\"1.3.6.1.2\"]\n";
    let community = "[[community]]\nname = \"c\"\n";
    let text = target("") + view + community;
    assert!(is_told_of_cold_starts(&text));
    assert!(!is_told_of_cold_starts(&(text + "view = \"v\"\n")));
    let groups = "access = \"none\"\nsecurity-name = \"n\"\n\
         [[group]]\nname = \"g\"\nsecurity-model = \"v2c\"\nsecurity-names = [\"n\"]\n\
         [[access]]\ngroup = \"g\"\nread = \"all\"\n";
    let text = target("") + community + groups;
    assert!(!is_told_of_cold_starts(&text));
    assert!(is_told_of_cold_starts(&(text + "notify = \"all\"\n")));
}

#[test]
fn the_notify_view_of_a_user_decides() {
    let user = "[[user]]\nname = \"u\"\nlevel = \"noAuthNoPriv\"\n\
         [[notification-target]]\naddress = \"udp:192.0.2.1\"\nversion = \"v3\"\nuser = \"u\"\n";
    assert!(is_told_of_cold_starts(user));
    let nobody = user.replace("level = \"noAuthNoPriv\"", "access = \"none\"");
    assert!(!is_told_of_cold_starts(&nobody));
    let group = "[[group]]\nname = \"g\"\nsecurity-model = \"usm\"\nsecurity-names = [\"u\"]\n\
         [[access]]\ngroup = \"g\"\nnotify = \"all\"\n";
    assert!(!is_told_of_cold_starts(&(nobody.clone() + group)));
    let unprotected = group.to_owned() + "security-level = \"no-auth-no-priv\"\n";
    assert!(is_told_of_cold_starts(&(nobody + &unprotected)));
}

#[test]
fn a_view_beside_a_community_or_user_that_has_one_is_a_mistake() {
    let text = target("view = \"all\"\n") + "[[community]]\nname = \"c\"\n";
    let error = parse(&text).unwrap_err().to_string();
    assert!(error.contains("[[community]]"), "{error}");
    let error = parse(&target("view = \"none\"\n")).unwrap_err().to_string();
    assert!(error.contains("there is no view \"none\""), "{error}");
}
