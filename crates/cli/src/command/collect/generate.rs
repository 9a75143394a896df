//! snmp_exporter's generator, with the MIB compiler of this program.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use clap::Args;
use varbind_collector::module::generator::Generated;
use varbind_terminal::arguments::MibArguments;
use varbind_terminal::{Failure, print_message};

const AFTER: &str = "\
FILE is written as for the generator of snmp_exporter: modules with walk, lookups, overrides and filters, and auths. The modules become the same
as that generator's; docs/collect.md lists what differs. The output has the communities and passwords of FILE, and its permissions unless it exists.";

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    /// What to generate modules from: a generator.yml of snmp_exporter
    #[arg(value_name = "FILE", default_value = "generator.yml")]
    file: PathBuf,

    /// Where the modules are written to; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "snmp.yml")]
    output: PathBuf,

    /// Directory of MIB modules; may be repeated. Without it the usual ones, as for other commands; a catalog of varbind mib compile will do, too
    #[arg(
        short = 'M',
        visible_short_alias = 'm',
        long = "mib-directories",
        visible_alias = "mibs-dir",
        value_name = "DIRECTORY"
    )]
    directories: Vec<String>,
}

impl Arguments {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let directories = (!self.directories.is_empty()).then(|| self.directories.join(":"));
        let mib = MibArguments::of(directories, None).mib()?;
        if mib.catalog().is_none() {
            print_message(format_args!(
                "varbind: warning: no MIB modules were found: only those that are built in are known, without descriptions; -M names directories"
            ));
        }
        let generated = Generated::read(&self.file, &mib);
        let generated = generated.map_err(|error| Failure::Usage(error.to_string()))?;
        for warning in &generated.warnings {
            print_message(format_args!("varbind: warning: {warning}"));
        }
        let yaml = generated.to_yaml();
        let yaml = yaml.map_err(|error| Failure::Usage(error.to_string()))?;
        if self.output == Path::new("-") {
            io::stdout().write_all(yaml.as_bytes())?;
            return Ok(());
        }
        let output = self.output.display();
        self.write(yaml.as_bytes())
            .map_err(|error| Failure::Usage(format!("{output} cannot be written: {error}")))?;
        let (modules, metrics) = (generated.modules(), generated.metrics());
        print_message(format_args!(
            "varbind: {modules} modules with {metrics} metrics in {output}"
        ));
        Ok(())
    }

    /// Replaces the file as a whole: a reader sees the former text or the new one.
    fn write(&self, text: &[u8]) -> io::Result<()> {
        // A symbolic link stays a link.
        let path = fs::canonicalize(&self.output).unwrap_or_else(|_| self.output.clone());
        let permissions = fs::metadata(&path).or_else(|_| fs::metadata(&self.file));
        let mode = permissions.map_or(0o600, |metadata| metadata.permissions().mode() & 0o666);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let other = path.with_file_name(format!(".{name}.new-{}", std::process::id()));
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&other);
        let written = file.and_then(|mut file| {
            file.write_all(text)?;
            file.set_permissions(Permissions::from_mode(mode))?;
            file.sync_all()?;
            fs::rename(&other, &path)
        });
        if written.is_err() {
            // What could not be written need not be there.
            let _ = fs::remove_file(&other);
        }
        written
    }
}
