use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use varbind_pki::{
    Authority, Directory, Error, Identity, IfExists, KeyType, Validity, create_directory,
    read_certificates,
};

fn identity() -> Identity {
    Authority::create_identity("a", KeyType::EcdsaP256, Validity::days(9)).unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn keys_are_for_their_owner_alone() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = Directory::new(temporary.path().join("etc/pki"));
    create_directory(directory.path()).unwrap();
    assert_eq!(mode(directory.path()), 0o700);
    let files = directory.agent();
    files.write(&identity(), IfExists::Fail).unwrap();
    assert_eq!(mode(&files.key), 0o600);
    assert_eq!(mode(&files.certificate), 0o644);
    assert_eq!(names(directory.path()), ["agent-key.pem", "agent.pem"]);
    // A directory that is there stays as its owner made it.
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    create_directory(directory.path()).unwrap();
    assert_eq!(mode(directory.path()), 0o755);
}

#[test]
fn files_that_exist_are_left_alone() {
    let temporary = tempfile::tempdir().unwrap();
    let files = Directory::new(temporary.path()).agent();
    for path in [&files.key, &files.certificate] {
        fs::write(path, "precious").unwrap();
        let error = files.write(&identity(), IfExists::Fail).unwrap_err();
        assert!(
            matches!(&error, Error::Exists(found) if found == path),
            "{error}"
        );
        assert!(error.to_string().contains("--force"));
        assert_eq!(fs::read_to_string(path).unwrap(), "precious");
        assert_eq!(
            names(temporary.path()).len(),
            1,
            "nothing remains of the attempt"
        );
        fs::remove_file(path).unwrap();
    }
    // A link that leads nowhere is a name that is taken as well, and is not followed.
    let target = temporary.path().join("elsewhere");
    symlink(&target, &files.key).unwrap();
    assert!(files.write(&identity(), IfExists::Fail).is_err());
    assert!(!target.exists());
}

#[test]
fn files_are_overwritten_when_asked_for_and_get_their_mode() {
    let temporary = tempfile::tempdir().unwrap();
    let files = Directory::new(temporary.path()).manager();
    fs::write(&files.key, "old").unwrap();
    fs::set_permissions(&files.key, fs::Permissions::from_mode(0o666)).unwrap();
    fs::write(&files.certificate, "old").unwrap();
    let identity = identity();
    files.write(&identity, IfExists::Overwrite).unwrap();
    assert_eq!(mode(&files.key), 0o600);
    let written = read_certificates(&files.certificate).unwrap();
    assert_eq!(written, [identity.certificate().to_vec()]);
}

#[test]
fn a_directory_that_is_none_is_reported() {
    let temporary = tempfile::tempdir().unwrap();
    let file = temporary.path().join("file");
    fs::write(&file, "").unwrap();
    let error = create_directory(&file).unwrap_err().to_string();
    assert!(error.contains("this is not a directory"), "{error}");
    let error = create_directory(&file.join("below")).unwrap_err();
    assert!(error.to_string().contains("cannot be created"), "{error}");
    let files = Directory::new(temporary.path().join("missing")).agent();
    let error = files.write(&identity(), IfExists::Fail).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("agent-key.pem cannot be written: No such file"),
        "{error}"
    );
}

#[test]
fn damaged_files_are_reported() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("file.pem");
    for (content, part) in [
        ("", "there is no certificate in this file"),
        ("hello\n", "there is no certificate in this file"),
        ("-----BEGIN CERTIFICATE-----\n", "damaged"),
        (
            "-----BEGIN CERTIFICATE-----\n%\n-----END CERTIFICATE-----\n",
            "damaged",
        ),
        (
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "but a private key",
        ),
    ] {
        fs::write(&path, content).unwrap();
        let error = read_certificates(&path).unwrap_err().to_string();
        assert!(
            error.contains(part) && error.contains("file.pem"),
            "{error}"
        );
    }
}
