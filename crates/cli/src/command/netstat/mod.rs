//! The network of a host, as netstat shows it: connections, interfaces, routes and counters.

mod connections;
mod interfaces;
mod routes;
mod statistics;

use clap::Args;
use varbind_mib::Mib;
use varbind_terminal::Failure;

use crate::arguments::SessionArguments;
use crate::output::Sink;
use crate::{fleet, session};

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,

    /// Also what waits for connections, and endpoints of UDP (-Ca)
    #[arg(long, help_heading = "View")]
    all: bool,

    /// Interfaces, with what they received and sent (-Ci)
    #[arg(long, conflicts_with = "all", help_heading = "View")]
    interfaces: bool,

    /// The routing table (-Cr)
    #[arg(long, conflicts_with_all = ["all", "interfaces"], help_heading = "View")]
    routes: bool,

    /// Counters of IP, ICMP, TCP, UDP and SNMP that are not zero (-Cs)
    #[arg(long, conflicts_with_all = ["all", "interfaces", "routes"], help_heading = "View")]
    statistics: bool,
}

impl Arguments {
    pub(crate) fn find_host(&mut self) -> Result<(), Failure> {
        fleet::find_one_host(&mut self.session)
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = Mib::builtin();
        let mut session = session::open(&self.session)?;
        let mut sink = Sink::new();
        let (out, session) = (&mut sink.text, &mut session);
        let (shown, served_by) = if self.interfaces {
            (interfaces::append(session, &mib, out)?, "IF-MIB")
        } else if self.routes {
            (routes::append(session, &mib, out)?, "IP-FORWARD-MIB")
        } else if self.statistics {
            (statistics::append(session, &mib, out)?, "IP-MIB or TCP-MIB")
        } else {
            let shown = connections::append(session, &mib, self.all, out)?;
            (shown, "TCP-MIB or UDP-MIB")
        };
        // A host without a connection is nothing unusual.
        let may_be_empty = !(self.all || self.interfaces || self.routes || self.statistics);
        if shown == 0 && !may_be_empty {
            let target = &self.session.target;
            return Err(Failure::ErrorStatus(format!(
                "{target}: the agent shows nothing of this ({served_by})"
            )));
        }
        sink.write()?;
        Ok(())
    }
}
