//! The numbers of a finished run: `metrics.json`, `--json`, and the summary on the screen.

use std::io;
use std::path::{Path, PathBuf};

use lpvdn::model::graph::{PartitionOf, Partitions};
use lpvdn::model::lpvdn::{Choice, Quality};
use lpvdn::verdict::{NumberChoice, Structure, Verdict};
use lpvdn::{EpochReport, Evaluation, Fitted, Method, Model, Phase};
use lpvdn_cluster::ExternalScores;
use lpvdn_core::Dataset;
use lpvdn_data::OnError;
use serde::{Deserialize, Serialize};

use crate::console::{self, Words, duration, grouped, shell};
use crate::failure::Failure;
use crate::output::RESULTS;
use crate::settings::Settings;

/// More cluster sizes are not shown one by one.
const SIZES_SHOWN: usize = 20;

/// What `--json` prints.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Metrics {
    pub(crate) method: String,
    pub(crate) version: String,
    pub(crate) recipe: lpvdn::Recipe,
    pub(crate) data: String,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) clusters: usize,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) simd: String,
    pub(crate) parameters: usize,
    pub(crate) batch: usize,
    pub(crate) pretrain_epochs: usize,
    pub(crate) epochs: usize,
    #[serde(default)]
    pub(crate) settle_epochs: usize,
    pub(crate) seconds: f64,
    #[serde(flatten)]
    pub(crate) scores: Option<Scores>,
    pub(crate) effective_clusters: f64,
    /// Scores without labels.
    #[serde(flatten)]
    pub(crate) quality: Quality,
    pub(crate) cluster_sizes: Vec<usize>,
    /// How the rows were divided, by the method that divides them in several ways.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) partitions: Option<PartitionsReport>,
    /// Whether the clusters are more than what data of this shape would always give.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) verdict: Option<Verdict>,
    /// How the number of clusters was chosen, where that was left open.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) number: Option<NumberChoice>,
    /// What the model was chosen from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) search: Option<Choice>,
    pub(crate) warnings: Vec<String>,
    pub(crate) out: PathBuf,
}

/// What the numbers of an epoch are called, on the screen and in figures, where it is not as in the log.
const TERMS: [(&str, &str); 5] = [
    ("mutual_information_loss", "L_MI"),
    ("information", "I(x,z)"),
    ("locality", "L_LP"),
    ("effective_clusters", "clusters in use"),
    ("rows_per_second", "rows/s"),
];

/// What a number of an epoch is called, by its name in the log.
pub(crate) fn term_name(key: &str) -> String {
    let own = TERMS.iter().find(|(term, _)| *term == key).map(|(_, name)| (*name).to_owned());
    own.unwrap_or_else(|| key.replace('_', " "))
}

/// Scores against the known classes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Scores {
    pub(crate) acc: f64,
    pub(crate) purity: f64,
    pub(crate) nmi: f64,
    pub(crate) ari: f64,
}

/// How rows were divided in several ways, and which one was kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PartitionsReport {
    /// The one that became the result, and what it divides.
    kept: String,
    #[serde(default = "rows")]
    kept_of: String,
    /// The share of the rows whose cluster in the model is that of the partition.
    reproduced: f64,
    /// All of them.
    all: Vec<PartitionReport>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct PartitionReport {
    /// What was divided: rows, or codes.
    #[serde(default = "rows")]
    of: String,
    name: String,
    title: String,
    /// The mean ARI with the others.
    agreement: f64,
    /// Of the neighbour graph, at resolution 1.
    modularity: f64,
    /// The mean ARI with partitions of draws or halves of the rows, where the choice needed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    stability: Option<f64>,
    /// Before landmarks stand for it.
    #[serde(flatten)]
    scores: Option<Scores>,
}

/// What every partition divided before there were codes to divide.
fn rows() -> String {
    PartitionOf::Rows.name().to_owned()
}

