//! The explorer in a real browser.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::chores::{Chore, Smoke};
use crate::process::{QUICK, output, program, run as command, run_with, target, text};
use crate::skips;

pub(crate) const CHORE: Chore = Chore {
    name: "browser",
    about: "the part of test that is the explorer page, in Chromium",
    help: "\
Needs Node.js 20 or later. Gets Chromium by the system's package manager where it is not there and that can be done.
",
    run,
    smoke: Smoke::PartOfTest,
};

pub(crate) const FOLDER: &str = "crates/lpvdn-report/browser";
/// Names under which a browser may be found.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// The same as a chore of its own.
fn run(arguments: &[String]) -> Result<()> {
    match arguments.first() {
        Some(first) => bail!("browser takes no options, and {first} was given"),
        None => test(),
    }
}

/// Runs the tests of the page, with pages that the program makes, and its benchmark on a small page.
pub(crate) fn test() -> Result<()> {
    let chromium = match ready() {
        Ok(chromium) => chromium,
        Err(e) => return skips::skip("the explorer page in Chromium", &format!("{e:#}")),
    };
    let (program, pages) = (program()?, pages()?);
    make_pages(&program, &pages, &PAGES)?;
    let served = Served::start(&program, &pages.join("texts"))?;
    let environment = [
        ("LPVDN_CHROMIUM", chromium.as_str()),
        ("LPVDN_PAGES", &text(&pages)),
        ("LPVDN_SERVED", &served.address),
    ];
    run_with("npm", &["test", "--silent", "--prefix", FOLDER], &environment)?;
    let (bench, page) = (format!("{FOLDER}/bench.js"), text(&pages.join("table.html")));
    run_with("node", &[&bench, "--seconds", "0.2", &page], &environment)
}

/// Pages of pictures, texts and a table, one of them with strings that want to be markup.
const PAGES: [&str; 4] = ["digits", "texts", "table", "hostile"];

/// Where the pages of the tests are made.
pub(crate) fn pages() -> Result<PathBuf> {
    Ok(target()?.join("tmp/pages"))
}

/// Chromium, with what drives it installed; an error that says what cannot be had.
pub(crate) fn ready() -> Result<String> {
    let new_enough = "process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)";
    if output("node", &["-e", new_enough]).is_err() || output("npm", &["--version"]).is_err() {
        bail!("there is no Node.js 20 or later");
    }
    let chromium = chromium().context("there is no Chromium, and it could not be installed")?;
    if !Path::new(FOLDER).join("node_modules/playwright-core").exists() {
        let installed = command("npm", &["ci", "--silent", "--no-audit", "--no-fund", "--prefix", FOLDER]);
        installed.context("what drives the browser could not be installed by npm")?;
    }
    Ok(chromium)
}

fn chromium() -> Option<String> {
    if let Ok(named) = std::env::var("LPVDN_CHROMIUM") {
        return Some(named);
    }
    found().or_else(|| {
        install();
        found()
    })
}

/// In one of the folders where programs are.
fn found() -> Option<String> {
    let folders = std::env::var_os("PATH")?;
    let places = std::env::split_paths(&folders).flat_map(|folder| BROWSERS.map(|name| folder.join(name)));
    places.into_iter().find(|path| path.is_file()).map(|path| text(&path))
}

/// Only where it needs no password; what fails is told by the browser not being there.
fn install() {
    if output("id", &["-u"]).is_ok_and(|user| user.trim() == "0") && output("apt-get", &["--version"]).is_ok()
    {
        let quiet = [("DEBIAN_FRONTEND", "noninteractive")];
        let _ = run_with("apt-get", &["update", "-qq"], &quiet);
        let _ = run_with("apt-get", &["install", "-y", "-qq", "chromium", "fonts-liberation"], &quiet);
    }
}

/// The pages of [`PAGES`] that are wanted.
pub(crate) fn make_pages(program: &Path, pages: &Path, wanted: &[&str]) -> Result<()> {
    let _ = fs::remove_dir_all(pages);
    fs::create_dir_all(pages)?;
    fs::write(pages.join("news.jsonl"), news())?;
    fs::write(pages.join("rows.csv"), table("plain", "label"))?;
    fs::write(pages.join("hostile.csv"), table(HOSTILE, HOSTILE))?;
    let (news, rows, hostile) =
        (text(&pages.join("news.jsonl")), text(&pages.join("rows.csv")), text(&pages.join("hostile.csv")));
    let table_of = |file| vec![file, "-k", "3", "--id-column", "0", "--label-column", "-1"];
    for (name, data) in [
        ("digits", vec!["digits", "--restarts", "2"]),
        ("texts", vec![news.as_str(), "-k", "3", "--label-column", "topic"]),
        ("table", table_of(&rows)),
        ("hostile", table_of(&hostile)),
    ]
    .into_iter()
    .filter(|(name, _)| wanted.contains(name))
    {
        let out = text(&pages.join(name));
        let mut arguments = vec!["fit"];
        arguments.extend(data);
        arguments.extend(["--out", &out, "--explore", "--quiet", "--seed", "1"]);
        arguments.extend(QUICK);
        command(&text(program), &arguments)?;
        fs::copy(pages.join(name).join("explore.html"), pages.join(format!("{name}.html")))?;
    }
    Ok(())
}

/// What would do something, were it taken for markup.
const HOSTILE: &str = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1>{{SCRIPT}}";

/// Rows in three groups, with names, classes and column names that hold a string.
fn table(column: &str, label: &str) -> String {
    let mut lines = format!("id,\"{column} a\",\"{column} b\",\"{column} c\",class\n");
    for i in 0..300 {
        let value = |j: usize| (i % 3 * (j + 1)) as f64 * 4.0 + ((i * 31 + j * 17) % 23) as f64 * 0.1;
        lines.push_str(&format!(
            "\"{column} {i}\",{},{},{},\"{label} {}\"\n",
            value(0),
            value(1),
            value(2),
            i % 3
        ));
    }
    lines
}

fn news() -> String {
    let topics = [
        ("sport", ["match", "goal", "team", "coach", "league", "player"]),
        ("money", ["bank", "stock", "market", "rate", "share", "profit"]),
        ("weather", ["rain", "storm", "cloud", "sun", "wind", "snow"]),
    ];
    let line = |i: usize| {
        let (topic, words) = &topics[i % 3];
        let text: Vec<&str> = (0..12).map(|j| words[(i * 7 + j * j * 3 + j) % 6]).collect();
        format!(
            "{{\"topic\":\"{topic}\",\"text\":\"{} <script>window.pwned=1</script> {i}\"}}\n",
            text.join(" ")
        )
    };
    (0..240).map(line).collect()
}

/// The program while it serves a page.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(program: &Path, model: &Path) -> Result<Served> {
        let mut command = Command::new(program);
        command.arg("explore").arg(model).arg("--serve=0").stderr(Stdio::piped());
        let mut child = command.spawn().context("the program could not be started")?;
        let lines = BufReader::new(child.stderr.take().context("no words")?).lines();
        let line = lines.map_while(Result::ok).find(|line| line.contains("http://"));
        let address =
            line.as_deref().and_then(|line| line.split_whitespace().find(|word| word.starts_with("http")));
        match address.map(str::to_owned) {
            Some(address) => Ok(Served { child, address }),
            None => bail!("the program serves nothing"),
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
