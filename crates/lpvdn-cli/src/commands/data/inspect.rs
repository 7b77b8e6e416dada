//! `lpvdn data inspect`

use std::io;
use std::path::PathBuf;

use lpvdn::ValidEstimator;
use lpvdn::model::lpvdn::Outlook;
use lpvdn_core::source::for_each_block;
use lpvdn_core::view::Unknown;
use lpvdn_core::{Dataset, Summary};
use lpvdn_data::{DataError, EmptyText, Filled, Format, Missing, Opened, Reading};
use serde_json::{Value, json};

use super::column_kinds;
use super::label_candidates::{self, Candidate};
use super::preview;
use crate::advice;
use crate::clusters::Clusters;
use crate::config;
use crate::console::{self, Words, bytes, duration, grouped, plural, quoted};
use crate::data_args::InspectArgs;
use crate::failure::{Failure, fit_words};
use crate::readings;
use crate::settings::Settings;

/// Rows looked at in one go.
const BLOCK: usize = 1024;
/// More classes are for programs, not for eyes.
const CLASSES_SHOWN: usize = 20;
/// And more columns with missing values.
const COLUMNS_SHOWN: usize = 8;

pub(crate) fn run(args: &InspectArgs) -> Result<(), Failure> {
    check(&args.settings)?;
    let inspection = Inspection::of(&args.settings)?;
    if args.settings.json {
        let facts = inspection.facts();
        return console::stdout(|out| writeln!(out, "{facts}"));
    }
    let mut words = Words::new();
    inspection.write(&mut words).map_err(|e| Failure::writing("standard output", e))?;
    console::stdout_words(&words)
}

/// Options of `fit` that mean nothing here are refused rather than ignored.
fn check(settings: &Settings) -> Result<(), Failure> {
    let options = [
        ("--out", settings.out.is_some()),
        ("--force", settings.force),
        ("--resume", settings.resume),
        ("--evaluate-every", settings.evaluate_every.is_some()),
        ("--checkpoint-every", settings.checkpoint_every.is_some()),
        ("--store", settings.store.is_some()),
        ("--quiet", settings.quiet),
        ("--restarts", settings.restarts.is_some()),
    ];
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::Usage(format!("{option} has no meaning here: nothing is trained"))),
    }
}

struct Inspection {
    path: PathBuf,
    what: String,
    data: Dataset,
    reading: Option<Reading>,
    notes: Vec<String>,
    summary: Summary,
    missing: Holes,
    candidates: Vec<Candidate>,
    outlook: Result<Outlook, String>,
}

/// Values that are missing, or no numbers.
struct Holes {
    count: usize,
    /// How many of them the mean of their column can stand for: in a table all but infinite ones.
    fillable: usize,
    /// Where the first one is, where it is still there.
    first: Option<String>,
    /// How many there are in each column that has some.
    columns: Vec<Filled>,
    /// What stands for them already, if something does.
    filled: Option<Missing>,
}

impl Inspection {
    fn of(settings: &Settings) -> Result<Inspection, Failure> {
        let path = settings.data.clone().unwrap_or_else(|| PathBuf::from("digits"));
        let options = settings.open_options();
        let is_stream = lpvdn_data::is_stream(&path);
        let mut what = lpvdn_data::what(&path, &options)?;
        let mut no_text = None;
        let (opened, first_hole) = match lpvdn_data::read(&path, &options) {
            // To look at data with holes must be possible: only a fit refuses them.
            // Of what can be read only once the error must do.
            Err(DataError::MissingValue { at, column, .. }) if !is_stream => {
                let mut filled = options.clone();
                filled.missing = Missing::Mean;
                let place = format!("{at}, column {column}");
                (lpvdn_data::read(&path, &filled)?, Some(place))
            }
            // Nor does a text that is missing keep anyone from looking at the others.
            Err(error @ DataError::EmptyText { .. }) if !is_stream => {
                let mut some = options.clone();
                some.empty_text = Some(EmptyText::Skip);
                no_text = Some(advice::with(&error.to_string(), error.remedies(), advice::running()));
                (lpvdn_data::read(&path, &some)?, None)
            }
            opened => (opened?, None),
        };
        let Opened { data, format, reading, notes, missing, .. } = opened;
        if let Some(format) = format.filter(|_| is_stream) {
            what = format!("{what}, {format}");
        }
        let summary = Summary::of(data.source.as_ref()).map_err(|e| Failure::Failed(e.to_string()))?;
        let is_table = matches!(format, Some(Format::Csv | Format::Tsv | Format::Parquet | Format::Arrow));
        let holes = Holes::of(&data, &summary, (missing, first_hole), (options.missing, is_table))?;
        let candidates = if data.labels.is_none() && settings.label_column.is_none() {
            label_candidates::of(&data, reading.as_ref())?
        } else {
            Vec::new()
        };
        let outlook = match no_text {
            Some(problem) => Err(problem),
            None => outlook(settings, &data, &holes, &candidates),
        };
        let notes = advice::notes(&notes);
        Ok(Inspection { path, what, data, reading, notes, summary, missing: holes, candidates, outlook })
    }

