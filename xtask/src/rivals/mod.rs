//! Our methods against what a user would pick instead, on the same files and in one run.

mod methods;
mod options;
mod ours;
mod page;
mod records;
mod sets;
mod summary;
mod theirs;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use self::methods::RIVALS;
use self::options::{HELP, Options, parse};
use self::ours::Program;
use self::records::{Key, Record, latest};
use self::sets::{SETS, SMOKE, Set};
use self::theirs::Python;
use crate::accuracy::commit;
use crate::chores::{Chore, Smoke};
use crate::environment::{self, Environment, OLDEST};
use crate::process::{program, run as command, scratch, target, text};
use crate::results::{RIVALS as FILE, Results};
use crate::verdict::Labelled;
use crate::{python, skips};

pub(crate) const CHORE: Chore = Chore {
    name: "rivals",
    about: "our methods against scikit-learn, UMAP, Leiden, HDBSCAN and EVōC, recorded; writes docs/rivals.md",
    help: HELP,
    run,
    smoke: Smoke::Form(smoke),
};

const SCRIPT: &str = "xtask/rivals/rivals.py";
const MAKE_SETS: &str = "xtask/rivals/make_sets.py";
const REQUIREMENTS: &str = "xtask/rivals/requirements.txt";
const PAGE: &str = "docs/rivals.md";
/// Where the sets may be, if neither an option nor the variable says so.
const USUAL_DATA: &str = "../shared/data";
const DATA_VARIABLE: &str = "LPVDN_DATA";

/// Both sides, the sets, and where runs are recorded.
struct Bench {
    sets: Vec<(&'static Set, PathBuf)>,
    python: Option<Python>,
    program: Option<Program>,
    results: Results,
    page: PathBuf,
    /// All sets that the page may have.
    known: &'static [Set],
}

fn run(arguments: &[String]) -> Result<()> {
    let options = parse(arguments)?;
    if options.render {
        return render(&Results::real(), Path::new(PAGE), SETS);
    }
    Bench::real(&options)?.run(&options)
}

impl Bench {
    fn real(options: &Options) -> Result<Bench> {
        let work = target()?.join("rivals");
        let made = work.join("sets");
        let python = environment()?.program("python");
        command(&python, &["-B", MAKE_SETS, &text(&made)])?;
        let sets = located(options, &made, data_folder(options)?.as_deref())?;
        let (threads, limit) = (options.threads, options.limit);
        let program = (!options.methods.is_empty()).then(|| built(options, work.clone())).transpose()?;
        let python = Some(Python { path: python, threads, limit, work });
        Ok(Bench { sets, python, program, results: Results::real(), page: PAGE.into(), known: SETS })
    }

    /// Runs what is not recorded yet, and writes the page.
    fn run(&self, options: &Options) -> Result<()> {
        let mut checked = false;
        for (set, path) in &self.sets {
            for rival in RIVALS.iter().filter(|rival| options.rivals.iter().any(|name| name == rival.name)) {
                if let (Some(python), true) = (&self.python, set.is_text() || !rival.texts) {
                    let keys = self.missing(set, rival.name, None, "", options)?;
                    let seeds: Vec<u64> = keys.iter().map(|key| key.seed).collect();
                    python.run(rival.name, set, path, &seeds, &mut |record| self.record(&record))?;
                }
            }
            for (method, program) in options.methods.iter().filter_map(|m| Some((m, self.program.as_ref()?)))
            {
                for key in self.missing(set, method, Some(&options.label), &program.commit, options)? {
                    let mut look = |out: &Path| self.check_once(out, &mut checked);
                    let record = program.fit(set, path, &key, &mut look)?;
                    self.record(&record)?;
                }
            }
        }
        render(&self.results, &self.page, self.known)
    }

    /// On the first fit of the chore: whether both sides compute the same scores of it.
    fn check_once(&self, out: &Path, checked: &mut bool) -> Result<()> {
        match &self.python {
            Some(python) if !*checked => {
                *checked = true;
                ours::check(&python.path, out)
            }
            _ => Ok(()),
        }
    }