impl PartitionsReport {
    fn of(found: &Partitions, data: &Dataset) -> Result<PartitionsReport, Failure> {
        let classes = |truth: &lpvdn_core::Labels| -> Vec<u32> {
            found.rows.iter().map(|&row| truth.codes[row as usize]).collect()
        };
        let truth = data.labels.as_ref().map(classes);
        let report = |part: &lpvdn::model::graph::Partition| {
            let scores = truth.as_ref().map(|truth| scores_of(truth, &part.labels)).transpose()?;
            let (name, title) = (part.way.name().to_owned(), part.way.title().to_owned());
            let (agreement, modularity, stability) = (part.agreement, part.modularity, part.stability);
            let of = part.of.name().to_owned();
            Ok(PartitionReport { of, name, title, agreement, modularity, stability, scores })
        };
        let all = found.all.iter().map(report).collect::<Result<_, Failure>>()?;
        let kept = found.kept();
        Ok(PartitionsReport {
            kept: kept.way.name().to_owned(),
            kept_of: kept.of.name().to_owned(),
            reproduced: found.reproduced,
            all,
        })
    }

    fn lines(&self) -> Vec<String> {
        let line = |part: &PartitionReport| {
            let is_kept = part.name == self.kept && part.of == self.kept_of;
            let mark = if is_kept { "kept      " } else { "          " };
            let scores = part.scores.map_or(String::new(), |scores| format!("; {}", scores.show()));
            let stability = part.stability.map_or(String::new(), |s| format!(", stability {s:.3}"));
            let (title, agreement, modularity) = (&part.title, part.agreement, part.modularity);
            format!(
                "{mark}{title} of the {}: modularity {modularity:.3}{stability}, mean ARI {agreement:.3} with the others{scores}",
                part.of
            )
        };
        let mut lines: Vec<String> = self.all.iter().map(line).collect();
        lines.push(format!(
            "          the model gives {:.1} % of the rows the cluster of that partition",
            100.0 * self.reproduced
        ));
        lines
    }
}

/// What `metrics.json` holds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    #[serde(flatten)]
    pub(crate) metrics: Metrics,
    /// The mean of each term over the last epoch of training.
    pub(crate) losses: Losses,
    /// Where L_LP is left out, labels are those of the mixture; these are the scores of K-means in the
    /// same space, to compare.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) latent_k_means: Option<Scores>,
    pub(crate) evaluations: Vec<Evaluation>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Losses {
    loss: f64,
    reconstruction: Option<f64>,
    divergence: Option<f64>,
    mutual_information_loss: Option<f64>,
    information: Option<f64>,
    locality: Option<f64>,
}

impl Losses {
    fn of(report: &EpochReport) -> Losses {
        Losses {
            loss: report.loss,
            reconstruction: report.reconstruction,
            divergence: report.divergence,
            mutual_information_loss: report.mutual_information_loss,
            information: report.information,
            locality: report.locality,
        }
    }
}

/// What of a run the model does not know.
pub(crate) struct Circumstances {
    pub(crate) threads: usize,
    pub(crate) warnings: Vec<String>,
    pub(crate) out: PathBuf,
    pub(crate) choice: Option<Choice>,
    pub(crate) number: Option<NumberChoice>,
}

impl Report {
    pub(crate) fn new(fitted: &Fitted<Model>, data: &Dataset, run: Circumstances) -> Result<Report, Failure> {
        let (budget, clusters) = (fitted.budget(), fitted.clusters());
        // DEC may end before its budget does.
        let trained = fitted.history.iter().filter(|report| report.phase == Phase::Joint).count();
        let metrics = Metrics {
            method: fitted.method().name().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            recipe: fitted.recipe(),
            data: data.name.clone(),
            rows: data.rows(),
            columns: data.cols(),
            clusters,
            seed: fitted.seed(),
            threads: run.threads,
            simd: lpvdn_core::Level::current().name().to_owned(),
            parameters: fitted.parameters(),
            batch: budget.batch,
            pretrain_epochs: budget.pretrain_epochs,
            epochs: if trained > 0 { trained } else { budget.epochs },
            settle_epochs: budget.settle_epochs,
            seconds: fitted.seconds,
            scores: scores(data, &fitted.labels)?,
            effective_clusters: fitted.effective_clusters,
            quality: fitted.quality,
            cluster_sizes: sizes(&fitted.labels, clusters),
            partitions: fitted
                .partitions
                .as_ref()
                .map(|found| PartitionsReport::of(found, data))
                .transpose()?,
            verdict: fitted.verdict.clone(),
            number: run.number,
            search: run.choice,
            warnings: run.warnings,
            out: run.out,
        };
        let latent_k_means = match &fitted.latent_k_means {
            Some(labels) => scores(data, labels)?,
            None => None,
        };
        let trained = fitted.history.iter().rfind(|report| report.phase == Phase::Joint);
        let losses = trained.map(Losses::of).unwrap_or_default();
        Ok(Report { metrics, losses, latent_k_means, evaluations: fitted.evaluations.clone() })
    }