    fn write(&self, out: &mut Words) -> io::Result<()> {
        let (rows, columns) = (plural(self.data.rows(), "row"), plural(self.data.cols(), "column"));
        writeln!(out, "data      {}: {rows} × {columns}", self.data.name)?;
        writeln!(out, "format    {}", self.what)?;
        writeln!(out, "values    {}", self.values())?;
        writeln!(out, "missing   {}", self.missing.described())?;
        writeln!(out, "zeros     {}", self.sparsity())?;
        if let Some(kinds) = self.data.groups.as_deref().map(column_kinds::described) {
            writeln!(out, "holds     {kinds}")?;
        }
        self.write_labels(out)?;
        if let Some((what, line)) = readings::line(self.reading.as_ref(), self.data.rows()) {
            writeln!(out, "{what:<9} {line}")?;
        }
        for note in &self.notes {
            writeln!(out, "note      {note}")?;
        }
        writeln!(out, "memory    {} as it is held", bytes(self.data.memory() as u64))?;
        writeln!(out)?;
        writeln!(out, "The first rows")?;
        preview::write(out, &self.data)?;
        writeln!(out)?;
        writeln!(out, "What lpvdn fit {} would do", console::shell(&self.path))?;
        match &self.outlook {
            Ok(outlook) => write_outlook(out, outlook),
            Err(problem) => writeln!(out, "nothing: {problem}"),
        }
    }

    fn values(&self) -> String {
        let Summary { min, max, whole_numbers, .. } = &self.summary;
        let source = self.data.source.as_ref();
        let kind = match () {
            () if source.is_bytes() => "bytes",
            () if source.is_sparse() => "sparse 32-bit floats",
            () => "32-bit floats",
        };
        let whole = if *whole_numbers && !source.is_bytes() { ", whole numbers" } else { "" };
        if min > max {
            format!("{kind}, none of them finite")
        } else {
            format!("{kind} from {min} to {max}{whole}")
        }
    }

    fn sparsity(&self) -> String {
        let zeros = self.summary.zeros;
        let a_row = (1.0 - zeros) * self.data.cols() as f64;
        format!("{:.1} % of the values; {a_row:.1} others a row", 100.0 * zeros)
    }

    fn classes(&self) -> Option<Vec<(&str, usize)>> {
        let labels = self.data.labels.as_ref()?;
        let mut counts = vec![0; labels.names.len()];
        labels.codes.iter().for_each(|&code| counts[code as usize] += 1);
        Some(labels.names.iter().map(String::as_str).zip(counts).collect())
    }

    fn write_labels(&self, out: &mut Words) -> io::Result<()> {
        let Some(classes) = self.classes() else {
            writeln!(out, "labels    not known")?;
            for candidate in &self.candidates {
                writeln!(out, "          {}", candidate.described())?;
            }
            return Ok(());
        };
        let shown = classes.iter().take(CLASSES_SHOWN);
        let list: Vec<String> = shown.map(|(name, n)| format!("{} {}", quoted(name), grouped(*n))).collect();
        let more = if classes.len() > CLASSES_SHOWN { ", …" } else { "" };
        let (count, es) = (classes.len(), if classes.len() == 1 { "" } else { "es" });
        writeln!(out, "labels    {count} class{es}: {}{more}", list.join(", "))
    }

