//! What is read again at SIGHUP.

use varbind::clock::Clock;
use varbind::engine::applications::notification_receiver::ReceiverConfiguration;
use varbind::engine::security::tsm::TransportSecurityModel;
use varbind::notification::NotificationReceiver;
use varbind_mib::Mib;
use varbind_terminal::{Failure, print_message};

use super::Arguments;
use super::engine::ReceiverEngine;
use super::listen::{self, Servers};
use super::output::Output;
use super::settings::Settings;

/// The settings in force, and what they were read from.
pub(super) struct Reload<'a> {
    arguments: &'a Arguments,
    mib: &'a Mib,
    clock: Clock,
    engine: ReceiverEngine,
    pub(super) settings: Settings,
    pub(super) servers: Servers,
}

impl<'a> Reload<'a> {
    /// The settings of the start, and the configuration that they make.
    pub(super) fn new(
        arguments: &'a Arguments,
        mib: &'a Mib,
        settings: Settings,
        servers: Servers,
        clock: Clock,
    ) -> Result<(Self, ReceiverConfiguration), Failure> {
        let id = arguments.users.plain.security_engine_id;
        let mut reload = Self {
            arguments,
            mib,
            clock,
            engine: ReceiverEngine::unkept(id, clock)?,
            settings,
            servers,
        };
        reload.keep_engine()?;
        let configuration = reload.configuration(&reload.settings)?;
        Ok((reload, configuration))
    }

    /// Keeps the engine on the disk once somebody has to know it. One that is named with `-e` is known without.
    fn keep_engine(&mut self) -> Result<(), Failure> {
        let state = self.settings.state.as_deref();
        let is_named = self.arguments.users.plain.security_engine_id.is_some();
        let is_wanted = state.is_some() || self.settings.uses_v3() && !is_named;
        if is_wanted && !self.engine.is_kept() {
            self.engine = ReceiverEngine::kept(state, self.clock)?;
        }
        Ok(())
    }

    fn configuration(&self, settings: &Settings) -> Result<ReceiverConfiguration, Failure> {
        Ok(ReceiverConfiguration {
            transport_security_model: Some(TransportSecurityModel::default()),
            communities: settings.communities.clone(),
            wanted: settings.wanted(self.mib)?,
            users: settings.users.clone(),
            engine: Some(self.engine.engine.clone()),
        })
    }

    /// Reloads everything, and reports the result. After an error the old settings stay in force.
    pub(super) fn run(&mut self, receiver: &NotificationReceiver, output: &Output) {
        match self.configure(receiver) {
            Ok(()) => print_message(format_args!(
                "the configuration, certificates and keys were read again"
            )),
            Err(failure) => print_message(format_args!(
                "the old configuration, certificates and keys stay in force: {failure}"
            )),
        }
        if let Err(failure) = output.reopen(self.settings.output_file.as_deref()) {
            print_message(format_args!("{failure}; the old file stays open"));
        }
    }

    fn configure(&mut self, receiver: &NotificationReceiver) -> Result<(), Failure> {
        let next = Settings::load(self.arguments)?;
        let servers = listen::Certificates::read(&self.settings.listen, &next)?;
        let fixed = self.settings.fixed_differences(&next);
        if !fixed.is_empty() {
            print_message(format_args!(
                "varbind: warning: {} changed: that counts from the next start on",
                fixed.join(", ")
            ));
        }
        // Settings fixed at the start stay, the rest is new.
        let next = Settings {
            listen: self.settings.listen.clone(),
            state: self.settings.state.clone(),
            ..next
        };
        let former = std::mem::replace(&mut self.settings, next);
        let configured = self
            .keep_engine()
            .and_then(|()| self.configuration(&self.settings))
            .and_then(|configuration| {
                servers.replace(receiver, &self.servers)?;
                Ok(configuration)
            });
        match configured {
            Ok(configuration) => {
                receiver.replace(configuration);
                Ok(())
            }
            Err(failure) => {
                self.settings = former;
                Err(failure)
            }
        }
    }
}
