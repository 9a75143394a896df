use varbind_terminal::help::Page;

const STATUS: &[&str] = &[
    "version",
    "community",
    "name",
    "auth_protocol",
    "priv_protocol",
    "timeout",
    "retries",
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
const NETSTAT: &[&str] = &[
    "version",
    "community",
    "name",
    "auth_protocol",
    "priv_protocol",
    "all",
    "interfaces",
    "routes",
    "statistics",
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

/// Commands that watch hosts, and notifications.
pub(super) const PAGES: &[Page] = &[
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
varbind top -i 10 @all                               # every ten seconds
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
        command: "netstat",
        options: NETSTAT,
        examples: "\
varbind netstat --all router1                        # connections, listeners and UDP (-Ca)
varbind netstat --interfaces router1                 # packets and errors (-Ci)
varbind netstat --routes router1                     # the routing table (-Cr)
varbind netstat --statistics -v3 -u ops router1      # counters of protocols (-Cs)",
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
varbind doctor ssh:ops@router1                       # over SSH
varbind doctor -u ops router1                        # which protocols the agent has for a user
varbind doctor -v2c -c public router1                # whether a community is accepted",
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
varbind trap -v3 -u ops -x AES collector '' coldStart
varbind trap tls:collector '' coldStart",
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
varbind inform -t 2 -r 5 collector '' coldStart      # five times more, every two seconds
varbind inform tls:collector '' coldStart",
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
];
