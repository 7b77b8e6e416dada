//! The explorer in a real browser.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::{output, run_with};

pub(crate) const HELP: &str = "\
  browser  the part of test that is the explorer page, in Chromium; needs Node.js 20 or later, and gets Chromium
           by the system's package manager where it is not there and that can be done
  screens  the screenshots of README and docs, from models of digits, mnist and Reuters-21578:
             cargo xtask screens DIGITS_OUT [MNIST_OUT [REUTERS_OUT]]
";

const FOLDER: &str = "crates/lpvdn-report/browser";
/// Names under which a browser may be found.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// A network that is trained at once.
const QUICK: [&str; 10] = [
    "--layers",
    "32",
    "--latent-dim",
    "5",
    "--pretrain-epochs",
    "3",
    "--epochs",
    "4",
    "--settle-epochs",
    "5",
];

/// The same as a chore of its own.
pub(crate) fn run() -> Result<()> {
    crate::run("cargo", &["build", "--package", "lpvdn-cli"])?;
    test()
}

/// Runs the tests of the page, with pages that the program makes. It must have been built, as all tests have it.
pub(crate) fn test() -> Result<()> {
    let Some(chromium) = ready()? else { return Ok(()) };
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or("target".to_owned());
    let pages = std::path::absolute(Path::new(&target).join("tmp/pages"))?;
    let program = std::path::absolute(Path::new(&target).join("debug/lpvdn"))?;
    make_pages(&program, &pages)?;
    let served = Served::start(&program, &pages.join("texts"))?;
    let environment = [
        ("LPVDN_CHROMIUM", chromium.as_str()),
        ("LPVDN_PAGES", &text(&pages)),
        ("LPVDN_SERVED", &served.address),
    ];
    run_with("npm", &["test", "--silent", "--prefix", FOLDER], &environment)
}

/// Chromium, with what drives it installed; `None`, and loud words, where it cannot be had.
fn ready() -> Result<Option<String>> {
    let skip = |why: &str| {
        eprintln!("\n*** {why}: the explorer page is NOT TESTED in a browser. ***\n");
        Ok(None)
    };
    let new_enough = "process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)";
    if output("node", &["-e", new_enough]).is_err() || output("npm", &["--version"]).is_err() {
        return skip("There is no Node.js 20 or later");
    }
    let Some(chromium) = chromium() else {
        return skip("There is no Chromium, and it could not be installed");
    };
    if !Path::new(FOLDER).join("node_modules/playwright-core").exists()
        && crate::run("npm", &["ci", "--silent", "--no-audit", "--no-fund", "--prefix", FOLDER]).is_err()
    {
        return skip("What drives the browser could not be installed by npm");
    }
    Ok(Some(chromium))
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

/// Pages of pictures, texts and a table, one of them with strings that want to be markup.
fn make_pages(program: &Path, pages: &Path) -> Result<()> {
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
    ] {
        let out = text(&pages.join(name));
        let mut arguments = vec!["fit"];
        arguments.extend(data);
        arguments.extend(["--out", &out, "--explore", "--quiet", "--seed", "1"]);
        arguments.extend(QUICK);
        crate::run(&text(program), &arguments)?;
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

/// Takes the screenshots of the documentation.
pub(crate) fn screens(arguments: &[String]) -> Result<()> {
    let Some(chromium) = ready()? else { bail!("there is no browser to take them with") };
    if arguments.is_empty() {
        bail!("which models? cargo xtask screens DIGITS_OUT [MNIST_OUT [REUTERS_OUT]]");
    }
    let script = format!("{FOLDER}/screenshots.js");
    let shown: [(&str, &[&str]); 3] =
        [("digits", &["light", "phone"]), ("mnist", &["light"]), ("reuters", &["dark"])];
    for ((name, looks), model) in shown.iter().zip(arguments) {
        let page = std::path::absolute(Path::new(model).join("explore.html"))?;
        let out = std::path::absolute(format!("docs/images/{name}"))?;
        fs::create_dir_all("docs/images")?;
        let (page, out) = (text(&page), text(&out));
        let mut all = vec![script.as_str()];
        looks.iter().for_each(|look| all.extend(["--look", look]));
        all.extend([page.as_str(), out.as_str()]);
        run_with("node", &all, &[("LPVDN_CHROMIUM", &chromium)])?;
    }
    Ok(())
}

fn text(path: &Path) -> String {
    path.display().to_string()
}
