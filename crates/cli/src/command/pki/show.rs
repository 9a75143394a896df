use std::fmt::{self, Write as _};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args;
use varbind::transport::certificate::{
    CertificateDescription, Fingerprint, HashAlgorithm, Mapping,
};
use varbind_pki::Summary;
use varbind_terminal::Failure;

#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Files with certificates, in PEM or DER
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// The ways in which an agent makes a security name of a certificate, as its configuration names them.
const MAPPINGS: [(&str, Mapping); 5] = [
    ("rfc822", Mapping::Rfc822Name),
    ("dns", Mapping::DnsName),
    ("ip", Mapping::IpAddress),
    ("any", Mapping::AnyAlternativeName),
    ("common-name", Mapping::CommonName),
];

impl Arguments {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut text = String::new();
        for file in &self.files {
            let certificates = varbind_pki::read_certificates(file)?;
            for (number, certificate) in certificates.iter().enumerate() {
                let wrong = |problem: &dyn fmt::Display| {
                    Failure::Usage(format!(
                        "{}: certificate {}: {problem}",
                        file.display(),
                        number + 1
                    ))
                };
                let description =
                    CertificateDescription::read(certificate).map_err(|error| wrong(&error))?;
                let summary = Summary::of(certificate, SystemTime::now())
                    .map_err(|problem| wrong(&problem))?;
                if !text.is_empty() {
                    text.push('\n');
                }
                // Writing to a String cannot fail.
                let _ = show(&mut text, file, certificate, &description, &summary);
            }
        }
        std::io::stdout().write_all(text.as_bytes())?;
        Ok(())
    }
}

fn show(
    text: &mut String,
    file: &Path,
    certificate: &[u8],
    description: &CertificateDescription,
    summary: &Summary,
) -> fmt::Result {
    let kind = if description.is_authority {
        "authority"
    } else {
        "certificate"
    };
    writeln!(text, "{}: {kind}", file.display())?;
    let mut line = |name: &str, value: &str| writeln!(text, "  {name:<14}{value}");
    // The issuer of the certificate must not control the terminal.
    let subject = description.subject.escape_debug().to_string();
    let issuer = if description.subject == description.issuer {
        "itself".to_owned()
    } else {
        description.issuer.escape_debug().to_string()
    };
    line("subject", &subject)?;
    line("issuer", &issuer)?;
    for name in &description.alternative_names {
        line("name", &name.to_string())?;
    }
    let validity = format!("{} to {}", summary.not_before, summary.not_after);
    line("valid", &validity)?;
    line("key", &summary.key)?;
    line("signature", &summary.signature)?;
    line("serial", &summary.serial_number)?;
    line("use", &summary.usages.join(", "))?;
    for algorithm in [
        HashAlgorithm::Sha256,
        HashAlgorithm::Sha384,
        HashAlgorithm::Sha512,
    ] {
        let fingerprint = Fingerprint::of(certificate, algorithm);
        line("fingerprint", &fingerprint.to_string())?;
    }
    if !description.is_authority {
        for (to, mapping) in &MAPPINGS {
            if let Ok(name) = mapping.security_name(description) {
                line("maps to", &format!("{name} (to = \"{to}\")"))?;
            }
        }
    }
    for warning in &summary.warnings {
        line("WARNING", &warning.to_string())?;
    }
    Ok(())
}