    fn facts(&self) -> Value {
        let source = self.data.source.as_ref();
        let finite = |value: f32| value.is_finite().then_some(value);
        let classes: Option<Vec<Value>> = self
            .classes()
            .map(|all| all.into_iter().map(|(name, rows)| json!({ "name": name, "rows": rows })).collect());
        let candidates: Vec<Value> = self.candidates.iter().map(Candidate::facts).collect();
        json!({
            "data": self.data.name,
            "path": self.path,
            "format": self.what,
            "rows": self.data.rows(),
            "columns": self.data.cols(),
            "column_names": self.data.columns,
            "kinds": self.data.groups.as_deref().map(column_kinds::facts),
            "stored_as": if source.is_bytes() { "bytes" } else if source.is_sparse() { "sparse" } else { "floats" },
            "min": finite(self.summary.min),
            "max": finite(self.summary.max),
            "whole_numbers": self.summary.whole_numbers,
            "missing": {
                "count": self.missing.count,
                "first": self.missing.first,
                "columns": self.missing.facts(),
                "filled_in": self.missing.filled.is_some(),
            },
            "zeros": self.summary.zeros,
            "non_zeros_a_row": (1.0 - self.summary.zeros) * self.data.cols() as f64,
            "classes": classes,
            "label_column_candidates": candidates,
            "reading": readings::facts(self.reading.as_ref()),
            "notes": self.notes,
            "memory_bytes": self.data.memory(),
            "fit": self.outlook.as_ref().ok(),
            "fit_refuses": self.outlook.as_ref().err(),
        })
    }
}

impl Holes {
    /// Those that were missing while the data was read, of which the first may be known, and those that are there.
    fn of(
        data: &Dataset,
        summary: &Summary,
        (mut columns, first): (Vec<Filled>, Option<String>),
        (asked, is_table): (Missing, bool),
    ) -> Result<Holes, Failure> {
        let filled: usize = columns.iter().map(|column| column.count).sum();
        let Some((row, column, value)) = &summary.non_finite else {
            return Ok(Holes {
                count: filled,
                fillable: filled,
                filled: (filled > 0 && first.is_none()).then_some(asked),
                first,
                columns,
            });
        };
        let (mut counts, mut nan) = (vec![0_usize; data.cols()], 0);
        let counted = for_each_block(data.source.as_ref(), BLOCK, |_, batch| {
            (0..batch.rows()).for_each(|i| {
                batch.for_each_in_row(i, |j, v| {
                    counts[j] += usize::from(!v.is_finite());
                    nan += usize::from(v.is_nan());
                });
            });
            Ok(())
        });
        counted.map_err(|e| Failure::Failed(e.to_string()))?;
        let name = |column: usize| {
            let name = data.columns.as_ref().and_then(|names| names.get(column));
            name.map_or_else(|| column.to_string(), |name| format!("{name:?}"))
        };
        let place = format!("{}, column {}: {value}", data.place_of(*row), name(*column));
        let there = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        columns.extend(there.map(|(column, &count)| Filled { column: name(column), count }));
        let count = columns.iter().map(|column| column.count).sum();
        let fillable = filled + if is_table { nan } else { 0 };
        Ok(Holes { count, fillable, first: first.or(Some(place)), columns, filled: None })
    }

    fn facts(&self) -> Vec<Value> {
        self.columns.iter().map(|c| json!({ "column": c.column, "count": c.count })).collect()
    }