    /// Prints the results: as words, or as JSON with the words where progress goes. Warnings that were `told`
    /// on the way are not repeated in the words.
    pub(crate) fn print(&self, quiet: bool, json: bool, next: &str, told: &[String]) -> Result<(), Failure> {
        let mut words = Words::new();
        if !quiet {
            self.summary(&mut words, next, told).map_err(|e| Failure::writing("the summary", e))?;
        }
        if !json {
            return console::stdout_words(&words);
        }
        console::stderr_words(&words);
        let line =
            serde_json::to_string(&self.metrics).map_err(|e| Failure::writing("the summary", e.into()))?;
        console::stdout(|out| writeln!(out, "{line}"))
    }

    fn summary(&self, out: &mut Words, next: &str, told: &[String]) -> io::Result<()> {
        let m = &self.metrics;
        writeln!(
            out,
            "result    {} in {}, after {}{}",
            console::plural(m.clusters, "cluster"),
            console::plural(m.rows, "row"),
            duration(m.seconds),
            m.verdict
                .as_ref()
                .map_or(String::new(), |v| format!(", and {} for the verdict", duration(v.seconds)))
        )?;
        if let Some(choice) = &m.search {
            writeln!(out, "chosen    {}", chosen(choice))?;
        }
        if let Some(number) = &m.number {
            writeln!(out, "chosen    {}", chosen_number(number))?;
        }
        if let Some(partitions) = &m.partitions {
            partitions.lines().iter().try_for_each(|line| writeln!(out, "{line}"))?;
            if m.method == Method::Lpvdn.name() && partitions.kept_of == rows() && m.search.is_none() {
                writeln!(
                    out,
                    "          these clusters need no training: lpvdn fit with --effort quick finds them in seconds"
                )?;
            }
        }
        writeln!(out, "sizes     {}", show_sizes(&m.cluster_sizes))?;
        writeln!(
            out,
            "in use    {:.1} of {} clusters (by the entropy of their sizes)",
            m.effective_clusters, m.clusters
        )?;
        let (apart, space) = match m.verdict.as_ref().and_then(|verdict| verdict.among_rows) {
            Some(among_rows) => (among_rows, "rows as they are compared without any training"),
            None => (m.quality, "codes"),
        };
        if let (Some(silhouette), Some(davies_bouldin)) = (apart.silhouette, apart.davies_bouldin) {
            writeln!(
                out,
                "apart     silhouette {silhouette:.3}, Davies–Bouldin {davies_bouldin:.3}, measured between the {space}"
            )?;
        }
        if let Some(verdict) = &m.verdict {
            verdict_lines(verdict, m.number.is_none() && m.search.is_none())
                .iter()
                .try_for_each(|line| writeln!(out, "{line}"))?;
        }
        if let Some(scores) = &m.scores {
            writeln!(out, "scores    {}", scores.show())?;
        }
        if let Some(scores) = &self.latent_k_means {
            writeln!(out, "          {} for K-means on the latent means", scores.show())?;
        }
        for warning in m.warnings.iter().filter(|warning| !told.contains(warning)) {
            writeln!(out, "warning   {warning}")?;
        }
        writeln!(out, "files     {}: {}", m.out.display(), RESULTS.join(", "))?;
        let mut commands = next.lines();
        writeln!(out, "next      {}", commands.next().unwrap_or_default())?;
        commands.try_for_each(|command| writeln!(out, "{command}"))
    }
}

/// How the number of clusters was chosen.
fn chosen_number(number: &NumberChoice) -> String {
    let points = || number.curves.iter().flat_map(|curve| &curve.points).map(|point| point.clusters);
    let (from, to) = (points().min().unwrap_or_default(), points().max().unwrap_or_default());
    let (clusters, way) = (console::plural(number.clusters, "cluster"), number.way.title());
    match number.supported {
        true => format!("{clusters} of {from} to {to}: the most that halves of the rows agree on, by {way}"),
        false => format!(
            "no number of clusters from {from} to {to} is more stable than in data without clusters; {} of them were made",
            number.clusters
        ),
    }
}

