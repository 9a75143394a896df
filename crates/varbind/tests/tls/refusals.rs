//! Those who are refused, and what they are told.

use std::sync::Arc;

use rcgen::ExtendedKeyUsagePurpose;
use varbind::agent::AgentLimits;
use varbind::manager::ManagerOptions;
use varbind::transport::certificate::{
    CertificateMap, ClientAuthentication, Mapping, PeerIdentity, ServerAuthentication, TlsClient,
    TrustAnchors,
};
use varbind::transport::tls::TlsVersions;
use varbind_testkit::certificates::{Authority, CertificateTemplate, Issued};

use crate::agent::{TlsAgent, ask, described, rule, tsm};
use crate::proxy::{Fate, Proxy};

const VERSIONS: [TlsVersions; 2] = [TlsVersions::Only12, TlsVersions::Only13];

/// The agent refuses the client, which is told why; nobody else is served worse for it.
#[track_caller]
fn assert_refused(agent: &TlsAgent, issued: &Issued, part: &str) {
    for versions in VERSIONS {
        let before = agent.statistics.invalid_client_certificates.value();
        let client = agent.client(issued).with_versions(versions);
        let error = ask(agent.address, client, tsm()).unwrap_err();
        assert!(error.contains(part), "{versions}: {error}");
        let after = agent.statistics.invalid_client_certificates.value();
        assert_eq!(after, before + 1, "{versions}");
    }
    let reader = agent.client(&agent.reader());
    assert_eq!(ask(agent.address, reader, tsm()), Ok(described()));
}

#[test]
fn a_client_of_another_authority_is_refused() {
    let agent = TlsAgent::new();
    let stranger = Authority::new("authority").issue(&CertificateTemplate::client("reader"));
    assert_refused(&agent, &stranger, "unknown_ca");
}

#[test]
fn a_client_whose_certificate_is_out_of_date_is_refused() {
    let agent = TlsAgent::new();
    for years in [(2020, 2021), (2089, 2090)] {
        let wanted = CertificateTemplate::client("reader").years(years.0, years.1);
        let issued = agent.authority.issue(&wanted);
        assert_refused(&agent, &issued, "certificate_expired");
    }
}

#[test]
fn a_client_without_a_name_is_refused() {
    let agent = TlsAgent::new();
    let nameless = agent.authority.issue(&CertificateTemplate::new("reader"));
    assert_refused(&agent, &nameless, "access_denied");
    let too_long = agent
        .authority
        .issue(&CertificateTemplate::client(&"x".repeat(33)));
    assert_refused(&agent, &too_long, "access_denied");
}

#[test]
fn a_certificate_for_servers_alone_is_refused() {
    let agent = TlsAgent::new();
    let mut wanted = CertificateTemplate::client("reader");
    wanted.usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let issued = agent.authority.issue(&wanted);
    assert_refused(&agent, &issued, "UnsupportedCertificate");
}

#[test]
fn a_pinned_certificate_for_servers_alone_is_refused() {
    let authority = Authority::new("authority");
    for (usages, is_accepted) in [
        (vec![ExtendedKeyUsagePurpose::ServerAuth], false),
        (vec![ExtendedKeyUsagePurpose::ClientAuth], true),
        (vec![ExtendedKeyUsagePurpose::Any], true),
        (Vec::new(), true),
    ] {
        let mut wanted = CertificateTemplate::client("reader");
        wanted.usages.clone_from(&usages);
        let issued = authority.issue(&wanted);
        let row = rule(1, issued.fingerprint(), Mapping::AnyAlternativeName);
        let map = CertificateMap::new(vec![row]);
        let clients = ClientAuthentication::new(TrustAnchors::default(), map);
        let agent = TlsAgent::with(AgentLimits::default(), |it| it.clients = Arc::new(clients));
        let answer = ask(agent.address, agent.client(&issued), tsm());
        match is_accepted {
            true => assert_eq!(answer, Ok(described()), "{usages:?}"),
            false => {
                let error = answer.unwrap_err();
                assert!(error.contains("UnsupportedCertificate"), "{error}");
            }
        }
    }
}

#[test]
fn an_authority_that_has_not_signed_gives_no_name() {
    // Its certificate is sent along, but nothing leads to it.
    let rich = Authority::new("rich");
    let agent = TlsAgent::new();
    let map = CertificateMap::new(vec![rule(
        1,
        rich.fingerprint(),
        Mapping::Specified("writer".into()),
    )]);
    let clients = ClientAuthentication::new(agent.authority.trust(), map);
    let poor = agent
        .authority
        .issue(&CertificateTemplate::client("reader"))
        .with(&rich);
    let server = TlsAgent::with(AgentLimits::default(), |it| it.clients = Arc::new(clients));
    let known = ServerAuthentication {
        trust: TrustAnchors::default(),
        identity: PeerIdentity::Fingerprint(server.issued.fingerprint()),
    };
    let error = ask(
        server.address,
        TlsClient::new(poor.identity(), known),
        tsm(),
    );
    let error = error.unwrap_err();
    assert!(error.contains("access_denied"), "{error}");
}

