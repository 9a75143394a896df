use std::fs;
use std::path::Path;

use varbind_lab::security::Password;

use crate::failure::Failure;

/// A password from a file, or else from the environment.
pub(super) fn password(file: Option<&Path>, variable: &str) -> Result<Option<Password>, Failure> {
    let (octets, origin) = match (file, std::env::var_os(variable)) {
        (Some(file), _) => {
            let path = file.display().to_string();
            let octets = fs::read(file)
                .map_err(|error| Failure::Usage(format!("{path} cannot be read: {error}")))?;
            let line = octets.split(|&octet| octet == b'\n').next();
            let line = line.unwrap_or_default();
            (line.strip_suffix(b"\r").unwrap_or(line).to_vec(), path)
        }
        (None, Some(value)) => (value.into_encoded_bytes(), variable.to_owned()),
        (None, None) => return Ok(None),
    };
    let password = Password::new(octets);
    let password = password.map_err(|error| Failure::Usage(format!("{origin}: {error}")))?;
    Ok(Some(password))
}
