//! The page of a report: one HTML file that opens from disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::results::Results;

/// The reason and the remedy of each code of the lint.
pub type Explanations = BTreeMap<String, (String, String)>;

/// Returns the page of a report folder, from its results alone. Pictures and motions are loaded from their paths
/// beside the page when their case is selected. The codes that were found are explained in the page.
pub fn page(results: &Results, explanations: &Explanations) -> String {
    // Maps with text keys and finite numbers always serialise.
    let data = serde_json::to_string(results).unwrap_or_default();
    let parts = [
        ("/*page.css*/", include_str!("html/page.css").to_owned()),
        ("<!--codes-->", codes(results, explanations)),
        ("\"data\"", in_script(&data)),
        ("/*dom.js*/", include_str!("html/dom.js").to_owned()),
        ("/*motion.js*/", include_str!("html/motion.js").to_owned()),
        ("/*scene.js*/", include_str!("html/scene.js").to_owned()),
        ("/*player.js*/", include_str!("html/player.js").to_owned()),
        ("/*list.js*/", include_str!("html/list.js").to_owned()),
        ("/*case.js*/", include_str!("html/case.js").to_owned()),
        ("/*pictures.js*/", include_str!("html/pictures.js").to_owned()),
        ("/*page.js*/", include_str!("html/page.js").to_owned()),
    ];
    // Each part is cut in at its first place, so that no part is searched for the places of others.
    let mut rest = include_str!("html/page.html");
    let mut page = String::new();
    for (place, part) in parts {
        let Some((before, after)) = rest.split_once(place) else { continue };
        page.push_str(before);
        page.push_str(&part);
        rest = after;
    }
    page + rest
}

/// Returns the entries of the codes that were found, in alphabetical order.
fn codes(results: &Results, explanations: &Explanations) -> String {
    let checks = results.cases.iter().flat_map(|case| &case.checks);
    let codes: BTreeSet<&str> =
        checks.flat_map(|check| &check.findings).map(|finding| &*finding.code).collect();
    let mut out = String::new();
    for code in codes {
        let name = escaped(code);
        // Writing to a String can't fail.
        let _ = write!(out, "<article id=\"code-{name}\" tabindex=\"-1\"><h3>{name}</h3>");
        let _ = match explanations.get(code) {
            Some((reason, remedy)) => {
                let (reason, remedy) = (escaped(reason), escaped(remedy));
                write!(out, "<p>{reason}</p><p><strong>Remedy:</strong> {remedy}</p>")
            }
            None => write!(out, "<p>See <code>rigview check --explain {name}</code>.</p>"),
        };
        out.push_str("</article>\n");
    }
    out
}

/// Escapes text for HTML, in elements and in quoted attributes. Control characters are left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            _ if c.is_control() => {}
            _ => out.push(c),
        }
    }
    out
}

/// Escapes JSON so that no text in it can end the script element that holds it.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::results::{CaseResult, CheckResult, Kind, Status};
    use rigview_check::{Finding, Level};

    fn results(name: &str, code: &str) -> Results {
        let finding = Finding {
            file: name.to_owned(),
            code: code.to_owned().into(),
            level: Level::Error,
            pointer: None,
            object: Some(name.to_owned()),
            clip: None,
            time: None,
            value: None,
            limit: None,
            unit: None,
            message: name.to_owned(),
            target: None,
        };
        let check = CheckResult {
            kind: Kind::Check,
            time: None,
            status: Status::Failed,
            message: None,
            picture: None,
            pose: None,
            findings: vec![finding],
        };
        let case = CaseResult {
            name: name.to_owned(),
            file: name.to_owned(),
            status: Status::Failed,
            clip: Some(name.to_owned()),
            message: Some(name.to_owned()),
            checks: vec![check],
            motion: None,
            commands: None,
        };
        Results { failed: 1, cases: vec![case], ..Results::default() }
    }

    #[test]
    fn names_end_no_element() {
        let plain = page(&results("x", "POP"), &Explanations::new());
        for name in
            ["</script><script>alert(1)</script>", "<!--<script>", "\"'><img src=x>", "\u{0}\u{1b}"]
        {
            let page = page(&results(name, name), &Explanations::new());
            for tag in ["<script", "</script", "<img", "<!--", "\u{0}", "\u{1b}"] {
                let count = |page: &str| page.matches(tag).count();
                assert_eq!(count(&page), count(&plain), "{tag} of {name:?}");
            }
        }
    }

    #[test]
    fn the_text_of_a_part_is_no_place_for_another() {
        let name = "/*page.js*/ /*scene.js*/ \"data\"";
        let with = page(&results(name, "POP"), &Explanations::new());
        let without = page(&results("x", "POP"), &Explanations::new());
        let length = |name: &str| serde_json::to_string(&results(name, "POP")).unwrap().len();
        assert_eq!(with.len() - length(name), without.len() - length("x"));
    }

    #[test]
    fn a_found_code_is_explained() {
        let texts = ("A joint <jumps>.".to_owned(), "Check \"its\" keys.".to_owned());
        let explanations = Explanations::from([("POP".to_owned(), texts)]);
        let page = page(&results("x", "POP"), &explanations);
        assert!(page.contains(
            "<article id=\"code-POP\" tabindex=\"-1\"><h3>POP</h3><p>A joint &lt;jumps&gt;.</p>"
        ));
        assert!(page.contains("Check &quot;its&quot; keys."));
    }

    #[test]
    fn the_page_names_no_address_on_a_network() {
        let page = page(&results("x", "POP"), &Explanations::new());
        assert!(!page.contains("http:") && !page.contains("https:"));
    }

    #[test]
    fn the_player_is_small() {
        let files = [
            include_str!("html/motion.js"),
            include_str!("html/scene.js"),
            include_str!("html/player.js"),
        ];
        let bytes = files.concat().len();
        assert!(bytes < 30_000, "{bytes} bytes");
    }
}
