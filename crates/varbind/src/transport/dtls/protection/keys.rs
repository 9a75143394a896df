use aws_lc_rs::aead::{
    AES_128_GCM, AES_256_GCM, Algorithm, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey,
};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::tls_prf;
use zeroize::Zeroizing;

/// A cipher suite.
#[derive(Clone, Copy)]
pub(super) struct Suite {
    aead: &'static Algorithm,
    prf: &'static tls_prf::Algorithm,
    key: usize,
    /// The part of the nonce that follows from the handshake; the rest is in each record.
    salt: usize,
}

impl Suite {
    /// The cipher suite of this number.
    pub(super) fn of(number: [u8; 2]) -> Option<Self> {
        let (aead, prf, key, salt) = match u16::from_be_bytes(number) {
            0xc02b | 0xc02f => (&AES_128_GCM, &tls_prf::P_SHA256, 16, 4),
            0xc02c | 0xc030 => (&AES_256_GCM, &tls_prf::P_SHA384, 32, 4),
            0xcca8 | 0xcca9 => (&CHACHA20_POLY1305, &tls_prf::P_SHA256, 32, 12),
            _ => return None,
        };
        Some(Self {
            aead,
            prf,
            key,
            salt,
        })
    }
}

/// What a handshake has come to.
pub(in super::super) struct Agreement {
    pub(in super::super) cipher_suite: [u8; 2],
    pub(in super::super) master_secret: Zeroizing<[u8; 48]>,
    pub(in super::super) client_random: [u8; 32],
    pub(in super::super) server_random: [u8; 32],
    pub(in super::super) is_server: bool,
    /// The sequence number of the next record to be sent.
    pub(in super::super) next_sequence: u64,
    /// What ended the handshake, if it was our turn last: the peer may not have received it.
    pub(in super::super) last_flight: Vec<Vec<u8>>,
}

/// One direction.
pub(super) struct Direction {
    pub(super) key: LessSafeKey,
    salt: [u8; 12],
    pub(super) has_explicit_nonce: bool,
}

impl Direction {
    fn new(suite: Suite, key: &[u8], salt: &[u8]) -> Result<Self, Unspecified> {
        let mut padded = [0; 12];
        padded
            .iter_mut()
            .zip(salt)
            .for_each(|(place, octet)| *place = *octet);
        Ok(Self {
            key: LessSafeKey::new(UnboundKey::new(suite.aead, key)?),
            salt: padded,
            has_explicit_nonce: suite.salt == 4,
        })
    }

    /// RFC 5288 section 3: what the handshake gave, and what is in the record. RFC 7905 section 2: the sequence number,
    /// with the epoch, is XORed into it.
    pub(super) fn nonce(&self, explicit: [u8; 8]) -> Nonce {
        let mut nonce = self.salt;
        let rest = nonce.iter_mut().skip(4).zip(explicit);
        rest.for_each(|(place, octet)| *place ^= octet);
        Nonce::assume_unique_for_key(nonce)
    }
}

/// Derives the keys (RFC 5246 section 6.3): ours and the peer's.
pub(super) fn directions(
    suite: Suite,
    agreement: &Agreement,
) -> Result<(Direction, Direction), Unspecified> {
    let mut seed = [0; 64];
    let randoms = agreement.server_random.iter();
    let randoms = randoms.chain(&agreement.client_random);
    seed.iter_mut()
        .zip(randoms)
        .for_each(|(place, octet)| *place = *octet);
    let secret = tls_prf::Secret::new(suite.prf, &*agreement.master_secret)?;
    let length = 2 * (suite.key + suite.salt);
    let block = secret.derive(b"key expansion", &seed, length)?;
    let parts = || {
        let (client_key, rest) = block.as_ref().split_at_checked(suite.key)?;
        let (server_key, rest) = rest.split_at_checked(suite.key)?;
        let (client_salt, server_salt) = rest.split_at_checked(suite.salt)?;
        Some(((client_key, client_salt), (server_key, server_salt)))
    };
    let (client, server) = parts().ok_or(Unspecified)?;
    let client = Direction::new(suite, client.0, client.1)?;
    let server = Direction::new(suite, server.0, server.1)?;
    Ok(match agreement.is_server {
        true => (server, client),
        false => (client, server),
    })
}
