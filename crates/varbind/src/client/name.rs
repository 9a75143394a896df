use varbind_codec::smi::Oid;

use super::Error;

/// The name of an object or instance as a caller has it.
///
/// A text is an OBJECT IDENTIFIER (`1.3.6.1.2.1.1.5.0`), or with the feature `mib` also a name that a MIB module defines
/// (`sysName.0`, `IF-MIB::ifDescr`).
#[derive(Clone, Debug)]
pub struct ObjectName(Form);

#[derive(Clone, Debug)]
enum Form {
    Oid(Oid),
    Text(String),
}

impl ObjectName {
    /// The OBJECT IDENTIFIER.
    pub(super) fn resolve(self, names: &Names) -> Result<Oid, Error> {
        match self.0 {
            Form::Oid(oid) => Ok(oid),
            Form::Text(text) => names.resolve(&text),
        }
    }
}

impl From<Oid> for ObjectName {
    fn from(oid: Oid) -> Self {
        Self(Form::Oid(oid))
    }
}

impl From<&Oid> for ObjectName {
    fn from(oid: &Oid) -> Self {
        Self(Form::Oid(oid.clone()))
    }
}

impl From<&str> for ObjectName {
    fn from(text: &str) -> Self {
        Self(Form::Text(text.to_owned()))
    }
}

impl From<String> for ObjectName {
    fn from(text: String) -> Self {
        Self(Form::Text(text))
    }
}

/// What names mean.
#[derive(Debug, Default)]
pub(super) struct Names {
    #[cfg(feature = "mib")]
    pub(super) mib: varbind_mib::Mib,
}

impl Names {
    #[cfg(feature = "mib")]
    fn resolve(&self, text: &str) -> Result<Oid, Error> {
        self.mib.resolve(text).map_err(|error| Error::Name {
            name: text.to_owned(),
            source: Box::new(error),
        })
    }

    #[cfg(not(feature = "mib"))]
    fn resolve(&self, text: &str) -> Result<Oid, Error> {
        text.parse().map_err(|_| Error::Name {
            name: text.to_owned(),
            source: "write numbers with dots between them, or enable the feature mib".into(),
        })
    }
}
