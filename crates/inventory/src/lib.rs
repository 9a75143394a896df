#![doc = include_str!("../README.md")]

mod connector;
mod credentials;
mod document;
mod error;
mod formats;
mod host;
mod keys;
mod node;
mod range;
mod resolve;
mod secret;
mod selection;
mod settings;
mod source;
mod suggestion;

pub use connector::{Connector, HostError, retry_policy};
pub use credentials::{KeyMaterial, auth_priv, authentication_secret, key_octets, privacy_secret};
pub use error::Error;
pub use host::Host;
pub use keys::Version;
pub use resolve::{HOSTS_VARIABLE, Inventory, usual_files};
pub use secret::{Credential, KeyKind, Secret, SecretError, SecretSource};
pub use selection::is_selection;
pub use settings::Settings;
pub use suggestion::did_you_mean;
