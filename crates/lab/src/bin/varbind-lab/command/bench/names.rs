use clap::ValueEnum;
use varbind::codec::message::{SecurityLevel, Version};
use varbind_lab::measurement::{Placement, TransportKind};

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum VersionName {
    #[value(name = "1")]
    V1,
    #[value(name = "2c")]
    V2c,
    #[value(name = "3")]
    V3,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[allow(
    clippy::enum_variant_names,
    reason = "the names are those of the standard"
)]
pub(super) enum LevelName {
    #[value(name = "noAuthNoPriv")]
    NoAuthNoPriv,
    #[value(name = "authNoPriv")]
    AuthNoPriv,
    #[value(name = "authPriv")]
    AuthPriv,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum TransportName {
    Udp,
    Tcp,
    Tls,
    Dtls,
    Ssh,
    /// TLS 1.0 and up, in place of tls
    #[cfg(feature = "openssl-tls")]
    LegacyTls,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum PlacementName {
    /// Where the scheduler puts them
    Free,
    /// Both on one core: the least noise
    SameCore,
    /// Each on a core of its own
    SplitCores,
}

impl From<VersionName> for Version {
    fn from(name: VersionName) -> Self {
        match name {
            VersionName::V1 => Self::V1,
            VersionName::V2c => Self::V2c,
            VersionName::V3 => Self::V3,
        }
    }
}

impl From<LevelName> for SecurityLevel {
    fn from(name: LevelName) -> Self {
        match name {
            LevelName::NoAuthNoPriv => Self::NoAuthNoPriv,
            LevelName::AuthNoPriv => Self::AuthNoPriv,
            LevelName::AuthPriv => Self::AuthPriv,
        }
    }
}

impl From<TransportName> for TransportKind {
    fn from(name: TransportName) -> Self {
        match name {
            TransportName::Udp => Self::Udp,
            TransportName::Tcp => Self::Tcp,
            TransportName::Tls => Self::Tls,
            TransportName::Dtls => Self::Dtls,
            TransportName::Ssh => Self::Ssh,
            #[cfg(feature = "openssl-tls")]
            TransportName::LegacyTls => Self::LegacyTls,
        }
    }
}

impl From<PlacementName> for Placement {
    fn from(name: PlacementName) -> Self {
        match name {
            PlacementName::Free => Self::Free,
            PlacementName::SameCore => Self::SameCore,
            PlacementName::SplitCores => Self::SplitCores,
        }
    }
}
