use super::*;

const TEXT: &str = r#"# The whole agent.
state-directory = "STATE" # here

[[user]]
name = "ops" # on call
# Changed every month.
authentication = { protocol = "SHA-256", password = "maplesyrup" } # do not tell
privacy = { password = "applesauce", protocol = "AES-256-Reeder" }

[[user]]
name = "tables"
level = "authNoPriv"
[user.authentication]
# First.
protocol = "SHA"
# Second.
password = "maplesyrup" # third
# Fourth.

[[user]]
name = "dotted"
authentication.protocol = "SHA-512"
authentication.password-file = "password"
privacy.protocol = "DES"
privacy.key = "000102030405060708090a0b0c0d0e0f"

[[user]]
name = "nobody"
level = "noAuthNoPriv"
"#;

fn home(text: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("state");
    let path = directory.path().join("agent.toml");
    fs::write(directory.path().join("password"), "maplesyrup\n").unwrap();
    fs::write(&path, text.replace("STATE", state.to_str().unwrap())).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    (directory, path)
}

#[test]
fn keys_take_the_place_of_passwords_and_all_else_stays() {
    let (directory, path) = home(TEXT);
    let before = fs::read_to_string(&path).unwrap();
    let sealed = seal(&path).unwrap();
    assert_eq!(sealed.replaced, 4);
    assert_eq!(sealed.password_files.len(), 1);
    assert!(sealed.password_files[0].ends_with("password"));
    assert!(!sealed.is_readable_by_others);
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains("maplesyrup") && !text.contains("applesauce"));
    let id = sealed.engine_id;
    assert!(text.contains(&format!("[engine]\nid = \"{id}\"")), "{text}");
    // Line by line but for the secrets: comments and order are as they were.
    let shape = |text: &str| -> Vec<String> {
        let known = text.lines().take_while(|line| *line != "[engine]");
        let without_secrets = known.map(|line| {
            let without_keys = line.replace("password-file", "password");
            let mut parts = without_keys.split('"');
            let mut shape = String::new();
            while let Some(part) = parts.next() {
                shape += part;
                parts.next();
            }
            shape.replace("password", "key")
        });
        without_secrets
            .filter(|line| !line.trim().is_empty())
            .collect()
    };
    assert_eq!(shape(&text).len(), shape(&before).len(), "{text}");
    for comment in [
        "# on call",
        "# do not tell",
        "# Second.",
        "# third",
        "# Fourth.",
    ] {
        assert!(text.contains(comment), "{text}");
    }
    assert!(
        text.contains("authentication = { protocol = \"SHA-256\", key = \""),
        "{text}"
    );
    // Sealed twice is sealed once.
    let again = seal(&path).unwrap();
    assert_eq!((again.replaced, again.engine_id), (0, id));
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    let left: Vec<_> = fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn the_engine_is_the_one_that_the_agent_was_before() {
    let (_directory, path) = home(TEXT);
    let state = path.with_file_name("state");
    fs::create_dir(&state).unwrap();
    let identity = EngineIdentity::start(&state, None).unwrap();
    assert_eq!(seal(&path).unwrap().engine_id, identity.id);
}

#[test]
fn the_mode_stays_and_is_reported_if_others_may_read() {
    let (_directory, path) = home(TEXT);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    assert!(seal(&path).unwrap().is_readable_by_others);
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
}

#[test]
fn users_in_one_line_are_sealed_too() {
    let text = "state-directory = \"STATE\"\nuser = [{ name = \"ops\", level = \"authNoPriv\", \
                authentication = { protocol = \"SHA\", password = \"maplesyrup\" } }]\n";
    let (_directory, path) = home(text);
    assert_eq!(seal(&path).unwrap().replaced, 1);
    assert!(!fs::read_to_string(&path).unwrap().contains("maplesyrup"));
}

#[test]
fn a_file_without_users_stays_as_it_is() {
    let (_directory, path) = home("state-directory = \"STATE\"\n");
    let before = fs::read_to_string(&path).unwrap();
    assert_eq!(seal(&path).unwrap().replaced, 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
}

#[test]
fn a_wrong_file_is_left_alone_and_its_secrets_are_not_told() {
    let wrong = TEXT.replace("\"SHA\"", "\"SHB\"");
    let (_directory, path) = home(&wrong);
    let before = fs::read_to_string(&path).unwrap();
    let error = seal(&path).unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(
        text.contains("SHA-512") && !text.contains("maple"),
        "{text}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
}

#[test]
fn a_comment_at_the_end_stays_with_what_it_follows() {
    let (_directory, path) = home(&format!("{TEXT}# The end of the users.\n"));
    seal(&path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("level = \"noAuthNoPriv\"\n# The end of the users.\n\n[engine]\nid = "),
        "{text}"
    );
}
