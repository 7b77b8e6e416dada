//! The page that is made of the recorded runs, and of nothing else.

use std::fmt::Write;

use super::methods::{OURS, RIVALS};
use super::records::Record;
use super::sets::Set;
use super::summary::{Cell, Column, Figure, MARGIN, States, Summary};

/// The whole page.
pub(super) fn page(records: &[Record], sets: &[Set]) -> String {
    let summary = Summary::new(records, sets);
    let mut text = HEAD.to_owned();
    scores(&mut text, &summary, "ARI", |run| run.ari);
    means(&mut text, &summary);
    losses(&mut text, &summary);
    scores(&mut text, &summary, "ACC", |run| run.acc);
    scores(&mut text, &summary, "NMI", |run| run.nmi);
    costs(&mut text, &summary);
    methods(&mut text, &summary);
    failures(&mut text, &summary);
    text
}

const HEAD: &str = "\
# Our methods and what a user would pick instead

`cargo xtask rivals` runs both on the same files of one machine, records each run in
[results/rivals.jsonl](../results/rivals.jsonl), and writes this page from what is recorded. No method sees a label.
All are given the number of classes as K, but for those that find the number of clusters themselves.

- A figure is the mean over the recorded seeds, usually three: never the best seed, and never the best layer of a hierarchy.
  The best of a row is bold. The table of the methods has the number of runs.
- Rivals have their usual settings, and the encoding that a careful user would choose: columns of a table are standardised,
  words are 0/1 columns, columns of money are logarithms, dates are days, and a missing value is the mean of its column.
  Pixels, vectors and tf-idf stay as they are. Texts become tf-idf of the 2,000 most frequent words without stop words.
- Ours read the file as it is: `lpvdn fit FILE --method METHOD -k K --seed SEED`, with the names of the columns of classes
  and ids, and `--missing mean` where values are missing.
- Rows that HDBSCAN and EVōC call noise count as one more cluster.
- UMAP and EVōC run without a seed, as users run them: a seed forces UMAP to one thread, and EVōC to slower ways. So their
  runs are independent draws that cannot be repeated to the bit. Both are compiled when they are first called, so one run that
  is thrown away comes first.
- Seconds of ours are those of the whole process. Those of a rival are reading, encoding and clustering in a Python that has
  loaded its packages. Other work on the machine makes both slower, so they are a direction and no measurement. Peak memory
  is that of the process, Python's packages included.
- ACC is the share of rows in the right cluster under the best one-to-one assignment. That of the rivals, their NMI and ARI
  are computed by scikit-learn and SciPy, ours by the program; each run of the chore checks on one fit that both agree.
- † marks a cell of which a run failed or took longer than the limit; the mean is that of the others. Where none ended the
  ARI counts as 0.

The sets below the line of a table do not count for the means: `sklearn-wine` and `sklearn-cancer` repeat wine and wdbc as
scikit-learn has them, `iris` is small, `topics` (unit vectors around 15 topics of unequal size) and `outliers` (blobs of which
2 % of the rows lie anywhere) are generated. `blobs` are six clusters of 3000 to 30 rows, far apart. `reuters-21578` are the
stories of earn, acq, crude and trade. `optdigits` are the digits that are built into the program.
";

/// A table of sets and methods; the best mean of each set is bold.
fn scores(text: &mut String, summary: &Summary<'_>, name: &str, figure: Figure) {
    let _ = write!(text, "\n## {name}\n\n");
    table(
        text,
        summary,
        &|column, set, best| {
            score_cell(summary.cell(column, set.name), figure, best, column.for_texts() && !set.is_text())
        },
        figure,
    );
}

/// One cell of a table of scores.
fn score_cell(cell: Option<&Cell<'_>>, figure: Figure, best: Option<f64>, foreign: bool) -> String {
    let Some(cell) = cell else { return if foreign { "–" } else { "" }.to_owned() };
    let Some(mean) = cell.mean(figure) else { return "failed".to_owned() };
    let mark = if cell.failures() > 0 { "†" } else { "" };
    // What is equal to the eye is equally good.
    let bold = best.is_some_and(|best| short(best) == short(mean));
    if bold { format!("**{}**{mark}", short(mean)) } else { format!("{}{mark}", short(mean)) }
}

/// What a table has in the cell of a method and a set, whose best mean is given too.
type CellText<'a> = &'a dyn Fn(&Column, &Set, Option<f64>) -> String;

fn table(text: &mut String, summary: &Summary<'_>, cell: CellText<'_>, figure: Figure) {
    let titles: Vec<String> = summary.columns.iter().map(|column| title(column, summary)).collect();
    let _ = writeln!(text, "| set | {} |", titles.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(titles.len()));
    let mut counted = true;
    for set in summary.recorded_sets() {
        if counted && !set.counts {
            let _ = writeln!(text, "| — |{}", " |".repeat(titles.len()));
            counted = false;
        }
        let means = summary.columns.iter().filter_map(|column| summary.cell(column, set.name)?.mean(figure));
        let means: Vec<f64> = means.collect();
        // One alone is not the best of anything.
        let best = means.iter().copied().reduce(f64::max).filter(|_| means.len() > 1);
        let cells: Vec<String> = summary.columns.iter().map(|column| cell(column, set, best)).collect();
        let _ = writeln!(text, "| {} | {} |", set.name, cells.join(" | "));
    }
}

/// Seconds and memory, without a best: what is not comparable has none.
fn costs(text: &mut String, summary: &Summary<'_>) {
    let figures: [(&str, Figure, usize); 2] =
        [("Seconds", |run| run.seconds, 1), ("Peak memory in MB", |run| run.memory_mb, 0)];
    for (name, figure, digits) in figures {
        let _ = write!(text, "\n## {name}\n\n");
        let cell = |column: &Column, set: &Set, _: Option<f64>| {
            let mean = summary.cell(column, set.name).and_then(|cell| cell.mean(figure));
            mean.map_or(String::new(), |mean| format!("{mean:.digits$}"))
        };
        table(text, summary, &cell, figure);
    }
}

