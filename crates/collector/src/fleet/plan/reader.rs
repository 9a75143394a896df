//! From `fleet.toml` to a plan.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use varbind::Oid;
use varbind_inventory::{Host, Inventory, did_you_mean, is_selection};

use super::{AUTO, Plan, Planned, PlannedJob, Work, beside};
use crate::fleet::choice::Choices;
use crate::fleet::discovered::Discovered;
use crate::fleet::document::{Choose, Document, Targets, Time};
use crate::fleet::error::FleetError;
use crate::fleet::http_sd::HttpSd;
use crate::module::generator::Generated;
use crate::module::{Auth, Module, ModuleConfiguration};
use crate::output::TargetName;
use crate::schedule::ConcurrencyLimits;

/// Makes a plan of a document.
pub(super) struct Reader<'d> {
    path: &'d Path,
    discovered: &'d mut Discovered,
    modules: ModuleConfiguration,
    interval: Duration,
    deadline: Option<Duration>,
    devices: Vec<Planned>,
    positions: HashMap<String, usize>,
    warnings: Vec<String>,
}

impl<'d> Reader<'d> {
    pub(super) fn new(
        path: &'d Path,
        document: &Document,
        discovered: &'d mut Discovered,
    ) -> Result<Self, FleetError> {
        let files: Vec<_> = document
            .snmp_yml
            .iter()
            .map(|file| beside(path, file))
            .collect();
        let mut generated = Vec::new();
        let mut warnings = Vec::new();
        if !document.generator_yml.is_empty() {
            let directories = document.mib_directories.iter();
            let directories: Vec<_> = directories.map(|name| beside(path, name)).collect();
            let mib = discovered
                .mib(&directories)
                .map_err(|error| FleetError::Value {
                    path: path.to_owned(),
                    key: "mib-directories".to_owned(),
                    message: error.to_string(),
                })?;
            for file in &document.generator_yml {
                let file = beside(path, file);
                let mut made = Generated::read(&file, &mib)?;
                warnings.append(&mut made.warnings);
                generated.push((file, made));
            }
        } else if files.is_empty() {
            return Err(FleetError::Value {
                path: path.to_owned(),
                key: "snmp-yml".to_owned(),
                message: "there are no modules: name files of modules here, or in generator-yml"
                    .to_owned(),
            });
        }
        let expands = document.expand_environment_variables;
        let modules = ModuleConfiguration::load_with(&files, generated, expands)?;
        Ok(Self {
            path,
            discovered,
            modules,
            interval: document.interval.0,
            deadline: document.deadline.map(|Time(time)| time),
            devices: Vec::new(),
            positions: HashMap::new(),
            warnings,
        })
    }

    pub(super) fn plan(mut self, document: Document) -> Result<Plan, FleetError> {
        let mut table = Vec::new();
        for (number, choose) in document.choose.iter().enumerate() {
            table.push(self.choice(&format!("choose[{number}]"), choose)?);
        }
        #[cfg(not(feature = "nats"))]
        if document.cluster.is_some() {
            let message = "this program was built without NATS: build it with `--features nats`";
            return Err(self.wrong("cluster", message));
        }
        let choices = Choices::new(table);
        for (number, targets) in document.targets.iter().enumerate() {
            self.targets(&format!("targets[{number}]"), targets, &choices)?;
        }
        if document.targets.is_empty() {
            let message = "there are none: add [[targets]] with hosts, inventory or http-sd";
            return Err(self.wrong("targets", message));
        }
        if self.devices.is_empty() {
            let why = "there are no targets: their files and servers are empty";
            self.warnings.push(why.to_owned());
        }
        if document.outputs.is_empty() && document.prometheus.is_none() {
            let why = "no [output.NAME] and no [prometheus]: values go nowhere";
            self.warnings.push(why.to_owned());
        }
        let usual = ConcurrencyLimits::default();
        let limits = &document.limits;
        let time = |time: Option<Time>, usual| time.map_or(usual, |Time(time)| time);
        Ok(Plan {
            limits: ConcurrencyLimits {
                usual: limits.concurrency.unwrap_or(usual.usual),
                slow: limits.slow_concurrency.unwrap_or(usual.slow),
                patience: time(limits.patience, usual.patience),
                longest_back_off: time(limits.longest_back_off, usual.longest_back_off),
            },
            prometheus: document.prometheus,
            notifications: document
                .notifications
                .map(|notifications| beside(self.path, &notifications.configuration)),
            outputs: document.outputs,
            refresh: document.refresh.0,
            warnings: self.warnings,
            #[cfg(feature = "nats")]
            cluster: document.cluster,
            devices: self.devices,
            choices: Arc::new(choices),
        })
    }

