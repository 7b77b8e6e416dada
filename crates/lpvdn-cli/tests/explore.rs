//! The page, its server, neighbours and figures.
#![allow(missing_docs)]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::{Place, names_in};

/// A fit of 40 rows in two groups, with names, classes and a column of hostile words.
fn fitted(place: &Place) {
    let line = |i: usize| {
        let group = i % 2;
        let value = |j: usize| (5 * group) as f32 + ((i * 7 + j * 3) % 11) as f32 * 0.1;
        format!("r{i},{},{},{},</script><b>{group}\n", value(0), value(1), value(2))
    };
    let rows: String = (0..40).map(line).collect();
    place.write("rows.csv", format!("id,\"<img src=x onerror=alert(1)>\",b,c,class\n{rows}"));
    let data = ["rows.csv", "--label-column", "class", "--id-column", "id", "--out", "out"];
    place.fit(&data);
}

/// What stands in the page's manifest.
fn manifest(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("id=\"manifest\">").expect("a manifest");
    let (json, _) = rest.split_once("</script>").expect("an end");
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn a_page_is_written_beside_the_model_and_the_map_stays_in_it() {
    let place = Place::new();
    fitted(&place);
    let plain = place.read("out/model.safetensors");
    let told = place.run(&["explore", "out"]).succeeded().stderr;
    assert!(told.contains("40 rows in 2 clusters") && told.contains("open out/explore.html"), "{told}");
    let (page, with_map) = (place.text("out/explore.html"), place.read("out/model.safetensors"));
    assert!(with_map.len() > plain.len());
    // Now that there is a map, nothing is drawn anew.
    let told = place.run(&["explore", "out", "-o", "again.html"]).succeeded().stderr;
    assert!(!told.contains("drawing"), "{told}");
    assert_eq!(place.text("again.html"), page);
    assert_eq!(place.read("out/model.safetensors"), with_map);
    // The clusters are those of before.
    let labels = place.run(&["predict", "out", "rows.csv", "--id-column", "id", "--label-column", "class"]);
    assert_eq!(labels.succeeded().stdout.lines().count(), 41);
    let places =
        ["transform", "out", "rows.csv", "--space", "map", "--label-column", "class", "--id-column", "id"];
    let places = place.run(&places).succeeded().stdout;
    assert!(places.starts_with("m0,m1\n") && places.lines().count() == 41, "{places}");
    let facts = manifest(&page);
    assert_eq!((&facts["rows"], &facts["kind"]), (&40.into(), &"table".into()));
    assert_eq!(facts["clusters"].as_array().map(Vec::len), Some(2));
    assert_eq!(facts["labels"][0], "</script><b>0");
    assert!(facts["command"].as_str().is_some_and(|c| c.contains("run.toml")), "{}", facts["command"]);
    assert!(!facts["training"]["epochs"].as_array().expect("epochs").is_empty());
    // Another map is for this page alone: the first one stays.
    let three = place.run(&["explore", "out", "--map", "3", "-o", "three.html"]).succeeded();
    assert!(three.stderr.contains("drawing"));
    assert_eq!(manifest(&place.text("three.html"))["map"]["axes"], 3);
    assert_eq!(place.read("out/model.safetensors"), with_map);
}

#[test]
fn a_fit_with_a_page_writes_what_explore_would() {
    let place = Place::new();
    fitted(&place);
    place.run(&["explore", "out"]).succeeded();
    let data = ["rows.csv", "--label-column", "class", "--id-column", "id", "--out", "other", "--explore"];
    let told = place.fit(&data).stderr;
    assert!(told.contains("open other/explore.html"), "{told}");
    assert_eq!(place.read("other/model.safetensors"), place.read("out/model.safetensors"));
    let page = place.text("other/explore.html");
    assert_eq!(page.replace("other/run.toml", "out/run.toml"), place.text("out/explore.html"));
    // What a fit leaves, --force takes away.
    place.fit(&["rows.csv", "--label-column", "class", "--out", "other", "--force"]);
    assert!(!names_in(&place.path("other")).contains(&"explore.html".to_owned()));
}

#[test]
fn what_comes_from_the_data_is_never_markup() {
    let place = Place::new();
    fitted(&place);
    place.run(&["explore", "out"]).succeeded();
    let page = place.text("out/explore.html");
    assert!(!page.contains("<b>0") && !page.contains("<img"), "a string of the data is in the page as it is");
    assert!(page.contains("default-src 'none'") && !page.contains("unsafe-inline"));
    // One script runs, and it is ours.
    assert_eq!(page.matches("<script>").count(), 1);
}

#[test]
fn the_verdict_of_the_fit_is_on_its_page() {
    let place = Place::new();
    fitted(&place);
    let mut metrics: serde_json::Value =
        serde_json::from_str(&place.text("out/metrics.json")).expect("metrics");
    let of_null =
        |mean: f64| serde_json::json!({ "mean": mean, "deviation": 0.02, "largest": 0.4, "replicates": 10 });
    metrics["verdict"] = serde_json::json!({
        "structure": "partial", "stability": 0.81, "permuted": of_null(0.05), "gaussian": of_null(0.31), "way": "leiden",
        "clusters": [0.9, 0.3], "refits": 10, "trained": false, "rows": 40, "sentence": "of another program",
    });
    place.write("out/metrics.json", metrics.to_string());
    place.run(&["explore", "out"]).succeeded();
    let shown = &manifest(&place.text("out/explore.html"))["verdict"];
    assert_eq!(shown["sentence"], "of another program");
    assert!(shown["figures"].as_str().is_some_and(|f| f.contains("0.81") && f.contains("0.31")), "{shown}");
    assert_eq!((&shown["clusters"][1], &shown["unstable"]), (&0.3.into(), &serde_json::json!([1])));
    metrics.as_object_mut().expect("an object").remove("verdict");
    place.write("out/metrics.json", metrics.to_string());
    place.run(&["explore", "out"]).succeeded();
    assert!(manifest(&place.text("out/explore.html"))["verdict"].is_null());
}

#[test]
fn documents_and_pictures_are_shown_as_what_they_are() {
    let place = Place::new();
    let text = |i: usize| match i % 2 {
        0 => format!("the cat sat on mat number {i}\n"),
        _ => format!("stocks fell {i} points in <script>alert(1)</script> trading\n"),
    };
    place.write("news.txt", (0..60).map(text).collect::<String>());
    place.fit(&["news.txt", "-k", "2", "--out", "news"]);
    place.run(&["explore", "news"]).succeeded();
    let page = place.text("news/explore.html");
    assert_eq!(manifest(&page)["kind"], "texts");
    assert!(page.contains("blob:texts/0"));
    place.fit(&["digits", "--out", "digits"]);
    place.run(&["explore", "digits", "--rows", "500"]).succeeded();
    let facts = manifest(&place.text("digits/explore.html"));
    assert_eq!((&facts["kind"], &facts["rows"]), (&"pictures".into(), &500.into()));
    assert_eq!((&facts["rows_total"], &facts["picture"]["width"]), (&5620.into(), &8.into()));
}

#[test]
fn every_method_can_be_explored() {
    let place = Place::new();
    place.csv("rows.csv", |_, line| line);
    for method in ["kmeans", "ae-kmeans", "clustergan", "vade"] {
        let small: &[&str] = match method {
            "kmeans" => &[],
            "clustergan" => &["--layers", "8", "--steps", "4", "--batch", "20", "--pretrain-epochs", "1"],
            _ => &["--layers", "8", "--latent-dim", "3", "--pretrain-epochs", "2", "--batch", "20"],
        };
        let fit = ["fit", "rows.csv", "--method", method, "-k", "2", "--out", method, "--explore"];
        place.run(&[&fit[..], small].concat()).succeeded();
        let facts = manifest(&place.text(&format!("{method}/explore.html")));
        assert_eq!(facts["method"], method);
        let made = facts["clusters"][0]["sample_count"].as_u64().expect("a number");
        assert_eq!(made > 0, method != "kmeans", "{method}");
    }
}

#[test]
fn what_cannot_be_shown_is_told_with_what_to_do() {
    let place = Place::new();
    fitted(&place);
    place
        .run(&[
            "transform",
            "out",
            "rows.csv",
            "--space",
            "map",
            "--label-column",
            "class",
            "--id-column",
            "id",
        ])
        .failed(1, &["lpvdn explore"]);
    place.run(&["explore", "nowhere"]).failed(1, &["nowhere"]);
    place.run(&["explore", "out/model.safetensors"]).failed(1, &["name them after the model"]);
    place.run(&["explore", "out", "missing.csv"]).failed(1, &["missing.csv"]);
    place.run(&["explore", "out", "--map", "4"]).failed(2, &["4"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    place.run(&["explore", "out", &format!("--serve={port}")]).failed(1, &["in use", "name another"]);
    place.run(&["explore", "out", "--serve=no such place"]).failed(1, &["127.0.0.1:8765"]);
    let changed = place.text("rows.csv").replacen("r0,0", "r0,9", 1);
    std::fs::rename(place.path("rows.csv"), place.path("moved.csv")).expect("moved");
    place.write("rows.csv", changed);
    let told = place.run(&["explore", "out"]).succeeded().stderr;
    assert!(told.contains("other values than when the model was fitted"), "{told}");
    std::fs::remove_file(place.path("rows.csv")).expect("removed");
    place.run(&["explore", "out"]).failed(1, &["rows.csv", "name the rows after the model"]);
    let data = ["explore", "out", "moved.csv", "--label-column", "class", "--id-column", "id"];
    place.run(&data).succeeded();
    // A map of other rows than the fit's is for its page alone, which does not replace that of the fit.
    place.fit(&["moved.csv", "--label-column", "class", "--id-column", "id", "--out", "fresh"]);
    let model = place.read("fresh/model.safetensors");
    let lines: Vec<String> = place.text("moved.csv").lines().take(6).map(str::to_owned).collect();
    place.write("few.csv", lines.join("\n") + "\n");
    let few = ["explore", "fresh", "few.csv", "--label-column", "class", "--id-column", "id"];
    assert!(place.run(&few).succeeded().stderr.contains("fresh/explore-few.html"));
    assert_eq!(place.read("fresh/model.safetensors"), model);
}

/// The program while it serves, and its port.
struct Served(Child, u16);

impl Served {
    fn start(place: &Place) -> Served {
        let mut command = place.command(&["explore", "out", "--serve=0"]);
        let mut child = command.stderr(Stdio::piped()).spawn().expect("a server");
        let stderr = child.stderr.take().expect("words");
        let line = BufReader::new(stderr).lines().map_while(Result::ok).find(|line| line.contains("http://"));
        let line = line.expect("an address");
        let port = line.split("127.0.0.1:").nth(1).and_then(|rest| rest.split('/').next()).expect("a port");
        Served(child, port.parse().expect("a number"))
    }

    /// What comes back for these bytes.
    fn ask(&self, request: &[u8]) -> String {
        let mut peer = TcpStream::connect(("127.0.0.1", self.1)).expect("a connection");
        peer.write_all(request).expect("sent");
        let mut answer = Vec::new();
        // A server that refuses before it has read everything resets the connection.
        let _ = peer.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.ask(format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.1).as_bytes())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_server_gives_the_page_and_its_blobs_and_nothing_else() {
    let place = Place::new();
    fitted(&place);
    let served = Served::start(&place);
    let page = served.get("/");
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.contains("connect-src 'self'"), "{page:.300}");
    let head = page.split("\r\n\r\n").next().expect("a head").to_lowercase();
    for header in
        ["content-security-policy: default-src 'none'", "frame-ancestors 'none'", "nosniff", "no-store"]
    {
        assert!(head.contains(header), "{head}");
    }
    assert!(served.get("/blob/cluster").contains("Content-Length: 160\r\n"));
    assert!(served.get("/blob/ids/0").contains("\"r39\""));
    assert!(served.get("/?a=b").starts_with("HTTP/1.1 200"));
    for path in [
        "/blob/nothing",
        "/blob/ids/1",
        "/blob/ids/00",
        "/blob/ids/-1",
        "/blob/../Cargo.toml",
        "/etc/passwd",
        "/blob/",
    ] {
        assert!(served.get(path).starts_with("HTTP/1.1 404"), "{path}");
    }
    let host = format!("Host: 127.0.0.1:{}", served.1);
    let head = served.ask(format!("HEAD / HTTP/1.1\r\n{host}\r\n\r\n").as_bytes());
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"));
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let answer =
            served.ask(format!("{method} / HTTP/1.1\r\n{host}\r\nContent-Length: 0\r\n\r\n").as_bytes());
        assert!(answer.starts_with("HTTP/1.1 405"), "{answer:.200}");
    }
}

#[test]
fn a_server_refuses_other_names_and_survives_whatever_it_is_sent() {
    let place = Place::new();
    fitted(&place);
    let served = Served::start(&place);
    let port = served.1;
    for host in [
        format!("Host: evil.example:{port}"),
        format!("Host: [evil.example]:{port}"),
        format!("Host: 127.0.0.1.evil.example:{port}"),
        format!("Host: 127.0.0.1:{port}\r\nHost: evil.example:{port}"),
        "X: y".to_owned(),
    ] {
        let answer = served.ask(format!("GET / HTTP/1.1\r\n{host}\r\n\r\n").as_bytes());
        assert!(answer.starts_with("HTTP/1.1 403"), "{host}: {answer:.200}");
    }
    // As through a tunnel from another port, too.
    for host in
        [format!("localhost:{port}"), "localhost:9".to_owned(), "[::1]:9".to_owned(), "127.0.0.1".to_owned()]
    {
        let answer = served.ask(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        assert!(answer.starts_with("HTTP/1.1 200"), "{host}: {answer:.200}");
    }
    for request in [
        b"\0\0\0\r\n\r\n".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        vec![b'a'; 100_000],
        b"GET /\xff HTTP/9\r\n\r\n".to_vec(),
    ] {
        let answer = served.ask(&request);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 40"), "{answer:.200}");
    }
    // Peers that say nothing, or half of what they want, keep nobody else waiting, however many they are.
    let mut silent: Vec<TcpStream> = Vec::new();
    for i in 0..64 {
        let mut peer = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
        if i % 2 == 0 {
            let _ = peer.write_all(b"GET / HTTP/1.1\r\nHost: ");
        }
        silent.push(peer);
    }
    std::thread::sleep(Duration::from_millis(500));
    assert!(served.get("/").starts_with("HTTP/1.1 200"));
    drop(silent);
}

#[test]
fn a_server_answers_without_delay_and_ends_on_a_signal() {
    let place = Place::new();
    fitted(&place);
    let mut served = Served::start(&place);
    let mut times: Vec<Duration> = (0..41)
        .map(|_| {
            let start = Instant::now();
            assert!(served.get("/blob/cluster").starts_with("HTTP/1.1 200"));
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    assert!(times[20] < Duration::from_millis(10), "{:?}", times[20]);
    #[cfg(unix)]
    {
        let number = served.0.id().to_string();
        let sent = std::process::Command::new("kill").args(["-INT", &number]).status().expect("kill runs");
        assert!(sent.success());
        let ended = (0..50).find_map(|_| {
            std::thread::sleep(Duration::from_millis(100));
            served.0.try_wait().expect("a state")
        });
        assert_eq!(ended.and_then(|status| status.code()), Some(0));
    }
}

#[test]
fn neighbours_are_found_by_number_id_and_file() {
    let place = Place::new();
    fitted(&place);
    let table = place.run(&["neighbors", "out", "--query", "3", "-k", "4"]).succeeded().stdout;
    assert!(table.starts_with("row 3\n") && table.lines().count() == 6, "{table}");
    assert!(
        !table.lines().skip(2).any(|line| line.split_whitespace().next() == Some("3")),
        "itself: {table}"
    );
    let json =
        |args: &[&str]| place.run(&[&["neighbors", "out", "--json"], args].concat()).succeeded().json();
    let by_number = json(&["--query", "3", "-k", "4"]);
    assert_eq!(
        by_number["queries"][0]["neighbors"],
        json(&["--query", "r3", "-k", "4"])["queries"][0]["neighbors"]
    );
    let near = by_number["queries"][0]["neighbors"].as_array().expect("neighbours");
    assert!(near.iter().all(|n| n["row"].as_u64().is_some_and(|row| row % 2 == 1)), "{near:?}");
    let by_index = json(&["--query", "3", "-k", "4", "--search", "hnsw"]);
    assert_eq!((&by_index["queries"], &by_index["recall"]), (&by_number["queries"], &1.0.into()));
    // A row of a file is not among those that are searched: its equal is its nearest.
    let lines: Vec<String> = place.text("rows.csv").lines().take(4).map(str::to_owned).collect();
    place.write("query.csv", format!("{}\n{}\n", lines[0], lines[3]));
    let file = json(&["--query", "query.csv", "--label-column", "class", "--id-column", "id", "-k", "1"]);
    assert_eq!(file["queries"][0]["neighbors"][0]["id"], "r2");
    assert_eq!(file["queries"][0]["neighbors"][0]["distance"], 0.0);
    place.run(&["neighbors", "out", "--query", "40"]).failed(2, &["counted from 0", "40"]);
    place.run(&["neighbors", "out", "--query", "r77"]).failed(2, &["r77", "an id", "nor a file"]);
    place.run(&["neighbors", "out", "--query", "1", "-k", "40"]).failed(2, &["39"]);
    place.run(&["neighbors", "out", "--query", "1", "--sheet", "near.png"]).failed(1, &["no pictures"]);
}

#[test]
fn figures_are_pictures_of_their_kind() {
    let place = Place::new();
    place.fit(&["digits", "--out", "out", "--evaluate-every", "1"]);
    for what in ["map", "training", "confusion", "samples", "reconstructions", "between"] {
        place.run(&["plot", what, "out"]).succeeded();
        assert!(place.text(&format!("out/{what}.svg")).starts_with("<svg"), "{what}");
        assert!(place.read(&format!("out/{what}.png")).starts_with(b"\x89PNG"), "{what}");
    }
    place.run(&["plot", "between", "out", "--clusters", "0,3", "-o", "line.svg"]).succeeded();
    assert!(place.text("line.svg").contains("cluster 0 to 3"));
    place.run(&["neighbors", "out", "--query", "1", "--sheet", "near.svg"]).succeeded();
    assert!(place.text("near.svg").contains("data:image/png"));
    place.run(&["plot", "between", "out", "--clusters", "0,99"]).failed(1, &["99"]);
    place.run(&["plot", "between", "out", "--clusters", "0"]).failed(2, &["0,3"]);
    place.run(&["plot", "map", "out", "-o", "map.gif"]).failed(2, &[".svg or .png"]);
}

#[test]
fn figures_of_tables_and_of_models_without_a_decoder() {
    let place = Place::new();
    fitted(&place);
    for what in ["map", "samples", "reconstructions", "between", "confusion"] {
        place.run(&["plot", what, "out", "-o", "figure.svg"]).succeeded();
        assert!(!place.text("figure.svg").contains("<img"), "{what}");
    }
    place.csv("plain.csv", |_, line| line);
    place.run(&["fit", "plain.csv", "-k", "2", "--method", "kmeans", "--out", "means"]).succeeded();
    place.run(&["plot", "samples", "means"]).failed(1, &["kmeans has no decoder"]);
    place.run(&["plot", "confusion", "means"]).failed(1, &["--label-column"]);
    place.run(&["plot", "training", "means"]).failed(1, &["no epoch"]);
}
