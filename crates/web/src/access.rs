//! The clients of the web services.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HOST};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use varbind::agent::ObjectAccess;
use varbind::transport::places::Place;
use varbind_engine::applications::command_responder::Principal;
use varbind_engine::transport::TransportState;

/// The client at the other end of a connection.
#[derive(Clone, Debug)]
pub(crate) enum Peer {
    /// A client that has to name a community, in a connection with this place.
    Plain(SocketAddr, Arc<Place>),
    /// A client with a certificate; communities are ignored.
    Certified(Arc<TransportState>),
}

impl Peer {
    /// Scheme and authority of the server, by the name that the client used in its request.
    pub(crate) fn origin(&self, headers: &HeaderMap) -> String {
        let scheme = match self {
            Self::Plain(..) => "http",
            Self::Certified(_) => "https",
        };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        format!("{scheme}://{}", host.unwrap_or("localhost"))
    }
}

/// The client is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unauthenticated;

/// The sender of a request with these headers.
pub(crate) fn principal(
    objects: &ObjectAccess,
    peer: &Peer,
    headers: &HeaderMap,
) -> Result<Principal, Unauthenticated> {
    match peer {
        Peer::Certified(state) => Ok(objects.principal_of_transport(state)),
        Peer::Plain(remote, place) => {
            let community = community(headers).ok_or(Unauthenticated)?;
            principal_of_community(objects, &community, *remote, place)
        }
    }
}

/// The sender of a request with a community in its body, or in its headers.
#[cfg(feature = "experiments")]
pub(crate) fn principal_of_body(
    objects: &ObjectAccess,
    peer: &Peer,
    headers: &HeaderMap,
    community: Option<&str>,
) -> Result<Principal, Unauthenticated> {
    match (peer, community) {
        (Peer::Plain(remote, place), Some(community)) => {
            principal_of_community(objects, community.as_bytes(), *remote, place)
        }
        _ => principal(objects, peer, headers),
    }
}

fn principal_of_community(
    objects: &ObjectAccess,
    community: &[u8],
    remote: SocketAddr,
    place: &Place,
) -> Result<Principal, Unauthenticated> {
    let principal = objects.principal_of_community(community, remote);
    let principal = principal.ok_or(Unauthenticated)?;
    place.authenticate();
    Ok(principal)
}

/// Whether a request names its sender before its body.
#[cfg(feature = "experiments")]
pub(crate) fn is_named(peer: &Peer, headers: &HeaderMap) -> bool {
    matches!(peer, Peer::Certified(_)) || headers.contains_key(AUTHORIZATION)
}

/// The community: the password of basic authentication (RFC 7617), whatever the user is called.
fn community(headers: &HeaderMap) -> Option<Vec<u8>> {
    let value = headers.get(AUTHORIZATION)?.as_bytes();
    let (scheme, credentials) = value.split_at_checked(6)?;
    if !scheme.eq_ignore_ascii_case(b"basic ") {
        return None;
    }
    let credentials = STANDARD.decode(credentials.trim_ascii()).ok()?;
    let colon = credentials.iter().position(|octet| *octet == b':')?;
    Some(credentials.get(colon + 1..)?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_community_is_the_password() {
        let with = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, value.parse().unwrap());
            community(&headers)
        };
        assert_eq!(with("Basic OnB1YmxpYw==").unwrap(), b"public");
        assert_eq!(with("basic eDphOmI=").unwrap(), b"a:b");
        for wrong in ["Basic", "Basic !", "Basic eA==", "Bearer OnB1YmxpYw==", ""] {
            assert_eq!(with(wrong), None, "{wrong}");
        }
    }
}
