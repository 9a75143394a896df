//! The configuration of a simulation: `simulation.toml`.

mod group;
mod text;

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use varbind::transport::TransportAddress;
use varbind_engine::security::usm::{
    AuthenticationProtocol, Credentials, Password, PrivacyProtocol,
};
use varbind_engine::security::{SourceAddresses, SourceFilter};

use crate::device::{DeviceGroup, Fleet, Selection};
use crate::recording::Library;
use crate::secure::{SecureServers, SshDocument, TlsDocument};
use crate::settings::SimulationSettings;
use crate::simulation::{SimulatedUser, Simulation, SimulationError};
use group::GroupDocument;

/// The default address to listen on.
const DEFAULT_LISTEN: &str = "udp:127.0.0.1:1161";
/// The default port.
const DEFAULT_PORT: u16 = 1161;

/// The configuration as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Document {
    seed: Option<u64>,
    listen: Vec<String>,
    communities: Vec<String>,
    sources: Vec<String>,
    users: Vec<UserDocument>,
    tls: Option<TlsDocument>,
    ssh: Option<SshDocument>,
    groups: Vec<GroupDocument>,
    /// For messages.
    #[serde(skip)]
    path: Option<PathBuf>,
}

/// A user as it is written.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct UserDocument {
    name: String,
    authentication: Option<SecretDocument>,
    privacy: Option<SecretDocument>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SecretDocument {
    protocol: String,
    password: String,
}

impl fmt::Debug for UserDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserDocument")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// An error in a configuration.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The file cannot be read.
    #[error("{}: it cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// It is no TOML, or has keys that are not known.
    #[error("{}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The problem and its place.
        message: String,
    },
    /// A value cannot be used.
    #[error("{place}: {message}")]
    Value {
        /// The place of the value.
        place: String,
        /// The problem.
        message: String,
    },
}

impl DocumentError {
    pub(crate) fn value(place: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::Value {
            place: place.into(),
            message: message.to_string(),
        }
    }
}

impl Document {
    /// Reads the configuration that the settings name.
    pub(crate) fn read(settings: &SimulationSettings) -> Result<Self, DocumentError> {
        let Some(path) = &settings.configuration else {
            return Ok(Self::default());
        };
        let text = std::fs::read_to_string(path).map_err(|source| DocumentError::Read {
            path: path.clone(),
            source,
        })?;
        let mut document: Self = toml::from_str(&text).map_err(|error| DocumentError::Syntax {
            path: path.clone(),
            message: error.to_string(),
        })?;
        document.path = Some(path.clone());
        Ok(document)
    }

    /// The simulation with these recordings.
    pub(crate) fn simulation(
        &self,
        settings: &SimulationSettings,
        library: Library,
    ) -> Result<Simulation, SimulationError> {
        let simulation = self.checked(settings, library);
        simulation.map_err(|error| match (&self.path, error) {
            (Some(path), SimulationError::Document(DocumentError::Value { place, message })) => {
                let place = format!("{}: {place}", path.display());
                SimulationError::Document(DocumentError::Value { place, message })
            }
            (_, error) => error,
        })
    }

    fn checked(
        &self,
        settings: &SimulationSettings,
        library: Library,
    ) -> Result<Simulation, SimulationError> {
        let groups = self.groups(settings, &library)?;
        let listen = self.listen(settings, &groups)?;
        let seed = settings.seed.or(self.seed).unwrap_or(1);
        Ok(Simulation {
            fleet: Fleet::new(seed, groups)?,
            listen,
            sources: self.sources()?,
            users: self.users()?,
            secure: self.secure()?,
            library,
        })
    }

    fn communities(&self, settings: &SimulationSettings) -> Vec<String> {
        let named = [&settings.communities, &self.communities];
        let named = named
            .into_iter()
            .find(|communities| !communities.is_empty());
        named.cloned().unwrap_or_else(|| vec!["public".to_owned()])
    }

    fn groups(
        &self,
        settings: &SimulationSettings,
        library: &Library,
    ) -> Result<Vec<DeviceGroup>, DocumentError> {
        let communities = self.communities(settings);
        if let Some(addresses) = settings.addresses {
            let document = GroupDocument::of_addresses(addresses);
            return Ok(vec![document.group(
                0,
                library,
                &communities,
                settings.live,
            )?]);
        }
        if self.groups.is_empty() {
            let document = GroupDocument::default();
            return Ok(vec![document.group(
                0,
                library,
                &communities,
                settings.live,
            )?]);
        }
        let groups = self.groups.iter().enumerate();
        groups
            .map(|(at, group)| group.group(at, library, &communities, settings.live))
            .collect()
    }

