//! Manual pages, completions, and plain text for terminals and pipes.

use std::process::{Command, Stdio};

use crate::support::{SmallModel, command, rigview, run};

/// Returns the names of the commands that the help lists.
fn commands() -> Vec<String> {
    let help = rigview(["help"]).done();
    let lines = help.text().lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  ") || line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    names.filter(|name| name != "help").collect()
}

#[test]
fn every_command_has_a_page_with_its_options_and_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    rigview(["man", "-o", folder.path().to_str().unwrap()]).done();
    let commands = commands();
    assert!(commands.len() >= 15, "{commands:?}");
    let page = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(folder.path().read_dir().unwrap().count(), commands.len() + 1);
    let program = page("rigview.1");
    for name in &commands {
        let text = page(&format!("rigview-{name}.1"));
        let shown = rigview(["man", name]).done();
        assert_eq!(shown.text(), text);
        assert!(program.contains(&format!("rigview\\-{name}(1)")), "{name} is in rigview(1)");
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "ENVIRONMENT"] {
            assert!(text.contains(&format!(".SH {section}\n")), "{section} of {name}: {text}");
        }
        let status = text.split(".SH \"EXIT STATUS\"").nth(1).expect("exit codes");
        let status = status.split(".SH").next().unwrap();
        for code in 0..=5 {
            assert!(
                status.contains(&format!(".TP\n\\fB{code}\\fR\n")),
                "{code} of {name}: {status}"
            );
        }
        assert!(text.contains("NO_COLOR"), "{name}");
        let long = rigview([name, "--help"]).done();
        let options = long.text().split_whitespace().filter(|word| word.starts_with("--"));
        let options =
            options.filter(|word| word[2..].chars().all(|c| c.is_ascii_lowercase() || c == '-'));
        for option in options {
            assert!(text.contains(&option.replace('-', "\\-")), "{option} of {name}");
        }
    }
    assert!(!program.contains("Exit codes:"), "the exit codes are in their section only");
}

#[test]
fn an_unknown_page_is_2_and_names_the_commands() {
    let run = rigview(["man", "posee"]).failed(2);
    assert!(run.stderr.contains("screenshot"), "{}", run.stderr);
}

/// Each shell reads its completions without complaint. Shells that are not installed are left out, but `sh` is
/// everywhere and `bash` on all systems that run these tests on Linux.
#[test]
fn completions_name_commands_and_options_and_can_be_read() {
    for (shell, check) in [
        ("bash", Some(["bash", "-n"])),
        ("zsh", Some(["zsh", "-n"])),
        ("fish", Some(["fish", "-n"])),
        ("elvish", Some(["elvish", "-compileonly"])),
        ("powershell", None),
    ] {
        let script = rigview(["completions", shell]).done();
        for word in ["screenshot", "thumbnail", "orbit", "tone-map"] {
            assert!(script.text().contains(word), "{word} for {shell}");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rigview");
        std::fs::write(&file, &script.stdout).unwrap();
        let Some([program, option]) = check else { continue };
        let read = Command::new(program).arg(option).arg(&file).stdin(Stdio::null()).output();
        let Ok(read) = read else { continue };
        let said = String::from_utf8_lossy(&read.stderr);
        assert!(read.status.success() && said.is_empty(), "{shell}: {said}");
    }
    let run = rigview(["completions", "cmd"]).failed(2);
    assert!(run.stderr.contains("powershell"), "{}", run.stderr);
}

/// Escape sequences appear neither in a pipe nor with NO_COLOR, which wins over CLICOLOR_FORCE.
#[test]
fn text_is_plain_in_pipes_and_with_no_color() {
    for (force, no_color, wanted) in
        [(false, false, false), (true, false, true), (true, true, false)]
    {
        let mut command = command();
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command.envs(force.then_some(("CLICOLOR_FORCE", "1")));
        command.envs(no_color.then_some(("NO_COLOR", "1")));
        let help = run(command.args(["screenshot", "--help"])).done();
        assert_eq!(help.text().contains('\u{1b}'), wanted, "force {force}, no colour {no_color}");
    }
}

#[test]
fn no_progress_is_drawn_in_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("a.gltf");
    SmallModel::new().clip("Turn").write_gltf(&model);
    let model = model.to_str().unwrap();
    let out = folder.path().join("out.gif");
    let small = ["--size", "32x32", "--to", "0.2", "-o"];
    let mut command = command();
    let recorded = run(command.args(["record", model]).args(small).arg(&out)).done();
    assert_eq!(recorded.stderr, "");
    let out = folder.path().join("sheet.png");
    let sheet = rigview(["sheet", model, model, "--size", "32x32", "-o", out.to_str().unwrap()]);
    assert_eq!(sheet.done().stderr, "");
}