/// What the verdict is, the figures behind it, and what to do about it.
fn verdict_lines(verdict: &Verdict, number_was_given: bool) -> Vec<String> {
    let mut lines = vec![format!("verdict   {}", verdict.sentence())];
    let mut more = |line: String| lines.push(format!("          {line}"));
    if let Some(figures) = verdict.figures() {
        more(figures);
    }
    let known: Vec<String> = verdict.clusters.iter().flatten().map(|share| format!("{share:.2}")).collect();
    if !known.is_empty() && verdict.clusters.len() <= SIZES_SHOWN {
        let refits =
            console::plural(verdict.refits, if verdict.trained { "short training" } else { "refit" });
        let each = verdict.clusters.iter().map(|share| share.map_or("–".to_owned(), |s| format!("{s:.2}")));
        more(format!("found again in {refits}, by cluster: {}", each.collect::<Vec<_>>().join(" ")));
    }
    let advice = match verdict.structure {
        Structure::None => {
            Some("do not rely on these clusters; -k auto says whether another number of them is supported")
        }
        Structure::Weak => {
            Some("with other rows these clusters would be others; -k auto compares numbers of clusters")
        }
        Structure::Partial => {
            Some("rely on the other clusters, or try another number of them: -k auto compares numbers")
        }
        Structure::SingleColumns => Some(
            "each cluster is a range of values of single columns: cut there, or leave those columns out with --ignore",
        ),
        Structure::Clear if number_was_given => {
            Some("another number of clusters may be as stable: -k auto compares numbers")
        }
        Structure::Clear | Structure::NotJudged => None,
    };
    if let Some(advice) = advice {
        more(advice.to_owned());
    }
    lines
}

/// What was chosen, and how sure it is.
fn chosen(choice: &Choice) -> String {
    let clusters = match (choice.curve.first(), choice.curve.last()) {
        (Some(first), Some(last)) => {
            format!("{} clusters of {} to {}; ", choice.clusters, first.clusters, last.clusters)
        }
        _ => String::new(),
    };
    let agreement =
        choice.agreement.map_or(String::new(), |a| format!(", which agree with a mean ARI of {a:.3}"));
    let candidates = console::plural(choice.candidates.len(), "candidate");
    format!("{clusters}seed {} of {candidates}{agreement}", choice.seed)
}

impl Scores {
    fn show(&self) -> String {
        let Scores { acc, purity, nmi, ari } = self;
        format!("ACC {acc:.4}, purity {purity:.4}, NMI {nmi:.4}, ARI {ari:.4}")
    }
}

/// Scores, where labels are known.
fn scores(data: &Dataset, labels: &[u32]) -> Result<Option<Scores>, Failure> {
    data.labels.as_ref().map(|truth| scores_of(&truth.codes, labels)).transpose()
}

fn scores_of(truth: &[u32], labels: &[u32]) -> Result<Scores, Failure> {
    let s = ExternalScores::new(truth, labels).map_err(|e| Failure::Failed(e.to_string()))?;
    Ok(Scores { acc: s.acc, purity: s.purity, nmi: s.nmi, ari: s.ari })
}

fn sizes(labels: &[u32], clusters: usize) -> Vec<usize> {
    let mut sizes = vec![0; clusters];
    labels.iter().for_each(|&l| sizes[l as usize] += 1);
    sizes
}

pub(crate) fn show_sizes(sizes: &[usize]) -> String {
    if sizes.len() <= SIZES_SHOWN {
        return sizes.iter().map(|s| grouped(*s)).collect::<Vec<_>>().join(" ");
    }
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    let (least, middle, most) = (sorted[0], sorted[sorted.len() / 2], sorted[sorted.len() - 1]);
    format!("from {} to {} rows, half of them below {}", grouped(least), grouped(most), grouped(middle))
}

/// Commands that use the model.
pub(crate) fn next_command(out: &Path, data: &Path, settings: &Settings) -> String {
    let label = settings.label_column.as_deref();
    let label = label.map_or(String::new(), |c| format!(" --label-column {}", shell(Path::new(c))));
    // The same files are broken the next time.
    let skip = if settings.on_error == Some(OnError::Skip) { " --on-error skip" } else { "" };
    let predict = format!("lpvdn predict {} {}{label}{skip}", shell(out), shell(data));
    // What came from standard input is gone.
    match data.as_os_str() == "-" {
        true => predict,
        false => format!("lpvdn explore {}\n          {predict}", shell(out)),
    }
}