    fn listen(
        &self,
        settings: &SimulationSettings,
        groups: &[DeviceGroup],
    ) -> Result<Vec<TransportAddress>, DocumentError> {
        if !settings.listen.is_empty() {
            return Ok(settings.listen.clone());
        }
        let default = default_listen(groups);
        let texts = if self.listen.is_empty() {
            &default
        } else {
            &self.listen
        };
        let parse = |text: &String| {
            let address = text.parse();
            address.map_err(|error| DocumentError::value(format!("listen {text:?}"), error))
        };
        texts.iter().map(parse).collect()
    }

    fn sources(&self) -> Result<SourceAddresses, DocumentError> {
        if self.sources.is_empty() {
            return Ok(SourceAddresses::loopback());
        }
        let parse = |text: &String| -> Result<SourceFilter, _> {
            let filter = text.parse();
            filter.map_err(|error| DocumentError::value(format!("sources {text:?}"), error))
        };
        let filters = self.sources.iter().map(parse).collect::<Result<_, _>>()?;
        Ok(SourceAddresses::Within(filters))
    }

    fn secure(&self) -> Result<SecureServers, DocumentError> {
        let directory = self.path.as_deref().and_then(Path::parent);
        let directory = directory.unwrap_or(Path::new(""));
        SecureServers::load(self.tls.as_ref(), self.ssh.as_ref(), directory)
    }

    fn users(&self) -> Result<Vec<SimulatedUser>, DocumentError> {
        self.users.iter().map(UserDocument::user).collect()
    }
}

/// The addresses to listen on if the configuration has none: wildcards for groups whose devices have addresses.
fn default_listen(groups: &[DeviceGroup]) -> Vec<String> {
    let wildcards = |group: &DeviceGroup| match &group.selection {
        Selection::Names(_) => Vec::new(),
        Selection::Addresses(range, ports) => {
            let ports = ports.clone().unwrap_or(DEFAULT_PORT..=DEFAULT_PORT);
            let wildcard = |port| match range.first() {
                IpAddr::V4(_) => format!("udp:0.0.0.0:{port}"),
                IpAddr::V6(_) => format!("udp:[::]:{port}"),
            };
            ports.map(wildcard).collect()
        }
    };
    let wildcards: BTreeSet<_> = groups.iter().flat_map(wildcards).collect();
    match wildcards.is_empty() {
        true => vec![DEFAULT_LISTEN.to_owned()],
        false => wildcards.into_iter().collect(),
    }
}

impl UserDocument {
    fn user(&self) -> Result<SimulatedUser, DocumentError> {
        let place = format!("users {:?}", self.name);
        if !(1..=32).contains(&self.name.len()) {
            let message = "the name of a user has 1 to 32 octets in UTF-8";
            return Err(DocumentError::value(place, message));
        }
        let wrong = |error: &dyn fmt::Display| DocumentError::value(place.clone(), error);
        let password = |secret: &SecretDocument| {
            Password::new(secret.password.as_str()).map_err(|error| wrong(&error))
        };
        let credentials = match (&self.authentication, &self.privacy) {
            (None, None) => Credentials::NoAuthNoPriv,
            (None, Some(_)) => return Err(wrong(&"privacy needs authentication: add it")),
            (Some(authentication), privacy) => {
                let protocol: AuthenticationProtocol = authentication
                    .protocol
                    .parse()
                    .map_err(|error| wrong(&error))?;
                let secret = password(authentication)?;
                match privacy {
                    None => Credentials::auth_no_priv(protocol, &secret),
                    Some(privacy) => {
                        let privacy_protocol: PrivacyProtocol =
                            privacy.protocol.parse().map_err(|error| wrong(&error))?;
                        let privacy_secret = password(privacy)?;
                        Credentials::auth_priv(protocol, &secret, privacy_protocol, &privacy_secret)
                    }
                }
            }
        };
        Ok(SimulatedUser {
            name: self.name.clone(),
            credentials,
        })
    }
}

#[cfg(test)]
mod tests;