fn means(text: &mut String, summary: &Summary<'_>) {
    let (sets, mut standings) = summary.standings();
    text.push_str("\n## Means\n\n");
    if sets.is_empty() {
        text.push_str("There is no set yet on which all methods were run.\n");
        return;
    }
    let counted = summary.sets.iter().filter(|set| set.counts).count();
    let _ = writeln!(
        text,
        "Over the {} of {counted} sets that count on which all of these were run: {}. A rank of 1 is the best.\n",
        sets.len(),
        sets.join(", ")
    );
    standings.sort_by(|a, b| b.ari.total_cmp(&a.ari));
    text.push_str("| method | mean ARI | mean rank |\n|---|---|---|\n");
    for standing in standings {
        let name = title(&standing.column, summary);
        let _ = writeln!(text, "| {name} | {} | {:.2} |", short(standing.ari), standing.rank);
    }
    for States { sets, means } in summary.states() {
        let states: Vec<String> =
            means.iter().map(|(column, ari)| format!("{} {}", title(column, summary), short(*ari))).collect();
        let _ = writeln!(
            text,
            "\nMean ARI over the {sets} sets that count and that all of these states were run on: {}.",
            states.join(", ")
        );
    }
}

fn losses(text: &mut String, summary: &Summary<'_>) {
    let margin = short(MARGIN).trim_end_matches('0').to_owned();
    let _ = writeln!(
        text,
        "\n## Where we lose\n\nThe sets on which the best rival's mean ARI is ahead by more than {margin}."
    );
    if summary.ours().is_empty() {
        text.push_str("\nNone of our methods is recorded yet.\n");
    }
    for ours in summary.ours() {
        let losses = summary.losses(ours);
        let runs = summary.recorded_sets().filter(|set| summary.cell(ours, set.name).is_some()).count();
        let _ = writeln!(text, "\n### {}\n\n{} of {runs} sets.", title(ours, summary), losses.len());
        if losses.is_empty() {
            continue;
        }
        text.push_str("\n| set | ours | best rival | its ARI | behind by |\n|---|---|---|---|---|\n");
        for loss in losses {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} |",
                loss.set,
                short(loss.ours),
                title(&loss.rival, summary),
                short(loss.theirs),
                short(loss.theirs - loss.ours)
            );
        }
    }
}

/// What each method is: settings, versions, and how many runs are recorded.
fn methods(text: &mut String, summary: &Summary<'_>) {
    text.push_str(
        "\n## The methods\n\n| method | settings | versions | threads | runs |\n|---|---|---|---|---|\n",
    );
    for column in &summary.columns {
        let cells = summary.sets.iter().filter_map(|set| summary.cell(column, set.name));
        let runs: Vec<&Record> = cells.flat_map(|cell| cell.runs.iter().copied()).collect();
        let rival = RIVALS.iter().find(|rival| !column.is_ours() && rival.name == column.method);
        let settings = match rival {
            Some(rival) => rival.settings.to_owned(),
            None => format!("`lpvdn fit --method {}`, defaults", column.method),
        };
        let version = |run: &Record| {
            let version = run.version.clone()?;
            Some(match &run.commit {
                Some(commit) => format!("{version} ({commit})"),
                None => version,
            })
        };
        let versions = distinct(runs.iter().filter_map(|run| version(run)));
        let threads = distinct(runs.iter().map(|run| run.threads.to_string()));
        let name = title(column, summary);
        let _ = writeln!(text, "| {name} | {settings} | {versions} | {threads} | {} |", runs.len());
    }
}

fn failures(text: &mut String, summary: &Summary<'_>) {
    let mut lines = String::new();
    for set in summary.recorded_sets() {
        for column in &summary.columns {
            let runs = summary.cell(column, set.name).map_or(&[][..], |cell| &cell.runs);
            for (run, why) in runs.iter().filter_map(|run| Some((run, run.failed.as_ref()?))) {
                let (name, seed) = (title(column, summary), run.seed);
                let _ =
                    writeln!(lines, "- {}, {name}, seed {seed}: {}", set.name, why.replace(['|', '\n'], " "));
            }
        }
    }
    if !lines.is_empty() {
        let _ = write!(text, "\n## Runs that failed\n\n{lines}");
    }
}

fn distinct(values: impl Iterator<Item = String>) -> String {
    let mut values: Vec<String> = values.collect();
    values.sort();
    values.dedup();
    values.join("; ")
}

/// What a column is called. The state of ours is named where there are several.
fn title(column: &Column, summary: &Summary<'_>) -> String {
    let known = OURS.iter().map(|(name, title, _)| (true, *name, *title));
    let rivals = RIVALS.iter().map(|rival| (false, rival.name, rival.title));
    let found =
        known.chain(rivals).find(|(ours, name, _)| *ours == column.is_ours() && *name == column.method);
    let title = found.map_or(column.method.as_str(), |(_, _, title)| title);
    match &column.label {
        None => title.to_owned(),
        Some(label) if summary.columns.iter().any(|other| other.is_ours() && other.label != column.label) => {
            format!("ours: {title}, {label}")
        }
        Some(_) => format!("ours: {title}"),
    }
}

/// Three digits, as .898.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    match text.strip_prefix("0.").map(|rest| format!(".{rest}")) {
        Some(short) => short,
        None => text.replacen("-0.", "−.", 1),
    }
}

#[cfg(test)]
mod tests;
