//! The help of the program itself, on one screen of 24 lines and 80 columns: `rigview --help`. The complete list of
//! commands and options is `rigview help`.

/// Everything but the names of the other commands, which replace `{others}`.
const SCREEN: &str = "\
Open glTF files in a window, or render, measure and check them without one

Usage: rigview [FILE ...] [OPTIONS]       open files in the window
       rigview COMMAND [OPTIONS]          work without a window

  rigview                                 show the built-in rig; H lists keys
  rigview fox.glb                         open a file; dropping one works too
  rigview screenshot fox.glb -o fox.png   draw a picture
  rigview record fox.glb -o fox.gif       record a clip as a moving picture
  rigview info fox.glb                    list what the file contains
  rigview check fox.glb                   find defects of the rig and its clips

More commands: {others}

Options: --clip NAME, --time SECS, --size WxH, --orbit AZIMUTH,ELEVATION, ...
  rigview COMMAND --help                  the options of a command
  rigview help                            every command and option
  rigview --version                       the version

Exit codes: 0 success, 1 the answer is no, 2 wrong usage, 3 the file can't be
loaded, 4 no usable GPU or display, 5 the result can't be written.
";

/// Columns of the screen.
const WIDTH: usize = 80;

/// Returns the help of the program. Commands that it has no example of are listed by name, so none is missing.
pub fn text(program: &clap::Command) -> String {
    let visible = program.get_subcommands().filter(|command| !command.is_hide_set());
    let names = visible.map(clap::Command::get_name);
    let others: Vec<&str> =
        names.filter(|name| !SCREEN.contains(&format!("rigview {name} "))).collect();
    let lines = SCREEN.lines().map(|line| match line.split_once("{others}") {
        Some((start, _)) => listed(start, &others),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Lists names after the start of a line. Further lines are indented by two.
fn listed(start: &str, names: &[&str]) -> String {
    let mut text = start.trim_end().to_owned();
    let mut column = text.len();
    for (i, name) in names.iter().enumerate() {
        let comma = if i + 1 < names.len() { "," } else { "" };
        if column + 1 + name.len() + comma.len() > WIDTH {
            text += "\n ";
            column = 1;
        }
        text += &format!(" {name}{comma}");
        column += 1 + name.len() + comma.len();
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::{WIDTH, listed, text};

    #[test]
    fn long_lists_continue_on_an_indented_line() {
        let names = ["checking"; 12];
        let list = listed("More:", &names);
        let lines: Vec<&str> = list.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("More: checking, ") && lines[0].len() <= WIDTH);
        assert!(lines[1].starts_with("  checking, ") && lines[1].ends_with(" checking"));
    }

    #[test]
    fn commands_with_an_example_are_not_listed_again_and_hidden_ones_never() {
        let program = Command::new("rigview").subcommands([
            Command::new("info"),
            Command::new("weigh"),
            Command::new("worker").hide(true),
        ]);
        assert!(text(&program).contains("\nMore commands: weigh\n"));
    }
}
