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
use super::signals::{Signals, Wish};
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
        // A reload that is going on may still have them. Nothing panics while it holds the lock.
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
        // Before anything is announced: whoever reads it may send a signal at once.
        let signals = Signals::new()?;
        #[cfg(feature = "nats")]
        let cluster = self.join(plan.cluster.as_ref())?;
        let (mut collector, control) = Collector::new(plan, Arc::clone(outputs), page.is_some());
        if let Some(path) = &notifications {
            let intake =
                Intake::of(&collector).map_err(|error| Failure::Usage(error.to_string()))?;
            notifications::receive(path, intake)?;
        }
        let (pages, reloads) = Pages::of(&collector);
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
        runtime.block_on(async {
            tokio::select! {
                () = collector.run() => {}
                () = obey(control, source, signals, (&pages, reloads), outputs, (refresh, warnings)) => {}
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
    /// The text that counts instead of the file's, where collectors share a fleet.
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

    /// Whether the text in NATS counts and not the file.
    fn is_elsewhere(&self) -> bool {
        self.text
            .as_ref()
            .is_some_and(|text| text.borrow().is_some())
    }

    /// Reads a plan, and if everything is renewed, has its outputs run in place of the former ones. It blocks.
    fn renew(&self, outputs: &Mutex<Outputs>, renews: bool) -> Result<Plan, String> {
        let mut plan = self.read().map_err(|error| error.to_string())?;
        let wanted = self.outputs(&mut plan);
        // What collectors share has no outputs of this one.
        if renews && !self.is_elsewhere() {
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

    /// Waits until there is another text.
    async fn changed(&mut self) {
        if let Some(text) = &mut self.text
            && text.changed().await.is_ok()
        {
            return;
        }
        future::pending::<()>().await;
    }
}

/// Reads everything again at SIGHUP, at requests and when the configuration in NATS changes, and inventories now and then, until a signal ends
/// the program.
async fn obey(
    control: Control,
    mut source: Source,
    mut signals: Signals,
    (pages, mut reloads): (&Pages, mpsc::UnboundedReceiver<Reload>),
    outputs: &Arc<Mutex<Outputs>>,
    (refresh, mut warnings): (Duration, Vec<String>),
) {
    let mut ticks = interval(refresh);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.tick().await;
    let mut former_error = String::new();
    loop {
        let mut request = None;
        let renews = tokio::select! {
            Some(reload) = reloads.recv() => {
                request = Some(reload);
                true
            }
            wish = signals.next() => match wish {
                Wish::End => return,
                Wish::Reload => true,
                Wish::Report => {
                    print_message(format_args!("{}", pages.report()));
                    continue;
                }
            },
            _ = ticks.tick() => false,
            () = source.changed() => true,
        };
        if renews {
            service_manager::notify_reloading();
        }
        let (reading, running) = (source.clone(), Arc::clone(outputs));
        let read = tokio::task::spawn_blocking(move || reading.renew(&running, renews)).await;
        let read = read.unwrap_or_else(|error| Err(error.to_string()));
        let read = read.map(|plan| {
            for warning in plan.warnings.iter().filter(|new| !warnings.contains(new)) {
                log::warn!("{warning}");
            }
            warnings.clone_from(&plan.warnings);
            control.replace(plan, renews);
            if renews {
                log::info!("the configuration was read again");
            }
        });
        if let Some(request) = request {
            request.answer(read.clone());
        }
        let error = read.err().unwrap_or_default();
        if !error.is_empty() && (renews || error != former_error) {
            log::warn!("the old configuration stays in force: {error}");
        }
        former_error = error;
        if renews {
            service_manager::notify_ready();
        }
    }
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "it is given to map_err, which passes values"
)]
fn usage(error: FleetError) -> Failure {
    Failure::Usage(error.to_string())
}
