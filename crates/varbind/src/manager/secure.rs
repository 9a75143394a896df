/// What the secure transports need to open a session.
///
/// Sessions over UDP and TCP take nothing from it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SecureTransportOptions {}
