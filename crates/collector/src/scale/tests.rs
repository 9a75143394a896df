use super::*;

const INTERVAL: Duration = Duration::from_secs(30);

#[test]
fn targets_are_polled_within_lease_and_interval_whatever_fails() {
    let scenario = Scenario::with_all_faults(4_000, 4, INTERVAL);
    let report = scenario.run();
    assert_eq!(report.shortcomings(), [""; 0], "\n{report}");
    // Each fault was there: a killed collector costs more than an interval, and dead sites do not respond.
    assert!(report.longest_gap > INTERVAL, "\n{report}");
    assert!(report.silent > 0, "\n{report}");
    // The collector that was cut off went on.
    assert!(report.repeated > 0, "\n{report}");
    assert!(report.repeated < report.polls / 10, "\n{report}");
}

#[test]
fn nothing_is_polled_twice_without_faults() {
    let mut scenario = Scenario::with_all_faults(2_000, 3, INTERVAL);
    scenario.faults.clear();
    let report = scenario.run();
    assert_eq!(report.shortcomings(), [""; 0], "\n{report}");
    assert_eq!(report.repeated, 0, "\n{report}");
    // All but the polls in progress at the end, and those of the first seconds without leases.
    let expected = 2_000 * 6;
    assert!(
        (expected * 19 / 20..=expected).contains(&report.polls),
        "\n{report}"
    );
}

#[test]
fn too_few_places_are_told() {
    let mut scenario = Scenario::with_all_faults(3_000, 1, INTERVAL);
    scenario.limits.usual = 2;
    scenario.limits.slow = 2;
    let report = scenario.run();
    let shortcomings = report.shortcomings().join("\n");
    assert!(
        shortcomings.contains("more than a second late"),
        "\n{report}"
    );
}

#[test]
fn a_scenario_has_one_report() {
    let scenario = Scenario::with_all_faults(500, 3, INTERVAL);
    let run = || ScenarioReport {
        cpu: None,
        memory: None,
        ..scenario.run()
    };
    assert_eq!(run(), run());
}