    /// The runs of a method on a set that are to be made.
    fn missing(
        &self,
        set: &Set,
        method: &str,
        label: Option<&str>,
        commit: &str,
        options: &Options,
    ) -> Result<Vec<Key>> {
        let records = records::parse(self.results.read(FILE)?)?;
        let recorded = latest(&records);
        let mut missing = Vec::new();
        for &seed in &options.seeds {
            let (name, label) = (set.name.to_owned(), label.map(str::to_owned));
            let key = Key { set: name, method: method.to_owned(), label, seed };
            match recorded.get(&key) {
                Some(record) if !(options.again && stale(record, commit)) => {
                    let hint = if stale(record, commit) { "; --again repeats it" } else { "" };
                    println!("{}, {method}, seed {seed}: {}{hint}", set.name, origin(record));
                }
                _ => missing.push(key),
            }
        }
        Ok(missing)
    }

    fn record(&self, record: &Record) -> Result<()> {
        self.results.append(FILE, &serde_json::to_value(record)?)?;
        let outcome = match (&record.failed, record.acc, record.nmi, record.ari) {
            (None, Some(acc), Some(nmi), Some(ari)) => format!("{acc:.3}/{nmi:.3}/{ari:.3}"),
            (why, ..) => format!("FAILED: {}", why.as_deref().unwrap_or("no scores")),
        };
        let seconds = record.seconds.map_or(String::new(), |seconds| format!(", {seconds:.1} s"));
        println!("{}, {}, seed {}: {outcome}{seconds}", record.set, record.method, record.seed);
        Ok(())
    }
}

/// The sets with classes that are there, as another chore fits them: those in the repository and, where one is given, in a folder.
pub(crate) fn labelled(folder: Option<&Path>) -> Vec<Labelled> {
    let made = Path::new("no such folder");
    let there = SETS.iter().filter_map(|set| Some((set, set.path(made, folder)?)));
    there.map(|(set, path)| (set.name, set.fit_arguments(&path), set.clusters)).collect()
}

/// What is recorded of a run, and by which program.
fn origin(record: &Record) -> String {
    let what = if record.failed.is_some() { "recorded as failed" } else { "recorded" };
    record.commit.as_ref().map_or(what.to_owned(), |commit| format!("{what} at {commit}"))
}

/// Whether a run is worth repeating: it failed, or another program of ours made it.
fn stale(record: &Record, commit: &str) -> bool {
    record.failed.is_some() || record.commit.as_deref().is_some_and(|recorded| recorded != commit)
}

/// The program that is asked for, or that of this repository.
fn built(options: &Options, work: PathBuf) -> Result<Program> {
    let (threads, limit) = (options.threads, options.limit);
    if let (Some(path), Some(commit)) = (&options.program, &options.commit) {
        if !path.is_file() {
            bail!("{} is no program", path.display());
        }
        return Ok(Program { path: path.clone(), commit: commit.clone(), threads, limit, work });
    }
    let commit = commit()?;
    command("cargo", &["build", "--locked", "--release", "--package", "lpvdn-cli"])?;
    Ok(Program { path: target()?.join("release/lpvdn"), commit, threads, limit, work })
}

/// The folder of sets, where there is one.
fn data_folder(options: &Options) -> Result<Option<PathBuf>> {
    let named = options.data.clone().or_else(|| std::env::var_os(DATA_VARIABLE).map(PathBuf::from));
    match named {
        Some(folder) if !folder.is_dir() => bail!("{} is no folder", folder.display()),
        Some(folder) => Ok(Some(folder)),
        None => Ok(Some(PathBuf::from(USUAL_DATA)).filter(|folder| folder.is_dir())),
    }
}

/// The sets that are asked for and their files. What is missing is an error if it was named, and else said loudly.
fn located(options: &Options, made: &Path, folder: Option<&Path>) -> Result<Vec<(&'static Set, PathBuf)>> {
    let wanted = |set: &&Set| options.sets.is_empty() || options.sets.iter().any(|name| name == set.name);
    let (mut sets, mut absent) = (Vec::new(), Vec::new());
    for set in SETS.iter().filter(wanted) {
        match set.path(made, folder) {
            Some(path) => sets.push((set, path)),
            None => absent.push(set.name),
        }
    }
    if absent.is_empty() {
        return Ok(sets);
    }
    let why = match folder {
        Some(folder) => format!("{} does not have them", folder.display()),
        None => format!("--data or {DATA_VARIABLE} names the folder that has them"),
    };
    if !options.sets.is_empty() {
        bail!("where are {}? {why}", absent.join(", "));
    }
    skips::skip(&format!("rivals, {}", absent.join(", ")), &why)?;
    Ok(sets)
}

/// A Python with the rivals under `target`, made where it is not there yet.
fn environment() -> Result<Environment> {
    let folder = target()?.join("rivals-venv");
    let python = environment::python().with_context(|| format!("there is no Python {OLDEST} or later"))?;
    if Environment::made(&folder, REQUIREMENTS).is_none() {
        println!("setting up Python with the rivals under {} (about 600 MB, once)", folder.display());
    }
    Environment::with(&python, &folder, REQUIREMENTS, &["--only-binary=:all:"])
}

fn render(results: &Results, path: &Path, sets: &[Set]) -> Result<()> {
    let records = records::parse(results.read(FILE)?)?;
    fs::write(path, page::page(&records, sets)).with_context(|| path.display().to_string())?;
    println!("{} is written", path.display());
    Ok(())
}

/// Small blobs: our K-means twice and, where its environment is, scikit-learn's. Asked again, they are found.
fn smoke() -> Result<()> {
    let folder = scratch("rivals")?;
    let file = folder.join("smoke.csv");
    let line = |row: u32| format!("{},{},{}\n", row % 7 + 50 * (row % 2), row % 5, row % 2);
    fs::write(&file, format!("x,y,label\n{}", (0..60).map(line).collect::<String>()))?;
    let options =
        parse(&["--seeds", "1,2", "--rivals", "sk-kmeans", "--methods", "kmeans"].map(str::to_owned))?;
    let (threads, limit) = (options.threads, options.limit);
    let made = match environment::python() {
        Some(python) => Some(python::environment(&python)?.program("python")),
        None => None,
    };
    if made.is_none() {
        skips::skip("rivals, K-means of scikit-learn", &format!("there is no Python {OLDEST} or later"))?;
    }
    let python = made.map(|path| Python { path, threads, limit, work: folder.clone() });
    let expected = if python.is_some() { 4 } else { 2 };
    let program = Program { path: program()?, commit: commit()?, threads, limit, work: folder.clone() };
    let bench = Bench {
        sets: vec![(&SMOKE, file)],
        python,
        program: Some(program),
        results: Results::at(&folder),
        page: folder.join("rivals.md"),
        known: &[SMOKE],
    };
    for _ in 0..2 {
        bench.run(&options)?;
        let records = records::parse(bench.results.read(FILE)?)?;
        let good = records.iter().filter(|record| record.ari == Some(1.0)).count();
        if (records.len(), good) != (expected, expected) {
            bail!("{good} of {} runs found the blobs, and not {expected}", records.len());
        }
    }
    let page = fs::read_to_string(&bench.page)?;
    if !page.contains("| smoke | ") || !page.contains("### ours: K-means\n\n0 of 1 sets.") {
        bail!("the page lacks the runs:\n{page}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::records::tests::{ended, failed};
    use super::*;

    #[test]
    fn a_run_of_another_commit_or_one_that_failed_is_worth_repeating() {
        let mut ours = ended("wine", "lpvdn", Some("now"), 1, 0.5);
        ours.commit = Some("a".to_owned());
        assert!(!stale(&ours, "a") && stale(&ours, "b"));
        // A rival has no commit.
        assert!(!stale(&ended("wine", "leiden", None, 1, 0.5), ""));
        assert!(stale(&failed("wine", "leiden", 1), ""));
    }

    #[test]
    fn a_set_that_was_named_and_is_not_there_is_an_error() {
        let named = parse(&["--sets", "wine"].map(str::to_owned)).expect("good");
        let error = located(&named, Path::new("none"), None).expect_err("absent").to_string();
        assert!(error.contains("wine") && error.contains("--data"), "{error}");
        let all = located(&Options::default(), Path::new("none"), None).expect("the rest");
        assert!(all.iter().all(|(set, _)| set.name == "optdigits"));
    }

    #[test]
    fn the_scripts_of_the_rivals_are_there_and_know_their_names() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for file in [SCRIPT, MAKE_SETS, REQUIREMENTS] {
            assert!(root.join(file).is_file(), "{file}");
        }
        let text = fs::read_to_string(root.join("xtask/rivals/methods.py")).expect("a text");
        for rival in RIVALS {
            assert!(text.contains(&format!("\"{}\": Rival(", rival.name)), "{}", rival.name);
        }
        let text = fs::read_to_string(root.join(MAKE_SETS)).expect("a text");
        for set in SETS.iter().filter(|set| !set.counts || set.name == "blobs") {
            assert!(text.contains(&format!("\"{}\": ", set.name)), "{}", set.name);
        }
    }
}
