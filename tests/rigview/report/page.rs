//! The page of a report in headless Chromium.

use std::collections::BTreeMap;

use rigview::suite::page;

use super::browser;
use super::folder::{HOSTILE, write_report};
use crate::support::Browser;

/// The page in the browser: its list of ten thousand cases by keys alone, pictures, motion, findings, hostile names,
/// both themes and the width of a phone.
#[test]
fn the_page_shows_what_differs() {
    let Some(mut browser) = browser("the_page_shows_what_differs") else { return };
    let folder = tempfile::tempdir().unwrap();
    let results = write_report(folder.path());
    let text = ("A joint jumps.".to_owned(), "Look at its keys.".to_owned());
    let explanations = BTreeMap::from([("POP".to_owned(), text)]);
    let html = page(&results, &explanations);
    assert_eq!(html, page(&results, &explanations));
    let index = folder.path().join("index.html");
    std::fs::write(&index, html).unwrap();
    browser.resize(1280, 900);
    browser.open(&index, "");
    shows_the_first_case(&mut browser);
    compares_pictures(&mut browser);
    plays_the_motion(&mut browser);
    leads_to_the_codes(&mut browser);
    filters_by_keys(&mut browser);
    resists_names(&mut browser);
    fits_a_phone(&mut browser);
    assert_eq!(browser.errors, Vec::<String>::new());
    let foreign = browser
        .requests
        .iter()
        .filter(|url| !["file:", "data:", "about:", "blob:"].iter().any(|s| url.starts_with(s)));
    assert_eq!(foreign.count(), 0, "{:?}", browser.requests);
}

fn shows_the_first_case(browser: &mut Browser) {
    assert_eq!(browser.run("$('totals').textContent"), "2 failed1 with an error10000 passed");
    assert_eq!(browser.run("document.querySelector('#detail h2').textContent"), "set/moving");
    // Ten thousand cases, but only the rows in view and the chosen case's pictures.
    let rows = browser.run("document.querySelectorAll('.row').length").as_u64().unwrap();
    assert!((3..60).contains(&rows), "{rows} rows");
    assert_eq!(browser.run("document.querySelectorAll('img').length"), 2);
    let order =
        "[...document.querySelectorAll('.row')].slice(0, 4).map((row) => row.classList[1]).join()";
    assert_eq!(browser.run(order), "failed,failed,error,passed");
    let commands = browser.run("[...document.querySelectorAll('#commands code')].map((code) => code.textContent).join('|')");
    assert_eq!(
        commands,
        "rigview test suite.toml --bless set/moving|rigview screenshot a.glb -o a.png"
    );
    let checks = browser.run("$('checks').textContent");
    for words in ["2.08 %", "12.4 mm", "head", "2.1 % of the pixels differ"] {
        assert!(checks.as_str().unwrap().contains(words), "{words}: {checks}");
    }
}

fn compares_pictures(browser: &mut Browser) {
    browser.wait("[...document.images].every((img) => img.complete && img.naturalWidth === 64)");
    assert_eq!(browser.run("document.querySelectorAll('.panes.side .pane').length"), 2);
    browser.press("w");
    let clipped = "getComputedStyle(document.querySelector('.layer.reference')).clipPath";
    let half = browser.run(clipped);
    browser.run("const wipe = document.querySelector('.under input'); wipe.value = 20; wipe.dispatchEvent(new Event('input'))");
    assert_ne!(browser.run(clipped), half);
    // Zoomed pictures move together and stay sharp.
    browser.press("s");
    browser.wait("[...document.images].every((img) => img.complete && img.naturalWidth === 64)");
    browser.press("+");
    let transforms = browser.run(
        "[...new Set([...document.images].map((img) => getComputedStyle(img).transform))].length",
    );
    assert_eq!(transforms, 1);
    assert_eq!(browser.run("getComputedStyle(document.images[0]).imageRendering"), "pixelated");
    browser.press("f");
    browser.wait("document.querySelector('.flicker .swapped')");
    browser.press("d");
    assert_eq!(
        browser.run("getComputedStyle(document.querySelector('.layer + .layer')).mixBlendMode"),
        "difference"
    );
    browser.press("s");
}

