use std::fmt;

/// Room for what is decrypted. It is kept, so that decrypting allocates nothing, and is not shown.
#[derive(Default)]
pub struct Plaintext(Vec<u8>);

impl Plaintext {
    /// The octets to be decrypted in place.
    pub(super) fn fill(&mut self, encrypted: &[u8]) -> &mut [u8] {
        self.0.clear();
        self.0.extend_from_slice(encrypted);
        &mut self.0
    }
}

impl fmt::Debug for Plaintext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Plaintext(..)")
    }
}
