//! `lpvdn evaluate`

use std::io;

use lpvdn::model::lpvdn::{Quality, SILHOUETTE_ROWS};
use lpvdn_cluster::ExternalScores;
use lpvdn_cluster::metrics::Contingency;
use lpvdn_core::{Labels, Matrix, Pool};
use serde::Serialize;

use super::{load, note_unknown};
use crate::console::{self, Words, printable};
use crate::failure::Failure;
use crate::model_args::EvaluateArgs;

/// Tables with more columns are for programs, not for eyes.
const CLUSTERS_SHOWN: usize = 40;

#[derive(Serialize)]
struct Evaluation {
    method: &'static str,
    data: String,
    rows: usize,
    columns: usize,
    clusters: usize,
    classes: usize,
    acc: f64,
    purity: f64,
    nmi: f64,
    ari: f64,
    ami: f64,
    #[serde(flatten)]
    quality: Quality,
    confusion: Confusion,
}

/// How many rows of each class are in each cluster.
#[derive(Serialize)]
pub(super) struct Confusion {
    pub(super) classes: Vec<String>,
    /// In the order of the classes they stand for.
    pub(super) clusters: Vec<u32>,
    pub(super) counts: Vec<Vec<u64>>,
}

pub(crate) fn run(args: &EvaluateArgs) -> Result<(), Failure> {
    let (model, data) = load(&args.on)?;
    let Some(truth) = &data.labels else {
        let name = args.on.data.display();
        return Err(Failure::Failed(format!(
            "{name}: no classes are known for its rows, so there is nothing to compare with; name their column with --label-column"
        )));
    };
    let codes = model.codes(&data)?;
    note_unknown(&model, &data)?;
    let labels = model.labels_of(&codes);
    let table = Contingency::new(&truth.codes, &labels).map_err(|e| Failure::Failed(e.to_string()))?;
    let scores = ExternalScores::from(&table);
    let evaluation = Evaluation {
        method: model.method().name(),
        data: data.name.clone(),
        rows: data.rows(),
        columns: data.cols(),
        clusters: model.clusters(),
        classes: truth.names.len(),
        acc: scores.acc,
        purity: scores.purity,
        nmi: scores.nmi,
        ari: scores.ari,
        ami: scores.ami,
        quality: quality(&codes, &labels, args.on.how.threads.into()),
        confusion: Confusion::new(&table, truth, model.clusters()),
    };
    if args.json {
        let line =
            serde_json::to_string(&evaluation).map_err(|e| Failure::writing("the scores", e.into()))?;
        console::stdout(|out| writeln!(out, "{line}"))
    } else {
        let mut words = Words::new();
        evaluation.write(&mut words).map_err(|e| Failure::writing("the scores", e))?;
        console::stdout_words(&words)
    }
}

fn quality(codes: &Matrix<f32>, labels: &[u32], threads: usize) -> Quality {
    let measure = || Quality::of(codes, labels);
    match Pool::new(threads) {
        Ok(pool) => pool.run(measure),
        Err(_) => measure(),
    }
}

impl Confusion {
    pub(super) fn new(table: &Contingency, truth: &Labels, clusters: usize) -> Confusion {
        let matching = table.matching();
        let class_of = |cluster: u32| matching.iter().find(|(c, _)| *c == cluster).map(|(_, t)| *t);
        let mut order: Vec<u32> = (0..clusters as u32).collect();
        order.sort_by_key(|&c| (class_of(c).unwrap_or(u32::MAX), c));
        let mut counts = vec![vec![0; clusters]; truth.names.len()];
        for (class, cluster, rows) in table.cells() {
            let place = order.iter().position(|&c| c == cluster).unwrap_or(0);
            counts[class as usize][place] = rows;
        }
        Confusion { classes: truth.names.clone(), clusters: order, counts }
    }

    fn write(&self, out: &mut Words) -> io::Result<()> {
        let classes: Vec<_> = self.classes.iter().map(|class| printable(class)).collect();
        let longest = classes.iter().map(|c| c.chars().count()).max().unwrap_or(0);
        let first = longest.clamp("class".len(), 24);
        let largest = self.counts.iter().flatten().max().copied().unwrap_or(0);
        let width = 1 + largest.to_string().len().max(self.clusters.len().to_string().len());
        let short = |name: &str| name.chars().take(first).collect::<String>();
        writeln!(out, "{:first$}  cluster", "")?;
        write!(out, "{:first$} ", "class")?;
        self.clusters.iter().try_for_each(|c| write!(out, "{c:>width$}"))?;
        writeln!(out)?;
        for (class, counts) in classes.iter().zip(&self.counts) {
            write!(out, "{:first$} ", short(class))?;
            for count in counts {
                let shown = if *count == 0 { ".".to_owned() } else { count.to_string() };
                write!(out, "{shown:>width$}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

impl Evaluation {
    fn write(&self, out: &mut Words) -> io::Result<()> {
        let (rows, columns) = (console::plural(self.rows, "row"), console::plural(self.columns, "column"));
        writeln!(out, "data        {}: {rows} × {columns}", self.data)?;
        writeln!(out, "compared    {} clusters with {} classes", self.clusters, self.classes)?;
        writeln!(out, "ACC         {:.4}", self.acc)?;
        writeln!(out, "purity      {:.4}", self.purity)?;
        writeln!(out, "NMI         {:.4}", self.nmi)?;
        writeln!(out, "ARI         {:.4}", self.ari)?;
        writeln!(out, "AMI         {:.4}", self.ami)?;
        match self.quality.silhouette {
            Some(value) if self.rows > SILHOUETTE_ROWS => {
                let sample = console::grouped(SILHOUETTE_ROWS);
                writeln!(out, "silhouette  {value:.4}  (of the codes; {sample} rows drawn)")?;
            }
            Some(value) => writeln!(out, "silhouette  {value:.4}  (of the codes)")?,
            None => writeln!(out, "silhouette  not defined for these clusters")?,
        }
        writeln!(out)?;
        if self.clusters <= CLUSTERS_SHOWN {
            self.confusion.write(out)
        } else {
            writeln!(
                out,
                "--json prints the table of {} classes and {} clusters",
                self.classes, self.clusters
            )
        }
    }
}
