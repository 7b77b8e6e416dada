//! The page as HTML.
//!
//! Whatever comes from the data reaches the page as JSON or as base64, never as HTML: in the JSON every character that
//! could end its element is escaped, and the scripts put strings on the page as text only. A policy allows the page's
//! own script and style by their hashes, and nothing else: should a string ever get through, it would not run.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::{Blobs, Manifest};
use crate::svg::escaped;

const TEMPLATE: &str = include_str!("../../explorer/page.html");
const STYLE: &str = include_str!("../../explorer/style.css");

/// Includes the scripts, which run in this order, from the folder of the list.
macro_rules! scripts {
    ($($name:literal),* $(,)?) => {
        const SCRIPTS: &[(&str, &str)] = &[$(($name, include_str!(concat!("js/", $name)))),*];
    };
}
include!("../../explorer/scripts.rs");

/// Writes a page that needs nothing but itself.
///
/// # Errors
/// What reading the blobs and writing the page bring.
pub(super) fn write_page(manifest: &Manifest, blobs: &dyn Blobs, out: &mut dyn Write) -> io::Result<()> {
    let script = script();
    let policy = policy(&script, "");
    fill(manifest, &script, &policy, out, |out| {
        for name in blobs.names() {
            let Some(bytes) = blobs.get(&name)? else { continue };
            let packed = STANDARD.encode(compressed(&bytes)?);
            writeln!(
                out,
                "<script type=\"application/octet-stream\" id=\"blob:{}\">{packed}</script>",
                escaped(&name)
            )?;
        }
        Ok(())
    })
}

/// The same page for a server, which has the blobs.
///
/// # Errors
/// A manifest that cannot be written.
pub(super) fn served_page(manifest: &Manifest) -> io::Result<Vec<u8>> {
    let manifest = Manifest { served: true, ..manifest.clone() };
    let mut page = Vec::new();
    fill(&manifest, &script(), &served_policy(), &mut page, |_| Ok(()))?;
    Ok(page)
}

/// What a served page may do, for the header that says so.
pub fn served_policy() -> String {
    policy(&script(), "; connect-src 'self'")
}

fn policy(script: &str, more: &str) -> String {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data: blob:; base-uri 'none'; \
         form-action 'none'{more}",
        hash(script),
        hash(STYLE)
    )
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

fn script() -> String {
    SCRIPTS.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("\n")
}

fn compressed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Writes the template with its places filled. Each is filled once, by what stands in the template itself: a place that
/// is named in the data stays words.
fn fill(
    manifest: &Manifest,
    script: &str,
    policy: &str,
    out: &mut dyn Write,
    blobs: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut rest = TEMPLATE;
    let mut blobs = Some(blobs);
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else { break };
        out.write_all(before.as_bytes())?;
        match name {
            "CSP" => out.write_all(escaped(policy).as_bytes())?,
            "TITLE" => out.write_all(escaped(&manifest.title).as_bytes())?,
            "STYLE" => out.write_all(STYLE.as_bytes())?,
            "MANIFEST" => out.write_all(inert_json(manifest)?.as_bytes())?,
            "BLOBS" => blobs.take().map_or(Ok(()), |blobs| blobs(out))?,
            "SCRIPT" => out.write_all(script.as_bytes())?,
            other => return Err(io::Error::other(format!("the template has a place for {other}"))),
        }
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// JSON that cannot end the element it stands in.
fn inert_json(manifest: &Manifest) -> io::Result<String> {
    let text = serde_json::to_string(manifest)?;
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Only ever inside of strings, where they may be written so.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => safe.push_str(&format!("\\u{:04x}", c as u32)),
            c => safe.push(c),
        }
    }
    Ok(safe)
}

#[cfg(test)]
mod tests {
    use lpvdn::map::MapParams;
    use lpvdn::verdict::Structure;
    use lpvdn::{Estimator, FitControl, Method, Model, Recipe};
    use lpvdn_core::{Dataset, Labels, Matrix};

    use crate::explorer::{ClusterVerdict, Explorer, Limits, Story};

    const HOSTILE: &str = "</script><script>alert(1)</script>&\u{2028}{{SCRIPT}}\"'<!--";