    fn choice(&self, key: &str, choose: &Choose) -> Result<(Oid, Vec<Arc<Module>>), FleetError> {
        let text = choose.object_id.trim_start_matches('.');
        let subtree = text.parse().map_err(|error| {
            self.wrong(
                &format!("{key}.object-id"),
                &format!("{text:?} is not numeric: {error}"),
            )
        })?;
        let modules = choose.modules.iter();
        let modules = modules.map(|name| self.module(&format!("{key}.modules"), name));
        Ok((subtree, modules.collect::<Result<_, _>>()?))
    }

    fn targets(
        &mut self,
        key: &str,
        targets: &Targets,
        choices: &Choices,
    ) -> Result<(), FleetError> {
        let interval = targets.interval.map_or(self.interval, |Time(time)| time);
        let deadline = targets.deadline.map(|Time(time)| time).or(self.deadline);
        let deadline = deadline.unwrap_or(interval / 2);
        if deadline > interval {
            let message = format!(
                "{deadline:?} is longer than the interval, {interval:?}: make it shorter, or the interval longer"
            );
            return Err(self.wrong(&format!("{key}.deadline"), &message));
        }
        let mut jobs = Vec::new();
        for name in &targets.modules {
            let place = format!("{key}.modules");
            let work = match name.as_str() {
                AUTO if choices.is_empty() => {
                    let message = "auto needs entries of [[choose]]";
                    return Err(self.wrong(&place, message));
                }
                AUTO => Work::Choose,
                name => Work::Module(self.module(&place, name)?),
            };
            jobs.push(PlannedJob {
                work,
                interval,
                deadline,
            });
        }
        if jobs.is_empty() {
            let message = "it names no module: name some of snmp-yml or generator-yml, or auto";
            return Err(self.wrong(&format!("{key}.modules"), message));
        }
        let auth = targets.auth.as_ref().map(|name| self.auth(key, name));
        let auth = auth.transpose()?;
        let mut hosts = match targets.hosts.is_empty()
            && targets.inventory.is_empty()
            && !targets.http_sd.is_empty()
        {
            true => Vec::new(),
            false => self.hosts(key, targets)?,
        };
        for server in &targets.http_sd {
            hosts.extend(self.discover(key, server)?);
        }
        for host in hosts {
            self.add(host, auth.as_ref(), &targets.labels, &jobs);
        }
        Ok(())
    }

