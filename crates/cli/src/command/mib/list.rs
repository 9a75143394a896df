use std::fmt::Write;

use clap::Args;
use varbind_terminal::Failure;
use varbind_terminal::arguments::MibArguments;

use crate::output::Sink;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    mib: MibArguments,
}

impl Arguments {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mib = self.mib.mib()?;
        let catalog = mib.catalog();
        if let Some(catalog) = catalog {
            catalog
                .verify()
                .map_err(|error| Failure::Usage(format!("the catalog: {error}")))?;
        }
        let mut names: Vec<&str> = mib.modules().collect();
        names.sort_unstable();
        let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
        let mut sink = Sink::new();
        for name in names {
            // Writing to a String cannot fail.
            let _ = match catalog.and_then(|catalog| catalog.module(name)) {
                Some(module) => writeln!(
                    sink.text,
                    "{name:width$}  {:>6} objects  {:5}  {:10}  {}",
                    module.object_count(),
                    if module.is_smi_v1() { "SMIv1" } else { "SMIv2" },
                    super::show::date(module.last_updated()),
                    module.file().display()
                ),
                None => writeln!(sink.text, "{name:width$}  built in"),
            };
        }
        sink.write()?;
        Ok(())
    }
}
