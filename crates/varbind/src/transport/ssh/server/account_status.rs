//! Whether an account of the operating system may be used now, by the rules of OpenSSH's server.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::transport::ssh::account::{Account, Shadow};

/// While this file exists, only root may log in.
const NOLOGIN: &str = "/etc/nologin";
/// What the password field of a locked account begins with.
const LOCKED: u8 = b'!';
/// Programs that end a session at once.
const NO_SHELLS: [&str; 2] = ["nologin", "false"];

/// Who decides whether accounts have expired or are locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decides {
    /// `/etc/shadow`.
    Shadow,
    /// PAM, which is asked besides.
    Pam,
}

/// Why an account may not be used now; `None` if it may.
pub(super) fn refuse(account: &Account, decides: Decides) -> Option<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let today = now.map_or(0, |now| now.as_secs() / 86_400);
    let shadow = match decides {
        Decides::Shadow => Shadow::named(&account.name),
        Decides::Pam => None,
    };
    if decides == Decides::Shadow {
        let why = refuse_password(
            account,
            shadow.as_ref(),
            libc::c_long::try_from(today).unwrap_or(0),
        );
        if why.is_some() {
            return why;
        }
    }
    if account.uid != 0 && Path::new(NOLOGIN).exists() {
        return Some(format!("{NOLOGIN} exists: only root may log in"));
    }
    refuse_shell(&account.shell)
}

fn refuse_password(
    account: &Account,
    shadow: Option<&Shadow>,
    today: libc::c_long,
) -> Option<String> {
    if shadow.is_some_and(|shadow| shadow.expiry.is_some_and(|expiry| today > expiry)) {
        return Some("the account has expired".to_owned());
    }
    let password = shadow.map_or(&account.password, |shadow| &shadow.password);
    (password.first() == Some(&LOCKED)).then(|| "the account is locked".to_owned())
}

fn refuse_shell(shell: &Path) -> Option<String> {
    if shell.as_os_str().is_empty() {
        return None;
    }
    let name = shell.file_name().and_then(|name| name.to_str());
    if name.is_some_and(|name| NO_SHELLS.contains(&name)) {
        return Some(format!(
            "its shell is {}: it may not log in",
            shell.display()
        ));
    }
    match fs::metadata(shell) {
        Err(error) => Some(format!("its shell {}: {error}", shell.display())),
        Ok(metadata) if metadata.is_file() && metadata.mode() & 0o111 != 0 => None,
        Ok(_) => Some(format!("its shell {} cannot be executed", shell.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: libc::c_long = 20_000;

    #[test]
    fn expired_and_locked_accounts_are_refused() {
        let account = |password: &str| Account {
            name: "ops".to_owned(),
            uid: 1000,
            gid: 1000,
            home: "/home/ops".into(),
            shell: "/bin/sh".into(),
            password: password.into(),
        };
        let shadow = |password: &str, expiry| {
            let password = password.into();
            Some(Shadow { password, expiry })
        };
        for (password, shadow, expected) in [
            ("x", shadow("$y$...", None), None),
            ("x", shadow("*", Some(TODAY)), None),
            (
                "x",
                shadow("*", Some(TODAY - 1)),
                Some("the account has expired"),
            ),
            ("x", shadow("!", None), Some("the account is locked")),
            ("x", shadow("!$y$...", None), Some("the account is locked")),
            ("x", None, None),
            ("!", None, Some("the account is locked")),
        ] {
            let found = refuse_password(&account(password), shadow.as_ref(), TODAY);
            assert_eq!(found.as_deref(), expected, "{password} {shadow:?}");
        }
    }

    #[test]
    fn only_a_shell_that_starts_lets_a_user_in() {
        for (shell, expected) in [
            ("/bin/sh", None),
            ("", None),
            (
                "/usr/sbin/nologin",
                Some("its shell is /usr/sbin/nologin: it may not log in"),
            ),
            (
                "/bin/false",
                Some("its shell is /bin/false: it may not log in"),
            ),
            (
                "/no/such/shell",
                Some("its shell /no/such/shell: No such file or directory (os error 2)"),
            ),
            (
                "/etc/passwd",
                Some("its shell /etc/passwd cannot be executed"),
            ),
        ] {
            assert_eq!(
                refuse_shell(Path::new(shell)).as_deref(),
                expected,
                "{shell:?}"
            );
        }
    }
}