    /// Adds a target, or jobs to one that another group has too.
    fn add(
        &mut self,
        host: Host,
        auth: Option<&(String, Arc<Auth>)>,
        labels: &BTreeMap<String, String>,
        jobs: &[PlannedJob],
    ) {
        let known = self.positions.get(&host.name);
        if let Some(device) = known.and_then(|position| self.devices.get_mut(*position)) {
            for job in jobs {
                let is_known = |known: &PlannedJob| known.work.name() == job.work.name();
                if !device.jobs.iter().any(is_known) {
                    device.jobs.push(job.clone());
                }
            }
            return;
        }
        let mut all = host.labels.clone();
        all.extend(
            labels
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        // Prometheus drops these labels of targets, too.
        all.retain(|name, _| !name.starts_with("__"));
        let name = TargetName {
            name: host.name.as_str().into(),
            labels: all.into_iter().collect(),
        };
        self.positions.insert(host.name.clone(), self.devices.len());
        self.devices.push(Planned {
            host,
            name: Arc::new(name),
            auth: auth.cloned(),
            jobs: jobs.to_vec(),
            access: Err("no target was made".to_owned()),
        });
    }

    fn hosts(&mut self, key: &str, targets: &Targets) -> Result<Vec<Host>, FleetError> {
        let place = format!("{key}.inventory");
        let mut files = Vec::new();
        for pattern in &targets.inventory {
            files.extend(self.matching(&place, pattern)?);
        }
        let inventory = match files.is_empty() {
            true => Inventory::of_user(),
            false => Inventory::read(&files),
        };
        let inventory = inventory.map_err(|error| self.wrong(&place, &error.to_string()))?;
        self.warnings.extend_from_slice(inventory.warnings());
        if targets.hosts.is_empty() {
            return match files.is_empty() {
                true => Err(self.wrong(key, "it needs hosts, as [\"@all\"], inventory or http-sd")),
                // An empty list of targets is no error: it may be filled later.
                false => Ok(inventory.hosts().to_vec()),
            };
        }
        inventory
            .select(&targets.hosts)
            .map_err(|error| self.wrong(&format!("{key}.hosts"), &error.to_string()))
    }

    /// The targets of a server, with the credentials of the inventory of the user.
    fn discover(&mut self, key: &str, server: &HttpSd) -> Result<Vec<Host>, FleetError> {
        let place = format!("{key}.http-sd");
        let (groups, why) = self.discovered.targets(self.path, server);
        self.warnings.extend(why);
        let inventory = Inventory::of_user();
        let inventory = inventory.map_err(|error| self.wrong(&place, &error.to_string()))?;
        let mut hosts = Vec::new();
        for group in groups {
            for target in &group.targets {
                let selected = match is_selection(target) {
                    true => Err("it is no name or address".to_owned()),
                    false => inventory
                        .select(std::slice::from_ref(target))
                        .map_err(|error| error.to_string()),
                };
                match selected {
                    Ok(selected) => hosts.extend(selected.into_iter().map(|mut host| {
                        host.labels.extend(group.labels.clone());
                        host
                    })),
                    // One wrong target must not keep others from being polled.
                    Err(error) => {
                        let warning =
                            format!("{}: target {target:?} is ignored: {error}", server.url);
                        self.warnings.push(warning);
                    }
                }
            }
        }
        Ok(hosts)
    }

    fn matching(&self, key: &str, pattern: &Path) -> Result<Vec<PathBuf>, FleetError> {
        let path = beside(self.path, pattern);
        if path.exists() {
            return Ok(vec![path]);
        }
        let text = path.to_string_lossy();
        let is_pattern = text.contains(['*', '?', '[']);
        let found =
            glob::glob(&text).map_err(|error| self.wrong(key, &format!("{text}: {error}")))?;
        let files: Vec<_> = found.filter_map(Result::ok).collect();
        match files.is_empty() && !is_pattern {
            true => Err(self.wrong(key, &format!("{text}: there is no such file"))),
            false => Ok(files),
        }
    }

    fn module(&self, key: &str, name: &str) -> Result<Arc<Module>, FleetError> {
        let modules = &self.modules.modules;
        let module = modules.get(name).map(Arc::clone);
        module.ok_or_else(|| self.unknown(key, "module", name, modules.keys()))
    }

    fn auth(&self, key: &str, name: &str) -> Result<(String, Arc<Auth>), FleetError> {
        let auths = &self.modules.auths;
        let auth = auths.get(name).map(Arc::clone);
        let auth =
            auth.ok_or_else(|| self.unknown(&format!("{key}.auth"), "auth", name, auths.keys()))?;
        Ok((name.to_owned(), auth))
    }

    fn unknown<'n>(
        &self,
        key: &str,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'n String>,
    ) -> FleetError {
        let near = did_you_mean(name, known.map(String::as_str));
        self.wrong(
            key,
            &format!("no file of snmp-yml or generator-yml has {what} {name}{near}"),
        )
    }

    fn wrong(&self, key: &str, message: &str) -> FleetError {
        FleetError::Value {
            path: self.path.to_owned(),
            key: key.to_owned(),
            message: message.to_owned(),
        }
    }
}
