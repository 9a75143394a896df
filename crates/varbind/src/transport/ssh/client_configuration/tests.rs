use proptest::prelude::*;

use super::*;

fn surroundings() -> Surroundings {
    Surroundings {
        home: Some("/home/ops".into()),
        local_user: "ops".into(),
    }
}

fn read(host: &str, text: &str) -> Result<HostSettings, SshError> {
    let surroundings = surroundings();
    let mut reading = Reading {
        host,
        surroundings: &surroundings,
        settings: HostSettings::default(),
    };
    reading.file(Path::new("config"), text, true, 0)?;
    Ok(reading.settings)
}

#[test]
fn the_first_value_that_applies_counts() {
    let text = "\
# a comment
User everybody-before-blocks

Host router? !router9
    HostName %h.example.net
    port=1022
    IdentityFile ~/.ssh/id_router
    IdentityFile \"/etc/keys/with space\"

Match exec \"true\"
    Port 99
Host=*
    User other
    Port 2222
    IdentityFile ~/.ssh/id_last # the last
    StrictHostKeyChecking accept-new
    SomethingNew yes
";
    let router = read("router1", text).unwrap();
    assert_eq!(router.host_name.as_deref(), Some("%h.example.net"));
    assert_eq!(router.user.as_deref(), Some("everybody-before-blocks"));
    assert_eq!(router.port, Some(1022));
    assert_eq!(
        router.identity_files,
        Some(vec![
            "~/.ssh/id_router".into(),
            "/etc/keys/with space".into(),
            "~/.ssh/id_last".into()
        ])
    );
    assert_eq!(router.host_key_checking, Some(HostKeyChecking::AcceptNew));
    let other = read("router9", text).unwrap();
    assert_eq!(other.host_name, None);
    assert_eq!(other.port, Some(2222));
}

#[test]
fn values_are_read_in_every_form() {
    for (line, expected) in [
        ("Port 5161", Some(5161)),
        ("PORT=5161", Some(5161)),
        ("\tport \t = \t5161  # why", Some(5161)),
        ("port \"5161\"", Some(5161)),
        ("#Port 5161", None),
        ("", None),
        ("=", None),
    ] {
        assert_eq!(read("a", line).unwrap().port, expected, "{line}");
    }
}

#[test]
fn a_bad_value_is_reported_with_its_line() {
    for (text, shown) in [
        ("\nPort none", "config:2: port: its value is not a port"),
        ("Port 0", "config:1: port: its value is not a port"),
        ("Port", "config:1: port: its value is missing"),
        (
            "IdentitiesOnly maybe",
            "config:1: identitiesonly: write yes or no",
        ),
    ] {
        assert_eq!(read("a", text).unwrap_err().to_string(), shown);
    }
}

#[test]
fn files_are_included() {
    let directory = tempfile::tempdir().unwrap();
    let main = directory.path().join("config");
    fs::create_dir(directory.path().join("config.d")).unwrap();
    fs::write(
        directory.path().join("config.d/10-first"),
        "Host lab*\n User first\n",
    )
    .unwrap();
    fs::write(
        directory.path().join("config.d/20-second"),
        "User second\nPort 7\n",
    )
    .unwrap();
    let included = directory.path().join("config.d/*");
    fs::write(
        &main,
        format!(
            "Include {} /nonexistent\nHost *\nPort 9",
            included.display()
        ),
    )
    .unwrap();
    let settings =
        |host| HostSettings::read(host, std::slice::from_ref(&main), &surroundings()).unwrap();
    assert_eq!(settings("lab1").user.as_deref(), Some("first"));
    assert_eq!(settings("other").user.as_deref(), Some("second"));
    assert_eq!(settings("other").port, Some(7));
    fs::write(&main, format!("Include {}", main.display())).unwrap();
    let error = HostSettings::read("a", std::slice::from_ref(&main), &surroundings()).unwrap_err();
    assert!(error.to_string().contains("too deeply"), "{error}");
}

#[test]
fn paths_are_expanded() {
    let surroundings = surroundings();
    let tokens = Tokens {
        host_name: "r1.example.net",
        host: "r1",
        port: 5161,
        remote_user: "admin",
        surroundings: &surroundings,
    };
    for (path, expanded) in [
        ("~/.ssh/id_%h", "/home/ops/.ssh/id_r1.example.net"),
        ("/k/%n-%p-%r-%u", "/k/r1-5161-admin-ops"),
        ("%d/%%x%", "/home/ops/%x%"),
        ("/a/%Z", "/a/%Z"),
    ] {
        assert_eq!(tokens.expand(Path::new(path)), Path::new(expanded));
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(?s)(Host|Include|Port|User|IdentityFile|Match|[ \\t\"'#=\n\r%~*!]|\\PC){0,60}") {
        let _ = read("router1", &text);
    }
}
