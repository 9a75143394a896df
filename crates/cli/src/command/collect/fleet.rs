//! A fleet of devices that are polled on a schedule.

use std::collections::BTreeMap;
use std::future;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};
use varbind::client::{Client, Error as ClientError};
use varbind::transport::ssh::SshOptions;
use varbind_agent::service_manager;
use varbind_collector::fleet::{
    Collector, Control, Discovered, FleetError, Intake, Pages, Plan, Prometheus, Reload,
};
use varbind_collector::output::{
    DeliveryConfiguration, Destination, JsonLines, OutputConfiguration, OutputError, Outputs,
};
use varbind_terminal::{Failure, print_message};
use varbind_web::WebServer;

use super::listen::{self, Host, ListenAddress};
use super::signals::{Action, Signals};
use super::{Arguments, notifications, sessions};

/// Requests in flight: those of dead targets must not hold up others.
const IN_FLIGHT: usize = 65_536;
/// How long outputs may take to deliver what they have when the program ends.
const PATIENCE: Duration = Duration::from_secs(10);

impl Arguments {
    pub(super) fn run_fleet(&self, path: &Path) -> Result<(), Failure> {
        let mut discovered = Discovered::default();
        let mut plan = Plan::read(path, &mut discovered).map_err(usage)?;
        for warning in &plan.warnings {
            print_message(format_args!(
                "varbind: warning: {}: {warning}",
                path.display()
            ));
        }
        if self.dry_run {
            let (targets, polls) = plan.size();
            let path = path.display();
            writeln!(
                io::stdout(),
                "{path}: the configuration is valid: {targets} targets, {polls} polls in each interval"
            )?;
            return Ok(());
        }
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ClientError::Runtime)?;
        let source = {
            let _inside = runtime.enter();
            Source {
                path: path.to_owned(),
                text: None,
                client: Client::builder().max_in_flight(IN_FLIGHT).build()?,
                ssh: sessions::ssh_options(&self.ssh),
                json: self.json,
                discovered: Arc::new(Mutex::new(discovered)),
            }
        };
        plan.connect(&source.client, source.ssh.clone());
        let outputs = Outputs::start(&source.outputs(&mut plan));
        let outputs = outputs.map_err(|error: OutputError| Failure::Usage(error.to_string()))?;
        let outputs = Arc::new(Mutex::new(outputs));
        let ended = self.poll(&runtime, source, plan, &outputs);
        // Polls that run are not waited for.
        runtime.shutdown_background();
        // A reload in progress may still share them. Nothing panics while it holds the lock.
        let running = std::mem::take(&mut *outputs.lock().unwrap_or_else(PoisonError::into_inner));
        running.stop(PATIENCE);
        ended
    }

    fn poll(
        &self,
        runtime: &Runtime,
        #[cfg_attr(
            not(feature = "nats"),
            allow(unused_mut, reason = "changed by members of a cluster")
        )]
        mut source: Source,
        plan: Plan,
        outputs: &Arc<Mutex<Outputs>>,
    ) -> Result<(), Failure> {
        let (page, refresh) = (plan.prometheus.clone(), plan.refresh);
        let (warnings, notifications) = (plan.warnings.clone(), plan.notifications.clone());
        let size = plan.size();
        let inside = runtime.enter();
        // Before addresses are printed: their reader may send a signal at once.
        let signals = Signals::new()?;
        #[cfg(feature = "nats")]
        let cluster = self.join(plan.cluster.as_ref())?;
        let (mut collector, control) = Collector::new(plan, Arc::clone(outputs), page.is_some());
        if let Some(path) = &notifications {
            let intake =
                Intake::of(&collector).map_err(|error| Failure::Usage(error.to_string()))?;
            notifications::receive(path, intake)?;
        }
        let (pages, requests) = Pages::of(&collector);
        #[cfg(feature = "nats")]
        if let Some(cluster) = cluster {
            source.text = Some(cluster.configuration());
            collector.share(cluster);
        }
        let server = page.map(|page| self.serve(&pages, &page, &source.path));
        let server = server.transpose()?;
        drop(inside);
        for address in server.iter().flat_map(WebServer::addresses) {
            print_message(format_args!("listening on http://{address}"));
        }
        log::info!("{} targets, {} polls in each interval", size.0, size.1);
        service_manager::notify_ready();
        let reloader = Reloader {
            source,
            control,
            outputs: Arc::clone(outputs),
            pages,
            requests,
            refresh,
            warnings,
            last_error: String::new(),
        };
        runtime.block_on(async {
            tokio::select! {
                () = collector.run() => {}
                () = reloader.run(signals) => {}
            }
        });
        service_manager::notify_stopping();
        Ok(())
    }

    fn serve(&self, pages: &Pages, page: &Prometheus, path: &Path) -> Result<WebServer, Failure> {
        let wrong = |key: &str, text: &str, error: &str| {
            Failure::Usage(format!(
                "{}: prometheus.{key}: {text}: {error}",
                path.display()
            ))
        };
        let mut addresses = Vec::new();
        for text in &page.listen {
            let address: Result<ListenAddress, _> = text.parse();
            addresses.push(address.map_err(|error| wrong("listen", text, &error))?);
        }
        let mut hosts = self.hosts.clone();
        for text in &page.hosts {
            let host: Result<Host, _> = text.parse();
            hosts.push(host.map_err(|error| wrong("hosts", text, &error))?);
        }
        let server = pages.serve(&listen::sockets(&addresses)?, listen::host_names(&hosts));
        server.map_err(|error| listen::failure(&addresses, &error))
    }
}

