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
                in_attribute(&name)
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
            "CSP" => out.write_all(in_attribute(policy).as_bytes())?,
            "TITLE" => out.write_all(in_attribute(&manifest.title).as_bytes())?,
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

/// As text or as the value of an attribute.
fn in_attribute(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c => safe.push(c),
        }
    }
    safe
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