/// The manager refuses the agent: the error has all these parts, and nothing was sent.
#[track_caller]
fn assert_manager_refuses(
    agent: &TlsAgent,
    server: &ServerAuthentication,
    is_unknown: bool,
    parts: &[&str],
) {
    for versions in VERSIONS {
        let client = TlsClient::new(agent.reader().identity(), server.clone());
        let client = client.with_versions(versions);
        let statistics = Arc::clone(client.statistics());
        let error = ask(agent.address, client, ManagerOptions::v2c("x")).unwrap_err();
        for part in parts {
            assert!(error.contains(part), "{versions}: {error}");
        }
        let counted = (
            statistics.unknown_server_certificates.value(),
            statistics.invalid_server_certificates.value(),
            statistics.open_errors.value(),
        );
        assert_eq!(counted, (u64::from(is_unknown), u64::from(!is_unknown), 1));
    }
    assert_eq!(agent.statistics.accepts.value(), 0);
}

#[test]
fn an_agent_of_another_authority_is_refused() {
    let agent = TlsAgent::new();
    let server = ServerAuthentication {
        trust: Authority::new("mine").trust(),
        identity: PeerIdentity::Target,
    };
    let fingerprint = agent.issued.fingerprint().to_string();
    let parts = ["\"CN=agent\"", "CN=authority", "trust", &fingerprint];
    assert_manager_refuses(&agent, &server, true, &parts);
}

#[test]
fn an_agent_with_another_fingerprint_is_refused() {
    let agent = TlsAgent::new();
    let expected = agent.authority.fingerprint();
    let server = ServerAuthentication {
        trust: agent.authority.trust(),
        identity: PeerIdentity::Fingerprint(expected.clone()),
    };
    let parts = ["\"CN=agent\"", "expected", &expected.to_string()];
    assert_manager_refuses(&agent, &server, true, &parts);
}

#[test]
fn an_agent_with_another_name_is_refused() {
    let agent = TlsAgent::new();
    let server = ServerAuthentication {
        trust: agent.authority.trust(),
        identity: PeerIdentity::Name("router.example".into()),
    };
    let parts = ["\"CN=agent\"", "router.example", "DNS localhost"];
    assert_manager_refuses(&agent, &server, false, &parts);
}

#[test]
fn an_agent_whose_certificate_is_out_of_date_is_refused() {
    for (years, part) in [
        ((2020, 2021), "has expired, at 2021-01-01"),
        ((2089, 2090), "is not valid before 2089-01-01"),
    ] {
        let mut issued = None;
        let agent = TlsAgent::new();
        let stale = agent
            .authority
            .issue(&CertificateTemplate::server().years(years.0, years.1));
        let server = TlsAgent::with(AgentLimits::default(), |it| {
            it.identity = stale.identity();
            issued = Some(stale);
        });
        let known = ServerAuthentication {
            trust: agent.authority.trust(),
            identity: PeerIdentity::Target,
        };
        assert_manager_refuses(&server, &known, false, &["\"CN=agent\"", part]);
    }
}

#[test]
fn a_manager_and_an_agent_without_a_common_version_say_so() {
    let agent = TlsAgent::with(AgentLimits::default(), |it| {
        it.versions = TlsVersions::Only13;
    });
    let client = agent
        .client(&agent.reader())
        .with_versions(TlsVersions::Only12);
    let error = ask(agent.address, client, tsm()).unwrap_err();
    assert!(error.contains("does not support TLS 1.2"), "{error}");
    let agent = TlsAgent::with(AgentLimits::default(), |it| {
        it.versions = TlsVersions::Only12;
    });
    let client = agent
        .client(&agent.reader())
        .with_versions(TlsVersions::Only13);
    let error = ask(agent.address, client, tsm()).unwrap_err();
    assert!(error.contains("does not support TLS 1.3"), "{error}");
}

#[test]
fn a_manager_says_when_its_target_does_not_speak_tls() {
    let agent = TlsAgent::new();
    let plain = agent.agent.tcp();
    let error = ask(plain, agent.client(&agent.reader()), tsm()).unwrap_err();
    assert!(error.contains("speaks something else"), "{error}");
}

/// RFC 8446 section 4.1.3: who takes TLS 1.3 out of the ClientHello on its way gains nothing.
#[test]
fn an_attacker_cannot_downgrade_the_version() {
    let agent = TlsAgent::new();
    let proxy = Proxy::new(agent.address, |_, mut record| {
        // supported_versions (43): a list of 2 versions, TLS 1.3 and 1.2.
        let extension = [0, 43, 0, 5, 4, 3, 4, 3, 3];
        let found = record
            .windows(extension.len())
            .position(|it| it == extension);
        if let Some(at) = found.filter(|_| record[0] == 22) {
            record[at + 5..at + 7].copy_from_slice(&[3, 3]);
        }
        Fate::Pass(record)
    });
    let error = ask(proxy.address, agent.client(&agent.reader()), tsm()).unwrap_err();
    assert!(error.contains("AttemptedDowngrade"), "{error}");
    assert_eq!(agent.statistics.accepts.value(), 0);
    // Without anybody between, TLS 1.2 is as good.
    let client = agent.client(&agent.reader());
    let client = client.with_versions(TlsVersions::Only12);
    assert_eq!(ask(proxy.address, client, tsm()), Ok(described()));
}