/// Where plans come from.
#[derive(Clone)]
struct Source {
    path: PathBuf,
    /// The configuration in NATS, in place of the file, where collectors share a fleet.
    text: Option<watch::Receiver<Option<Arc<str>>>>,
    client: Client,
    ssh: SshOptions,
    /// Whether polls go to standard output, too.
    json: bool,
    discovered: Arc<Mutex<Discovered>>,
}

impl Source {
    /// The outputs of a plan, and standard output if it is wanted.
    fn outputs(&self, plan: &mut Plan) -> BTreeMap<String, OutputConfiguration> {
        let mut outputs = std::mem::take(&mut plan.outputs);
        if self.json {
            let stdout = OutputConfiguration {
                delivery: DeliveryConfiguration::default(),
                destination: Destination::JsonLines(JsonLines::default()),
            };
            outputs.insert("standard output".to_owned(), stdout);
        }
        outputs
    }

    /// Whether the configuration comes from NATS and not from the file.
    fn is_in_nats(&self) -> bool {
        self.text
            .as_ref()
            .is_some_and(|text| text.borrow().is_some())
    }

    /// Reads a plan, and with `renews` replaces the outputs. It blocks.
    fn renew(&self, outputs: &Mutex<Outputs>, renews: bool) -> Result<Plan, String> {
        let mut plan = self.read().map_err(|error| error.to_string())?;
        let wanted = self.outputs(&mut plan);
        // The configuration in NATS has no outputs of this collector.
        if renews && !self.is_in_nats() {
            let changes = Outputs::replace(outputs, &wanted, PATIENCE);
            let changes = changes.map_err(|error| error.to_string())?;
            for (what, names) in [
                ("started", changes.started),
                ("replaced", changes.replaced),
                ("removed", changes.removed),
            ] {
                if !names.is_empty() {
                    log::info!("outputs {what}: {}", names.join(", "));
                }
            }
        }
        Ok(plan)
    }

    fn read(&self) -> Result<Plan, FleetError> {
        let mut plan = {
            // A reader that panicked left what former ones found.
            let discovered = self.discovered.lock();
            let mut discovered = discovered.unwrap_or_else(PoisonError::into_inner);
            let text = self.text.as_ref().and_then(|text| text.borrow().clone());
            match text {
                Some(text) => {
                    let path = self.path.with_file_name("fleet in NATS");
                    Plan::parse(&path, &text, &mut discovered)?
                }
                None => Plan::read(&self.path, &mut discovered)?,
            }
        };
        plan.connect(&self.client, self.ssh.clone());
        Ok(plan)
    }

    /// Waits until the configuration in NATS changes.
    async fn changed(&mut self) {
        if let Some(text) = &mut self.text
            && text.changed().await.is_ok()
        {
            return;
        }
        future::pending::<()>().await;
    }
}

/// Reads the plan again while the collector runs.
struct Reloader {
    source: Source,
    control: Control,
    outputs: Arc<Mutex<Outputs>>,
    pages: Pages,
    requests: mpsc::UnboundedReceiver<Reload>,
    /// How often inventories are read.
    refresh: Duration,
    /// Warnings of the plan in force, which are not logged again.
    warnings: Vec<String>,
    last_error: String,
}

impl Reloader {
    /// Reads everything at SIGHUP, at requests and when the configuration in NATS changes, and inventories at their interval, until a signal
    /// ends the program.
    async fn run(mut self, mut signals: Signals) {
        let mut ticks = interval(self.refresh);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks.tick().await;
        loop {
            tokio::select! {
                Some(request) = self.requests.recv() => {
                    let result = self.reload(true).await;
                    request.answer(result);
                }
                action = signals.next() => match action {
                    Action::Terminate => return,
                    Action::Report => print_message(format_args!("{}", self.pages.report())),
                    // The log has the error.
                    Action::Reload => drop(self.reload(true).await),
                },
                _ = ticks.tick() => drop(self.reload(false).await),
                () = self.source.changed() => drop(self.reload(true).await),
            }
        }
    }

    /// Replaces the plan, and with `renews` also outputs and credentials. If anything is wrong, all stay as they were.
    async fn reload(&mut self, renews: bool) -> Result<(), String> {
        if renews {
            service_manager::notify_reloading();
        }
        let result = self.replace(renews).await;
        let error = result.as_ref().err().cloned().unwrap_or_default();
        if !error.is_empty() && (renews || error != self.last_error) {
            log::warn!("the old configuration stays in force: {error}");
        }
        self.last_error = error;
        if renews {
            service_manager::notify_ready();
        }
        result
    }

    async fn replace(&mut self, renews: bool) -> Result<(), String> {
        let (source, outputs) = (self.source.clone(), Arc::clone(&self.outputs));
        let read = tokio::task::spawn_blocking(move || source.renew(&outputs, renews)).await;
        let plan = read.map_err(|error| error.to_string())??;
        let is_new = |warning: &&String| !self.warnings.contains(warning);
        for warning in plan.warnings.iter().filter(is_new) {
            log::warn!("{warning}");
        }
        self.warnings.clone_from(&plan.warnings);
        self.control.replace(plan, renews);
        if renews {
            log::info!("the configuration was read again");
        }
        Ok(())
    }
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "it is given to map_err, which passes values"
)]
fn usage(error: FleetError) -> Failure {
    Failure::Usage(error.to_string())
}
