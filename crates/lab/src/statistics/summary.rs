use super::bootstrap::{RESAMPLES, with_interval};
use super::{Cluster, Random};
use crate::measurement::{Estimate, LatencySummary, Quantile, RunSummary};

/// Fewer clusters than this are cut into contiguous blocks, which are resampled instead (block bootstrap).
const FEWEST_CLUSTERS: usize = 8;
/// How many blocks then.
const BLOCKS: usize = 20;
/// Cells into which the pooled samples are cut for resampling, by rank; the tail gets finer ones.
const CELLS: usize = 300;

/// Summarises the latencies of independent runs. `None` if there is no sample.
///
/// Percentiles are of all samples pooled, by the nearest rank. The intervals come from resampling whole runs (cluster
/// bootstrap): samples of one run depend on each other, so that resampling them one by one would claim too much.
#[must_use]
pub fn summarise(clusters: &[Cluster], seed: u64) -> Option<LatencySummary> {
    let pooled = pool(clusters);
    let n: u64 = clusters.iter().map(Cluster::count).sum();
    if pooled.is_empty() {
        return None;
    }
    let sum: u128 = clusters.iter().map(Cluster::sum).sum();
    let mean = sum as f64 / n as f64;
    let blocks = blocks(clusters);
    let grid = Grid::new(&pooled, &blocks);
    let resampled = grid.resample(seed);
    let interval = |value: f64, pick: fn(&Resample) -> f64| {
        let values = resampled.iter().map(pick).collect();
        microseconds_estimate(with_interval(value, values))
    };
    let at = |probability| rank(&pooled, probability);
    Some(LatencySummary {
        n,
        minimum: microseconds(at(0.0)),
        mean: interval(mean, |resample| resample.mean),
        standard_deviation: microseconds(deviation(&pooled)),
        p50: interval(at(0.5), |resample| resample.p50),
        p90: microseconds(at(0.9)),
        p99: interval(at(0.99), |resample| resample.p99),
        p99_9: microseconds(at(0.999)),
        maximum: microseconds(
            clusters
                .iter()
                .map(Cluster::maximum)
                .max()
                .unwrap_or_default() as f64,
        ),
    })
}

/// Summarises one run by itself, without intervals. `None` if there is no sample.
#[must_use]
pub fn summarise_run(cluster: &Cluster) -> Option<RunSummary> {
    if cluster.count() == 0 {
        return None;
    }
    let mut sorted = cluster.kept().to_vec();
    sorted.sort_unstable();
    let at = |probability| microseconds(rank(&sorted, probability));
    Some(RunSummary {
        n: cluster.count(),
        mean: microseconds(cluster.sum() as f64 / cluster.count() as f64),
        p50: at(0.5),
        p90: at(0.9),
        p99: at(0.99),
        maximum: microseconds(cluster.maximum() as f64),
    })
}

/// Points of the distribution function, dense in the upper tail, for plots.
#[must_use]
pub fn quantile_curve(clusters: &[Cluster]) -> Vec<Quantile> {
    let pooled = pool(clusters);
    if pooled.is_empty() {
        return Vec::new();
    }
    probabilities(60)
        .into_iter()
        .filter(|probability| (1.0 - probability) * pooled.len() as f64 >= 1.0)
        .map(|probability| Quantile {
            probability,
            latency: microseconds(rank(&pooled, probability)),
        })
        .collect()
}

/// Half of the points evenly below 0.9, then a quarter up to 0.99 and a quarter up to 0.9999.
fn probabilities(points: usize) -> Vec<f64> {
    let spread = |count: usize, from: f64, to: f64| {
        (0..count).map(move |at| from + (to - from) * at as f64 / count as f64)
    };
    let quarter = points / 4;
    spread(points - 2 * quarter, 0.0, 0.9)
        .chain(spread(quarter, 0.9, 0.99))
        .chain(spread(quarter, 0.99, 0.9999))
        .collect()
}

fn pool(clusters: &[Cluster]) -> Vec<u64> {
    let mut pooled: Vec<u64> = clusters
        .iter()
        .flat_map(|cluster| cluster.kept().iter().copied())
        .collect();
    pooled.sort_unstable();
    pooled
}

fn blocks(clusters: &[Cluster]) -> Vec<Cluster> {
    let filled: Vec<&Cluster> = clusters.iter().filter(|c| c.count() > 0).collect();
    if filled.len() >= FEWEST_CLUSTERS {
        return filled.into_iter().cloned().collect();
    }
    let parts = BLOCKS.div_ceil(filled.len().max(1));
    filled.into_iter().flat_map(|c| c.split(parts)).collect()
}

/// The nearest rank in nanoseconds.
fn rank(sorted: &[u64], probability: f64) -> f64 {
    let at = (probability * sorted.len() as f64).ceil() as usize;
    let at = at.clamp(1, sorted.len().max(1)) - 1;
    sorted.get(at).copied().unwrap_or_default() as f64
}

fn deviation(samples: &[u64]) -> f64 {
    if samples.len() < 2 {
        return 0.0;
    }
    let n = samples.len() as f64;
    let mean = samples.iter().map(|&sample| sample as f64).sum::<f64>() / n;
    let squares: f64 = samples
        .iter()
        .map(|&sample| (sample as f64 - mean).powi(2))
        .sum();
    (squares / (n - 1.0)).sqrt()
}

