//! The exporter, in place of snmp_exporter: each request of Prometheus polls an agent.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::runtime::{Builder, Handle};
use varbind::client::{Client, Error as ClientError};
use varbind_agent::service_manager;
use varbind_collector::agents::Agents;
use varbind_collector::exporter::{Exporter, ExporterOptions, Load};
use varbind_collector::exposition::LargeCounters;
use varbind_collector::module::{Error, ModuleConfiguration};
use varbind_terminal::{Failure, print_message};
use varbind_web::WebServer;

use super::signals::{Action, Signals};
use super::{Arguments, listen, sessions};

impl Arguments {
    pub(super) fn run_exporter(&self) -> Result<(), Failure> {
        let configuration = configuration(&self.config_files, self.expand).map_err(usage)?;
        if self.dry_run {
            let ModuleConfiguration { modules, auths, .. } = &configuration;
            let (modules, auths) = (modules.len(), auths.len());
            writeln!(
                io::stdout(),
                "the configuration is valid: {modules} modules, {auths} auths"
            )?;
            return Ok(());
        }
        let addresses = listen::sockets(&self.listen)?;
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ClientError::Runtime)?;
        let inside = runtime.enter();
        let secure = sessions::read(&self.certificate, &self.ssh)?;
        let agents = Arc::new(Agents::new(Client::new()?, secure));
        let load = self.load(Arc::clone(&agents));
        let options = ExporterOptions {
            module_concurrency: self.module_concurrency,
            large_counters: match self.keep_large_counters {
                true => LargeCounters::Keep,
                false => LargeCounters::Wrap,
            },
        };
        let exporter = Exporter::new(load, agents, options, Handle::current()).map_err(usage)?;
        // Before addresses are printed: their reader may send a signal at once.
        let signals = Signals::new()?;
        let server = exporter.serve(&addresses, listen::host_names(&self.hosts));
        let server = server.map_err(|error| listen::failure(&self.listen, &error))?;
        drop(inside);
        for address in server.addresses() {
            print_message(format_args!("listening on http://{address}"));
        }
        service_manager::notify_ready();
        runtime.block_on(serve(&exporter, server, signals));
        // Sessions with agents are not waited for.
        runtime.shutdown_background();
        Ok(())
    }

    /// Reads configuration and certificates, now and at each reload.
    fn load(&self, agents: Arc<Agents>) -> Load {
        let (files, expand) = (self.config_files.clone(), self.expand);
        let (certificate, ssh) = (self.certificate.clone(), self.ssh.clone());
        Box::new(move || {
            let configuration = configuration(&files, expand)?;
            let secure = sessions::read(&certificate, &ssh);
            agents.replace_secure(secure.map_err(|failure| Error::Sessions(failure.to_string()))?);
            Ok(configuration)
        })
    }
}

/// Reads the configuration, which must have modules and auths.
fn configuration(files: &[PathBuf], expand: bool) -> Result<ModuleConfiguration, Error> {
    let configuration = ModuleConfiguration::load(files, expand)?;
    for (what, is_missing) in [
        ("modules", configuration.modules.is_empty()),
        ("auths", configuration.auths.is_empty()),
    ] {
        if is_missing {
            return Err(Error::Missing { what });
        }
    }
    Ok(configuration)
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "it is given to map_err, which passes values"
)]
fn usage(error: Error) -> Failure {
    Failure::Usage(error.to_string())
}

/// Serves until a signal ends it. Agents are polled in this runtime.
async fn serve(exporter: &Exporter, server: WebServer, mut signals: Signals) {
    loop {
        match signals.next().await {
            Action::Terminate => break,
            // An exporter has no report beyond its metrics.
            Action::Report => continue,
            Action::Reload => {}
        }
        service_manager::notify_reloading();
        let exporter = exporter.clone();
        let reloaded = tokio::task::spawn_blocking(move || exporter.reload()).await;
        match reloaded {
            Ok(Ok(())) => log::info!("the configuration, certificates and keys were read again"),
            Ok(Err(error)) => log::warn!("the old configuration stays in force: {error}"),
            Err(error) => log::warn!("the old configuration stays in force: {error}"),
        }
        service_manager::notify_ready();
    }
    service_manager::notify_stopping();
    // Requests in progress need this runtime until they have ended.
    let _ = tokio::task::spawn_blocking(move || server.shutdown()).await;
}
