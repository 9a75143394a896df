//! OpenSSL's program, which checks what we make.

use std::path::Path;
use std::process::Command;

use varbind_testkit::peers::skip;

/// The output of `openssl` with these arguments; `None`, told, where there is none.
pub(crate) fn openssl(arguments: &[&str]) -> Option<(bool, String)> {
    match Command::new("openssl").args(arguments).output() {
        Ok(output) => {
            let text = [output.stdout, output.stderr].concat();
            let text = String::from_utf8_lossy(&text).into_owned();
            Some((output.status.success(), text))
        }
        Err(error) => {
            skip(&format!("openssl cannot be run: {error}"));
            None
        }
    }
}

/// The same, where anything but success is a failure of the test.
pub(crate) fn must(arguments: &[&str]) -> Option<String> {
    let (succeeded, text) = openssl(arguments)?;
    assert!(succeeded, "openssl {arguments:?}: {text}");
    Some(text)
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