const fn microseconds(nanoseconds: f64) -> f64 {
    nanoseconds / 1000.0
}

const fn microseconds_estimate(estimate: Estimate) -> Estimate {
    Estimate {
        value: microseconds(estimate.value),
        low: microseconds(estimate.low),
        high: microseconds(estimate.high),
    }
}

struct Resample {
    mean: f64,
    p50: f64,
    p99: f64,
}

/// The pooled samples cut into cells by rank, and how many samples of each block fall into each cell: so a resample is
/// a weighted sum of rows and needs no sorting.
struct Grid {
    edges: Vec<u64>,
    rows: Vec<Row>,
}

struct Row {
    counts: Vec<u32>,
    sum: f64,
    n: u64,
}

impl Grid {
    fn new(pooled: &[u64], blocks: &[Cluster]) -> Self {
        let mut edges: Vec<u64> = probabilities(CELLS)
            .into_iter()
            .map(|probability| rank(pooled, probability) as u64)
            .chain(pooled.last().copied())
            .collect();
        edges.dedup();
        let rows = blocks.iter().map(|block| Row::new(block, &edges)).collect();
        Self { edges, rows }
    }

    fn resample(&self, seed: u64) -> Vec<Resample> {
        let mut random = Random::new(seed);
        let mut counts = vec![0_u64; self.edges.len()];
        (0..RESAMPLES)
            .map(|_| {
                counts.fill(0);
                let (mut sum, mut n) = (0.0, 0_u64);
                for _ in 0..self.rows.len() {
                    let Some(row) = self.rows.get(random.below(self.rows.len())) else {
                        continue;
                    };
                    sum += row.sum;
                    n += row.n;
                    for (total, count) in counts.iter_mut().zip(&row.counts) {
                        *total += u64::from(*count);
                    }
                }
                let total: u64 = counts.iter().sum();
                Resample {
                    mean: sum / n.max(1) as f64,
                    p50: self.quantile(&counts, total, 0.5),
                    p99: self.quantile(&counts, total, 0.99),
                }
            })
            .collect()
    }

    fn quantile(&self, counts: &[u64], total: u64, probability: f64) -> f64 {
        let wanted = ((probability * total as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (count, edge) in counts.iter().zip(&self.edges) {
            seen += count;
            if seen >= wanted {
                return *edge as f64;
            }
        }
        self.edges.last().copied().unwrap_or_default() as f64
    }
}

impl Row {
    fn new(block: &Cluster, edges: &[u64]) -> Self {
        let mut counts = vec![0; edges.len()];
        for sample in block.kept() {
            // A cell holds what is above the edge before it and not above its own.
            let at = edges.partition_point(|edge| edge < sample);
            if let Some(count) = counts.get_mut(at) {
                *count += 1;
            }
        }
        Self {
            counts,
            sum: block.sum() as f64,
            n: block.count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn cluster(samples: impl IntoIterator<Item = u64>) -> Cluster {
        let mut cluster = Cluster::new();
        for sample in samples {
            cluster.record(Duration::from_micros(sample));
        }
        cluster
    }

    #[test]
    fn percentiles_are_those_of_the_pooled_samples() {
        let clusters: Vec<Cluster> = (0..10)
            .map(|run| cluster((1..=100).map(|at| run * 100 + at)))
            .collect();
        let summary = summarise(&clusters, 1).unwrap();
        assert_eq!(summary.n, 1000);
        assert_eq!(summary.minimum, 1.0);
        assert_eq!(summary.p50.value, 500.0);
        assert_eq!(summary.p90, 900.0);
        assert_eq!(summary.p99.value, 990.0);
        assert_eq!(summary.p99_9, 999.0);
        assert_eq!(summary.maximum, 1000.0);
        assert_eq!(summary.mean.value, 500.5);
    }

    #[test]
    fn runs_that_differ_widen_the_interval_more_than_samples_that_differ() {
        let alike: Vec<Cluster> = (0..20)
            .map(|_| cluster((1..=100).map(|at| at * 10)))
            .collect();
        let apart: Vec<Cluster> = (1..=20)
            .map(|run| cluster((0..100).map(move |_| run * 50)))
            .collect();
        let width = |clusters: &[Cluster]| {
            let summary = summarise(clusters, 7).unwrap();
            summary.p50.high - summary.p50.low
        };
        assert_eq!(width(&alike), 0.0);
        assert!(width(&apart) > 150.0, "{}", width(&apart));
    }

    #[test]
    fn a_single_run_still_has_an_interval() {
        let summary = summarise(&[cluster((0..1000).map(|at| at * 7919 % 1000))], 3).unwrap();
        assert!(summary.mean.low < summary.mean.value);
        assert!(summary.mean.value < summary.mean.high);
        assert!(summarise(&[Cluster::new()], 3).is_none());
    }

    #[test]
    fn the_curve_rises() {
        let curve = quantile_curve(&[cluster(1..=5000)]);
        assert!(curve.len() > 50);
        assert!(
            curve
                .windows(2)
                .all(|pair| pair[0].latency <= pair[1].latency)
        );
    }
}
