use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use varbind::transport::certificate::{Fingerprint, HashAlgorithm};
use varbind_terminal::Failure;

/// A hash algorithm that is not broken.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Hash {
    #[value(name = "sha-256", alias = "sha256")]
    Sha256,
    #[value(name = "sha-384", alias = "sha384")]
    Sha384,
    #[value(name = "sha-512", alias = "sha512")]
    Sha512,
}

impl From<Hash> for HashAlgorithm {
    fn from(hash: Hash) -> Self {
        match hash {
            Hash::Sha256 => Self::Sha256,
            Hash::Sha384 => Self::Sha384,
            Hash::Sha512 => Self::Sha512,
        }
    }
}

/// Who is to read the fingerprint.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// Options and configuration files of varbind: sha256:8a5f..
    Varbind,
    /// SNMP-TLS-TM-MIB, as a value of type x for snmpTlstmCertToTSNFingerprint: 0x048a5f..
    Mib,
    /// Net-SNMP's certSecName and -T: 8A:5F:..
    NetSnmp,
}

#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// File with a certificate, of which the first one counts
    file: PathBuf,

    /// Hash algorithm
    #[arg(long, value_name = "ALGORITHM", default_value = "sha-256")]
    hash: Hash,

    /// Form: as varbind, the MIB or Net-SNMP takes it
    #[arg(long = "for", value_name = "READER", default_value = "varbind")]
    form: Form,
}

impl Arguments {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let certificates = varbind_pki::read_certificates(&self.file)?;
        let first = certificates.first().map_or(&[][..], Vec::as_slice);
        let fingerprint = Fingerprint::of(first, self.hash.into());
        let text = match self.form {
            Form::Varbind => fingerprint.to_string(),
            Form::Mib => format!("0x{}", hexadecimal(&fingerprint.to_octets(), "")),
            Form::NetSnmp => hexadecimal(fingerprint.hash(), ":").to_uppercase(),
        };
        writeln!(std::io::stdout(), "{text}")?;
        Ok(())
    }
}

fn hexadecimal(octets: &[u8], separator: &str) -> String {
    let octets: Vec<_> = octets.iter().map(|octet| format!("{octet:02x}")).collect();
    octets.join(separator)
}
