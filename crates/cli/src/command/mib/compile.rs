use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use varbind_mib::compile::{CompileOptions, compile};
use varbind_terminal::Failure;
use varbind_terminal::arguments::own_catalog;
use varbind_terminal::progress::ProgressMeter;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Directories; those below them are read too. Of a module that several files have, that of the first directory
    /// counts, and within one the newest
    #[arg(value_name = "DIRECTORY", required = true)]
    directories: Vec<PathBuf>,

    /// Where the catalog is written to; without it, to where all commands look for it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Look for names that a module forgets to import in all other modules
    #[arg(long)]
    permissive: bool,

    /// Do not tell what is wrong with modules
    #[arg(short, long)]
    quiet: bool,
}

impl Arguments {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let output = self.output.clone().or_else(own_catalog).ok_or_else(|| {
            let reason = "neither XDG_DATA_HOME nor HOME is set; name a file with -o";
            Failure::Usage(reason.to_owned())
        })?;
        let options = CompileOptions {
            directories: absolute(&self.directories)?,
            is_recursive: true,
            is_permissive: self.permissive,
        };
        let mut meter = ProgressMeter::new();
        let compilation = compile(&options, |progress| meter.show(progress));
        meter.end();
        let compilation = compilation.map_err(|error| Failure::Usage(error.to_string()))?;
        if !self.quiet {
            for problem in &compilation.problems {
                eprintln!("{problem}");
            }
        }
        let written = match (&self.output, output.parent()) {
            (None, Some(parent)) => fs::create_dir_all(parent),
            _ => Ok(()),
        };
        written
            .and_then(|()| compilation.write(&output))
            .map_err(|error| {
                let output = output.display();
                Failure::Usage(format!("{output} cannot be written: {error}"))
            })?;
        eprintln!(
            "varbind: {} modules with {} objects in {}, {} KiB; problems: {}",
            compilation.modules,
            compilation.objects,
            output.display(),
            compilation.words.len() / 256,
            compilation.problems.len()
        );
        Ok(())
    }
}

/// A catalog is used from anywhere.
fn absolute(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let absolute = |path: &PathBuf| {
        fs::canonicalize(path).map_err(|error| {
            let path: &Path = path;
            Failure::Usage(format!("{} cannot be read: {error}", path.display()))
        })
    };
    paths.iter().map(absolute).collect()
}