    fn described(&self) -> String {
        if self.count == 0 {
            return "no value".to_owned();
        }
        let state = match self.filled {
            None | Some(Missing::Error) => "",
            Some(Missing::Mean) => ", filled in with the means of their columns",
            Some(Missing::Median) => ", filled in with the medians of their columns",
            Some(Missing::MostFrequent) => ", filled in with the most frequent values of their columns",
            Some(Missing::Category) => {
                ", filled in with the means of their columns, among words with a category of their own"
            }
        };
        let first = self.first.as_ref().map_or(String::new(), |first| format!("; the first: {first}"));
        let shown = self.columns.iter().take(COLUMNS_SHOWN);
        let list: Vec<String> =
            shown.map(|c| format!("{} in column {}", grouped(c.count), c.column)).collect();
        let more = match self.columns.len().saturating_sub(COLUMNS_SHOWN) {
            0 => String::new(),
            more => format!(", and some in {}", plural(more, "other column")),
        };
        format!("{}{state}: {}{more}{first}", plural(self.count, "value"), list.join(", "))
    }
}

fn outlook(
    settings: &Settings,
    data: &Dataset,
    holes: &Holes,
    candidates: &[Candidate],
) -> Result<Outlook, String> {
    if holes.count > 0 && !settings.missing.is_some_and(Missing::fills) {
        let (first, count) = (holes.first.as_deref().unwrap_or("unknown"), plural(holes.count, "value"));
        let remedy = match holes.fillable == holes.count {
            true => "fill in with --missing mean",
            false => "remove the rows or fill the values in",
        };
        return Err(format!("{count} missing or no number (first {first}); {remedy}"));
    }
    let classes = data.labels.as_ref().map(|labels| labels.names.len());
    let clusters = match settings.clusters {
        Some(Clusters::Number(n)) => Some(n),
        Some(other) => other.range(data.rows()).map(|range| *range.end()),
        None => classes,
    };
    let Some(clusters) = clusters else {
        let or = if candidates.is_empty() { "" } else { ", or the classes with --label-column" };
        return Err(format!("the number of clusters is not known; give it with -k{or}"));
    };
    let words = |failure: Failure| match failure {
        Failure::Usage(words) | Failure::Failed(words) => words,
        _ => "the settings are not accepted".to_owned(),
    };
    let params = config::params(settings, clusters).map_err(words)?;
    let estimator = ValidEstimator::Lpvdn(Box::new(params.clone()));
    config::check_size(&estimator, data).map_err(words)?;
    params.outlook(data, settings.threads.unwrap_or(0).into()).map_err(|e| fit_words(&e))
}

fn write_outlook(out: &mut Words, outlook: &Outlook) -> io::Result<()> {
    let Outlook { plan, view, unknown, preprocessor, likelihood, shape, warnings, .. } = outlook;
    let scaling = match view {
        Some(_) => "by the type of the columns".to_owned(),
        None => format!("values {}", preprocessor.in_words()),
    };
    let arrows = |sizes: &[usize]| sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" → ");
    let chain =
        |input: usize, layers: &[usize], output: usize| arrows(&[&[input], layers, &[output]].concat());
    writeln!(out, "clusters  {}", plan.clusters)?;
    writeln!(out, "scaling   {scaling}; {} likelihood", format!("{likelihood:?}").to_lowercase())?;
    view.iter().flatten().try_for_each(|line| writeln!(out, "          {line}"))?;
    Unknown::line(unknown).iter().try_for_each(|line| writeln!(out, "          {line}"))?;
    writeln!(out, "encoder   {}", chain(shape.columns, &shape.layers, shape.latent))?;
    writeln!(out, "locality  {}", chain(shape.latent, &shape.locality, shape.output))?;
    writeln!(out, "network   {}", plural(plan.parameters, "parameter"))?;
    let b = &plan.budget;
    writeln!(
        out,
        "training  {} of pre-training, {} of training, {} of settling, each of {} of at most {}",
        plural(b.pretrain_epochs, "epoch"),
        b.epochs,
        b.settle_epochs,
        plural(b.steps, "step"),
        plural(b.batch, "row")
    )?;
    writeln!(
        out,
        "expected  about {} and {} of memory on {}",
        duration(plan.seconds),
        bytes(plan.memory_bytes),
        plural(plan.threads, "thread")
    )?;
    warnings.iter().try_for_each(|warning| writeln!(out, "warning: {warning}"))
}