    fn model(data: &Dataset) -> Model {
        let estimator = Estimator::of(Method::KMeans, Recipe::Robust, 2).check().expect("parameters");
        let mut model = estimator.fit(data, &mut FitControl::default()).expect("a fit").model;
        let params = MapParams { layers: vec![4], epochs: 1, ..MapParams::new(2, 1) };
        model.fit_map(data, &params, &mut |_| true).expect("a map");
        model
    }

    fn hostile_data() -> Dataset {
        let rows = Matrix::from_fn(30, 3, |i, j| (i % 2 * 5) as f32 + (i * 7 + j * 3) as f32 * 0.01);
        let names: Vec<String> = (0..30).map(|i| format!("{HOSTILE}{}", i % 2)).collect();
        Dataset {
            name: HOSTILE.to_owned(),
            columns: Some((0..3).map(|j| format!("{HOSTILE}{j}")).collect()),
            ids: Some(names.iter().collect()),
            ..Dataset::from(rows).with_labels(Labels::from_names(&names))
        }
    }

    fn page(limits: Limits) -> (Explorer, String) {
        let data = hostile_data();
        let story = Story {
            notes: vec![HOSTILE.to_owned()],
            warnings: vec![HOSTILE.to_owned()],
            command: HOSTILE.to_owned(),
            verdict: Some(ClusterVerdict {
                structure: Structure::Partial,
                sentence: HOSTILE.to_owned(),
                figures: Some(HOSTILE.to_owned()),
                clusters: vec![Some(0.9), None],
                unstable: vec![0],
            }),
            ..Story::default()
        };
        let explorer = Explorer::new(&model(&data), &data, story, limits).expect("a page");
        let mut out = Vec::new();
        explorer.write(&mut out).expect("written");
        (explorer, String::from_utf8(out).expect("text"))
    }

    #[test]
    fn strings_of_the_data_end_no_element_and_come_back_as_they_were() {
        let (_, page) = page(Limits::file());
        assert!(!page.contains("<script>alert"));
        let (_, rest) = page.split_once("id=\"manifest\">").expect("a manifest");
        let (json, _) = rest.split_once("</script>").expect("an end");
        assert!(!json.contains(['<', '>', '&', '\u{2028}']));
        let manifest: serde_json::Value = serde_json::from_str(json).expect("JSON");
        assert_eq!(manifest["title"], HOSTILE);
        assert_eq!(manifest["labels"][0], format!("{HOSTILE}0"));
        assert_eq!(manifest["notes"][0], HOSTILE);
        let verdict = &manifest["verdict"];
        assert_eq!((&verdict["structure"], &verdict["sentence"]), (&"partial".into(), &HOSTILE.into()));
        assert_eq!(
            (&verdict["clusters"][1], &verdict["figures"]),
            (&serde_json::Value::Null, &HOSTILE.into())
        );
        // Every place of the template is filled once, by what is its own.
        assert_eq!(page.matches("window.lpvdn = lpvdn").count(), 1);
    }

    #[test]
    fn the_policy_knows_the_script_and_the_style_by_their_hashes() {
        let (_, page) = page(Limits::file());
        let between = |from: &str, to: &str| {
            let (_, rest) = page.split_once(from).expect("a beginning");
            rest.rsplit_once(to).map(|(inside, _)| inside.to_owned()).expect("an end")
        };
        let script = between("\n<script>", "</script>\n</body>");
        let style =
            page.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>")).expect("a style").0;
        for text in [script.as_str(), style] {
            assert!(page.contains(&super::hash(text)), "{text:.60}");
        }
        assert!(page.contains("default-src 'none'"));
    }

    #[test]
    fn fewer_rows_are_drawn_where_there_are_too_many_and_keep_their_numbers() {
        let (explorer, page) = page(Limits { rows: 10, ..Limits::file() });
        assert_eq!((explorer.manifest().rows, explorer.manifest().rows_total), (10, 30));
        assert!(page.contains("blob:number"));
        let numbers = explorer.blob("number").expect("read").expect("there");
        let numbers: Vec<u32> =
            numbers.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        assert!(numbers.is_sorted() && numbers.len() == 10 && numbers.iter().all(|n| *n < 30));
        assert_eq!(explorer.blob("ids/1").expect("read"), None);
        assert_eq!(explorer.blob("../x").expect("read"), None);
        let map = explorer.blob("map").expect("read").expect("there");
        assert_eq!(map.len(), 10 * 2 * 4);
    }
}
