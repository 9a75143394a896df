//! The short help of -h, and examples.

use clap::Command;
use varbind_terminal::help::Page;

const SESSION: &[&str] = &[
    "version",
    "community",
    "name",
    "auth_protocol",
    "priv_protocol",
    "timeout",
    "retries",
    "letters",
    "json",
    "csv",
];

const DF: &[&str] = &[
    "version",
    "community",
    "name",
    "auth_protocol",
    "priv_protocol",
    "timeout",
    "retries",
    "human_readable",
];

const DELTA: &[&str] = &[
    "version",
    "community",
    "name",
    "auth_protocol",
    "priv_protocol",
    "interval",
    "count",
    "letters",
];

const STATUS: &[&str] = &[
    "version",
    "community",
    "name",
    "auth_protocol",
    "priv_protocol",
    "timeout",
    "retries",
];

/// The pages of commands.
pub(crate) const PAGES: &[Page] = &[
    Page {
        command: "get",
        options: SESSION,
        examples: "\
varbind get router1 sysDescr.0 ifOperStatus.2        # SNMPv2c with the community public
varbind get -c private tcp:router1:1161 sysUpTime.0  # over TCP, on another port
varbind get -v3 -u ops -x AES router1 sysUpTime.0    # SNMPv3; the terminal is asked for passwords
varbind get tls:router1 sysName.0                    # over TLS, see varbind pki
varbind get @routers sysUpTime.0                     # all hosts of a group, see docs/hosts.md",
    },
    Page {
        command: "getnext",
        options: SESSION,
        examples: "\
varbind getnext router1 sysDescr                     # the first instance below a name
varbind getnext router1 ifDescr.1 ifInOctets.1       # the next row of two columns
varbind getnext -v3 -u ops router1 sysUpTime",
    },
    Page {
        command: "getbulk",
        options: SESSION,
        examples: "\
varbind getbulk router1 ifDescr                      # the first 10 instances
varbind getbulk -Cn1 -Cr5 router1 sysUpTime ifDescr  # sysUpTime once, ifDescr five times
varbind getbulk -v3 -u ops router1 ifTable",
    },
    Page {
        command: "set",
        options: SESSION,
        examples: "\
varbind set -c private router1 sysContact.0 s 'Jo Doe'
varbind set -v3 -u ops router1 sysName.0 = router1   # = takes the type of the object
varbind set tls:router1 sysName.0 s r1 sysLocation.0 s lab",
    },
    Page {
        command: "walk",
        options: SESSION,
        examples: "\
varbind walk router1                                 # mib-2
varbind walk router1 .1                              # everything
varbind walk -v3 -u ops router1 ifDescr ifInOctets   # two columns
varbind walk --csv router1 ifTable > interfaces.csv",
    },
    Page {
        command: "bulkwalk",
        options: SESSION,
        examples: "\
varbind bulkwalk router1 ifTable
varbind bulkwalk -Cr25 router1 .1                    # 25 repetitions in each request
varbind bulkwalk -v3 -u ops router1 system",
    },
    Page {
        command: "table",
        options: SESSION,
        examples: "\
varbind table router1 ifTable
varbind table --csv router1 ifXTable                 # a line for each row
varbind table -Cf '|' -CH router1 ipAddressTable     # no padding, no headings
varbind table @all ifTable --columns ifDescr,ifHCInOctets",
    },
    Page {
        command: "top",
        options: &[
            "version",
            "community",
            "name",
            "files",
            "interval",
            "record",
        ],
        examples: "\
varbind top @routers                                 # all hosts of a group, see docs/hosts.md
varbind top router1,router2
varbind top --record seen.csv -i 10 @all             # a file of what was seen",
    },
    Page {
        command: "status",
        options: STATUS,
        examples: "\
varbind status router1
varbind status -c private tcp:router1:1161
varbind status -v3 -u ops router1
varbind status tls:router1",
    },
    Page {
        command: "df",
        options: DF,
        examples: "\
varbind df router1
varbind df -H router1                                # K, M, G and T instead of kB
varbind df -v3 -u ops router1
varbind df tls:router1",
    },
    Page {
        command: "delta",
        options: DELTA,
        examples: "\
varbind delta router1 ifHCInOctets.2 ifHCOutOctets.2
varbind delta -i 60 router1 ifInErrors.2             # once a minute
varbind delta --count 1 -Oqs router1 ifInOctets.2    # one difference, and end
varbind delta -v3 -u ops router1 ipSystemStatsHCInReceives.ipv4",
    },
    Page {
        command: "translate",
        options: &["listing", "letters", "json", "csv", "directories"],
        examples: "\
varbind translate -On sysDescr.0                     # .1.3.6.1.2.1.1.1.0
varbind translate 1.3.6.1.2.1.2.2.1.10.3             # IF-MIB::ifInOctets.3
varbind translate -Tp ifTable                        # the tree below
varbind translate -TB 'if.*Octets'                   # a search by pattern",
    },
    Page {
        command: "trap",
        options: &[
            "version",
            "community",
            "name",
            "auth_protocol",
            "auth_password",
            "priv_protocol",
            "priv_password",
        ],
        examples: "\
varbind trap collector '' IF-MIB::linkDown ifIndex.7 i 7
varbind trap -v1 collector 1.3.6.1.4.1.32473.1 '' 6 17 ''
varbind trap -v3 -u ops tls:collector '' coldStart",
    },
    Page {
        command: "inform",
        options: &[
            "version",
            "community",
            "name",
            "auth_protocol",
            "auth_password",
            "priv_protocol",
            "priv_password",
            "timeout",
            "retries",
        ],
        examples: "\
varbind inform collector '' IF-MIB::linkDown ifIndex.7 i 7
varbind inform -v3 -u ops collector '' coldStart
varbind inform tls:collector '' coldStart",
    },
    Page {
        command: "doctor",
        options: &[
            "version",
            "community",
            "name",
            "auth_password",
            "priv_password",
            "timeout",
            "retries",
            "json",
        ],
        examples: "\
varbind doctor tls:router1                           # step by step over TLS
varbind doctor -u ops router1                        # which protocols the agent has for a user
varbind doctor -v2c -c public router1                # whether a community is accepted",
    },
    Page {
        command: "receive",
        options: &[
            "config",
            "listen",
            "community",
            "source",
            "subtrees",
            "exec",
            "output_file",
            "letters",
            "json",
        ],
        examples: "\
varbind receive                                      # port 162 of loopback, community public
varbind receive --listen udp:0.0.0.0 -c traps --source 192.0.2.0/24
varbind receive --json --output-file /var/log/traps.json
varbind receive --exec 'logger -t trap \"$VARBIND_NOTIFICATION\"'",
    },
    #[cfg(feature = "collect")]
    Page {
        command: "collect",
        options: &[
            "fleet",
            "config_files",
            "listen",
            "hosts",
            "dry_run",
            "json",
            "debug",
        ],
        examples: "\
varbind collect --config.file=snmp.yml               # what snmp_exporter serves, on port 9116
varbind collect --config.file=snmp.yml --web.listen-address=127.0.0.1:9116
varbind collect --config.file='snmp*.yml' --dry-run  # check the files, and end
varbind collect fleet.toml                           # poll a fleet, see docs/collect.md",
    },
    Page {
        command: "record",
        options: &[
            "version",
            "community",
            "name",
            "auth_protocol",
            "priv_protocol",
            "timeout",
            "retries",
            "output",
            "json",
        ],
        examples: "\
varbind record router1 > router1.snmprec             # all objects, SNMPv2c with the community public
varbind record -v3 -u ops router1 -o router1.snmprec # kept as router1.snmprec.part if it breaks off
varbind record --json router1 system ifTable > router1.jsonl",
    },
    Page {
        command: "simulate",
        options: &[
            "listen",
            "addresses",
            "community",
            "live",
            "check",
            "json",
        ],
        examples: "\
varbind simulate recordings                          # udp:127.0.0.1:1161, the community is the name of a recording
varbind simulate recordings --addresses 127.1.0.1-127.1.3.232
varbind simulate --check recordings/simulation.toml  # what is wrong with the recordings",
    },
    Page {
        command: "agent",
        options: &["config", "listen", "init", "debug"],
        examples:
            "\
varbind agent                                        # as /etc/varbind/agent.toml says
varbind agent --listen udp:127.0.0.1:1161 --listen tcp:127.0.0.1:1161
varbind agent --init                                 # certificates and a secure configuration
varbind agent import -o /etc/varbind/agent.toml      # a configuration made of /etc/snmp/snmpd.conf",
    },
];

