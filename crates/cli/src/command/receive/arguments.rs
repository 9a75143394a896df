use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use clap::Args;
use varbind::engine::access_control::{ViewMask, ViewTreeFamily};
use varbind::engine::applications::notification::NotificationFilter;
use varbind::engine::applications::notification_receiver::{NotificationUser, Wanted};
use varbind::engine::security::{
    Community, CommunityTable, SecurityName, SourceAddresses, SourceFilter,
};
use varbind::transport::TransportAddress;
use varbind_mib::Mib;

use crate::arguments::{
    CertificateArguments, MapArguments, OutputArguments, SshServerArguments, UserArguments, seconds,
};
use crate::credentials;
use crate::failure::Failure;
use crate::session;

const AFTER: &str = "\
Without --listen, only senders on this host are heard: UDP and TCP, port 162, addresses 127.0.0.1 and ::1. Without
--community, the community public may send, from this host; a community that is given may send from anywhere that is
listened to, or from --source alone. Over TLS and DTLS, who may send is said by --trust and --map.

SIGHUP has certificates, revocation lists and keys of TLS, DTLS and SSH read again. SIGTERM and SIGINT end the program; what was
received and what was lost, by reason, is told on standard error then.";

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    /// Listen here: [udp:|tcp:|tls:|dtls:|ssh:]ADDRESS[:PORT]; may be repeated [default: port 162 of loopback]
    #[arg(long, value_name = "ADDRESS", help_heading = "Receiving")]
    pub(super) listen: Vec<TransportAddress>,

    /// Who may send: community of SNMPv1 and SNMPv2c; may be repeated [default: public, from this host]
    #[arg(
        short = 'c',
        long,
        value_name = "COMMUNITY",
        help_heading = "Receiving"
    )]
    community: Vec<OsString>,

    /// From where: an address or a network, as 192.0.2.0/24; may be repeated [default: anywhere]
    #[arg(long, value_name = "NETWORK", help_heading = "Receiving")]
    source: Vec<SourceFilter>,

    /// How many notifications may wait to be written or handled; what comes then is lost, and counted
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000,
        help_heading = "Receiving"
    )]
    pub(super) queue: usize,

    /// Take only notifications with names below this one; may be repeated
    #[arg(long = "oid", value_name = "OID", help_heading = "Filters")]
    subtrees: Vec<String>,

    /// Leave out notifications with names below this one, or objects below it; may be repeated
    #[arg(long, value_name = "OID", help_heading = "Filters")]
    exclude: Vec<String>,

    /// Take only what this user sent; community-1 is the first --community; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    from_user: Vec<String>,

    /// End after so many notifications
    #[arg(long, value_name = "N", help_heading = "Filters")]
    pub(super) count: Option<u64>,

    /// Run this command of the shell for each notification instead of writing it
    ///
    /// The command reads the notification as Net-SNMP's traphandle gives it: a line with the sender's address, one with
    /// the transport, then one for each variable binding. VARBIND_JSON has all of it up to 120,000 octets, VARBIND_SOURCE, VARBIND_VERSION,
    /// VARBIND_KIND, VARBIND_NOTIFICATION, VARBIND_OID and VARBIND_TIME have parts.
    #[arg(long, value_name = "COMMAND", help_heading = "Commands")]
    pub(super) exec: Option<OsString>,

    /// How many commands run at once
    #[arg(long, value_name = "N", default_value_t = 4, requires = "exec", help_heading = "Commands",
        value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) exec_jobs: u16,

    /// How long a command may take before it and all that it started is killed
    #[arg(long, value_name = "SECONDS", default_value = "30", requires = "exec", value_parser = seconds, help_heading = "Commands")]
    pub(super) exec_timeout: Duration,

    #[command(flatten)]
    pub(super) user_based: UserArguments,

    #[command(flatten)]
    pub(super) certificate: CertificateArguments,

    #[command(flatten)]
    pub(super) map: MapArguments,

    #[command(flatten)]
    pub(super) ssh: SshServerArguments,

    #[command(flatten)]
    pub(super) output: OutputArguments,

    /// Tell on standard error what happens; the environment variable VARBIND_LOG chooses finer
    #[arg(short = 'd', long)]
    pub(super) debug: bool,
}

impl Arguments {
    pub(super) fn communities(&self) -> CommunityTable {
        let row = |(number, name): (usize, Vec<u8>), sources: SourceAddresses| Community {
            name,
            // The name of the community is a secret of a kind.
            security_name: SecurityName::new(format!("community-{number}")),
            context_name: String::new(),
            sources,
        };
        if self.community.is_empty() {
            let public = (1, b"public".to_vec());
            return CommunityTable::new(vec![row(
                public,
                self.sources(SourceAddresses::loopback()),
            )]);
        }
        let names = self.community.iter().map(|name| name.as_bytes().to_vec());
        let rows = (1..)
            .zip(names)
            .map(|named| row(named, self.sources(SourceAddresses::Any)));
        CommunityTable::new(rows.collect())
    }

    /// Who may send in SNMPv3, from any engine.
    pub(super) fn users(&self) -> Result<Vec<NotificationUser>, Failure> {
        if self.user_based.name.is_none() {
            return Ok(Vec::new());
        }
        let user = credentials::user(&self.user_based)?;
        let user = NotificationUser::new(user.user_name().clone(), user.credentials)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(vec![user])
    }

    fn sources(&self, default: SourceAddresses) -> SourceAddresses {
        if self.source.is_empty() {
            default
        } else {
            SourceAddresses::Within(self.source.clone())
        }
    }

    pub(super) fn wanted(&self, mib: &Mib) -> Result<Wanted, Failure> {
        let family = |subtree, included| ViewTreeFamily {
            subtree,
            mask: ViewMask::default(),
            included,
        };
        let mut families = Vec::new();
        for name in session::names(mib, &self.subtrees)? {
            families.push(family(name, true));
        }
        for name in session::names(mib, &self.exclude)? {
            families.push(family(name, false));
        }
        if self.subtrees.is_empty() && !families.is_empty() {
            for root in ["0.0", "1.0", "1.3", "2.0"] {
                let root = session::name(mib, root)?;
                families.push(family(root, true));
            }
        }
        Ok(Wanted {
            filter: NotificationFilter::new(families),
            sources: SourceAddresses::Any,
            security_names: self.from_user.iter().map(SecurityName::new).collect(),
        })
    }
}
