use super::error::Error;

/// A step of a data resource identifier (RFC 8040 section 3.5.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) module: Option<String>,
    pub(crate) name: String,
    /// The keys behind `=`.
    pub(crate) keys: Option<Vec<String>>,
}

/// The steps of a path; none for the datastore itself.
pub(crate) fn steps(path: &str) -> Result<Vec<Step>, Error> {
    let path = path.strip_suffix('/').unwrap_or(path);
    if path.is_empty() {
        return Ok(Vec::new());
    }
    path.split('/').map(step).collect()
}

fn step(text: &str) -> Result<Step, Error> {
    let (name, keys) = match text.split_once('=') {
        Some((name, keys)) => {
            let keys: Result<Vec<_>, _> = keys.split(',').map(decoded).collect();
            (decoded(name)?, Some(keys?))
        }
        None => (decoded(text)?, None),
    };
    if name.is_empty() {
        return Err(Error::invalid_value("a step of the path is empty"));
    }
    let (module, name) = match name.split_once(':') {
        Some((module, name)) => (Some(module.to_owned()), name.to_owned()),
        None => (None, name),
    };
    Ok(Step { module, name, keys })
}

/// Undoes percent-encoding.
pub(crate) fn decoded(text: &str) -> Result<String, Error> {
    let wrong = || Error::invalid_value("the percent-encoding is wrong");
    let mut octets = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(octet) = rest.next() {
        octets.push(match octet {
            b'%' => {
                let digit = |octet: Option<u8>| char::from(octet?).to_digit(16);
                let (high, low) = (digit(rest.next()), digit(rest.next()));
                let (high, low) = high.zip(low).ok_or_else(wrong)?;
                u8::try_from(high * 16 + low).map_err(|_| wrong())?
            }
            other => other,
        });
    }
    String::from_utf8(octets).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_split_before_they_are_decoded() {
        let steps = steps("IF-MIB:IF-MIB/ifTable/x=1,a%2Cb,/").unwrap();
        assert_eq!(steps[0].module.as_deref(), Some("IF-MIB"));
        assert_eq!(steps[1].keys, None);
        let keys = ["1", "a,b", ""].map(str::to_owned).to_vec();
        assert_eq!(steps[2].keys, Some(keys));
    }

    #[test]
    fn wrong_paths_are_refused() {
        for path in ["a//b", "a%2", "a%zz", "%ff", "/"] {
            assert!(path == "/" || steps(path).is_err(), "{path}");
        }
        assert!(steps("//").is_err());
    }
}