/// Hides most options of a command from -h, and puts examples behind it.
pub(crate) fn shorten(command: Command) -> Command {
    match Page::of(PAGES, command.get_name()) {
        Some(page) => page.apply(command),
        None => command,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_name_commands_and_options_that_exist() {
        let mut definition = crate::command::definition();
        definition.build();
        for page in PAGES {
            let command = definition
                .find_subcommand(page.command)
                .unwrap_or_else(|| panic!("{}", page.command));
            for option in page.options {
                let argument = command
                    .get_arguments()
                    .find(|known| known.get_id() == option);
                assert!(argument.is_some(), "{} {option}", page.command);
            }
            assert!(
                (3..=5).contains(&page.examples.lines().count()),
                "{}",
                page.command
            );
        }
    }

    /// All command lines of the pages can be read.
    #[test]
    fn examples_are_command_lines() {
        for line in PAGES.iter().flat_map(|page| page.examples.lines()) {
            let line = line.split_once(" #").map_or(line, |(line, _)| line);
            let line = line.split_once(" > ").map_or(line, |(line, _)| line);
            let words = split(line).into_iter().map(std::ffi::OsString::from);
            let parsed = crate::command::parse(words.collect());
            assert!(parsed.is_ok(), "{line}: {parsed:?}");
        }
    }

    /// Words as a shell splits them, with single quotes.
    fn split(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quoted) = (Vec::new(), None, false);
        for c in line.trim().chars() {
            match c {
                '\'' => {
                    quoted = !quoted;
                    word.get_or_insert_with(String::new);
                }
                ' ' if !quoted => words.extend(word.take()),
                c => word.get_or_insert_with(String::new).push(c),
            }
        }
        words.extend(word);
        words
    }
}