fn plays_the_motion(browser: &mut Browser) {
    browser.press("m");
    browser.wait("motion && motion.motion.worst");
    // The view starts at the worst frame and names the joint that turned by itself.
    let words = browser.run("document.querySelector('.readout').textContent");
    assert!(words.as_str().unwrap().contains("differs by itself: head, turned by"), "{words}");
    let worst = browser
        .run("Math.max(...motion.motion.worst.map((worst) => worst.distance))")
        .as_f64()
        .unwrap();
    assert!((0.001..0.1).contains(&worst), "{worst} m");
    assert_eq!(browser.run("motion.motion.worst[motion.state.frame].distance"), worst);
    let frame = browser.run("motion.state.frame").as_i64().unwrap();
    browser.run("document.querySelector('.stage canvas').focus()");
    browser.press(".");
    assert_eq!(browser.run("motion.state.frame"), frame + 1);
    browser.press(" ");
    browser.wait(&format!("motion.state.frame > {frame} + 2 || motion.state.frame < {frame}"));
    browser.press("x");
    assert_eq!(browser.run("motion.state.frame"), frame);
    let yaw = browser.run("motion.state.orbit.yaw").as_f64().unwrap();
    browser.press("ArrowRight");
    assert!(browser.run("motion.state.orbit.yaw").as_f64().unwrap() > yaw);
    browser.press("r");
    // Slow frames are drawn with fewer pixels while it plays, and the picture that stands with all of them.
    assert_eq!(browser.run("detailAfter(1, 20)"), 1);
    let after = "[...Array(20)].reduce((detail) => detailAfter(detail, 150), 1)";
    assert_eq!(browser.run(after), 0.3);
    browser.run("motion.state.detail = 0.5; motion.toggle()");
    browser.wait("document.querySelector('.stage canvas').width < 0.7 * document.querySelector('.stage canvas').clientWidth * Math.min(2, devicePixelRatio)");
    browser.press("x");
    browser.wait("document.querySelector('.stage canvas').width === Math.round(document.querySelector('.stage canvas').clientWidth * Math.min(2, devicePixelRatio))");
    // Both sides are drawn, and the heat has another colour than the surface alone.
    let [left, right, hot] = ["false, 0, 0.5", "false, 0.5, 1", "true, 0.5, 1"]
        .map(|args| browser.run(&format!("({})({args})", include_str!("pixels.js"))));
    assert!(left[0].as_u64().unwrap() > 500 && right[0].as_u64().unwrap() > 500, "{left} {right}");
    assert!(hot[1].as_f64().unwrap() > right[1].as_f64().unwrap() + 40.0, "{hot} {right}");
}

fn leads_to_the_codes(browser: &mut Browser) {
    browser.run("document.querySelector('#findings a').click()");
    browser.wait("!$('codes').hidden && document.activeElement.id === 'code-POP'");
    assert_eq!(
        browser.run("document.activeElement.textContent"),
        "POPA joint jumps.Remedy: Look at its keys."
    );
    browser.press("Escape");
    browser.wait("$('codes').hidden && !$('detail').hidden");
}

fn filters_by_keys(browser: &mut Browser) {
    browser.press("/");
    for key in ["9", "9", "7"] {
        browser.press(key);
    }
    // 997, and 0997 to 9997 with every digit before or after it.
    let expected = (0..10_000).filter(|i: &u32| i.to_string().contains("997")).count();
    browser.wait(&format!("$('count').textContent === '{expected} of 10003 cases'"));
    browser.press("Enter");
    browser.press("j");
    assert_eq!(browser.run("document.querySelector('#detail h2').textContent"), "many/passed-1997");
    browser.press("k");
    assert_eq!(browser.run("document.querySelector('#detail h2').textContent"), "many/passed-997");
    assert_eq!(browser.run("document.querySelector('.row[aria-selected=true]').id === $('list').getAttribute('aria-activedescendant')"), true);
    browser.run("$('filter').value = ''; $('filter').dispatchEvent(new Event('input'))");
    browser.run("$('kind').value = 'check'; $('kind').dispatchEvent(new Event('change'))");
    assert_eq!(browser.run("$('count').textContent"), "1 of 10003 cases");
    browser.run("$('kind').value = ''; $('tag').value = 'set'; $('kind').dispatchEvent(new Event('change')); $('tag').dispatchEvent(new Event('change'))");
    assert_eq!(browser.run("$('count').textContent"), "2 of 10003 cases");
    browser.run("$('tag').value = ''; $('tag').dispatchEvent(new Event('change'))");
    browser.press("End");
    assert_eq!(browser.run("document.querySelector('#detail h2').textContent"), "many/passed-9999");
    browser.press("Home");
}

fn resists_names(browser: &mut Browser) {
    browser.press("j");
    browser.wait(
        "document.querySelector('#motion .notice')?.textContent.includes('is not in motions/')",
    );
    let title = browser.run("document.querySelector('#detail h2').textContent");
    assert_eq!(title, HOSTILE.replace('\u{1b}', "\\u001b").replace('\u{202e}', "\\u202e"));
    assert!(!browser.run("document.title").as_str().unwrap().starts_with("broken in"));
    assert_eq!(browser.run("document.querySelectorAll('img').length"), 0);
}

fn fits_a_phone(browser: &mut Browser) {
    let colour = "getComputedStyle(document.body).backgroundColor";
    let light = browser.run(colour);
    browser.prefer("dark");
    let dark = browser.run(colour);
    assert_ne!(dark, light);
    browser.press("t");
    assert_eq!(browser.run(colour), light, "the switch wins over the system");
    browser.resize(360, 740);
    browser.press("Home");
    let wide = "[document.documentElement, $('detail'), $('side')].filter((e) => e.scrollWidth > Math.max(e.clientWidth, 1) && e.clientWidth).map((e) => e.id + e.scrollWidth).join()";
    browser.press("Escape");
    browser.wait("getComputedStyle($('detail')).display === 'none'");
    assert_eq!(browser.run(wide), "");
    browser.press("Enter");
    browser.wait("getComputedStyle($('side')).display === 'none'");
    browser.wait(
        "[...document.images].length === 2 && [...document.images].every((img) => img.complete)",
    );
    browser.press("m");
    browser.wait("motion");
    assert_eq!(browser.run(wide), "");
}
