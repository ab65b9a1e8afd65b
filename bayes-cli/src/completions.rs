//! Completions of the command line, as scripts for shells.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};

/// The command that prints them.
pub(crate) fn command() -> Command {
    Command::new("completions")
        .about("Prints a script by which a shell completes commands and options")
        .long_about(
            "Prints a script by which a shell completes commands and options, for a program NAME in the path:\n\n  \
             bash: source <(NAME completions bash), in ~/.bashrc\n  \
             zsh:  source <(NAME completions zsh), in ~/.zshrc behind compinit\n  \
             fish: NAME completions fish > ~/.config/fish/completions/NAME.fish",
        )
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(PossibleValuesParser::new(["bash", "zsh", "fish"]))
                .help("The shell"),
        )
}

/// The script for a shell.
pub(crate) fn script(program: &Command, shell: &str) -> String {
    let name = program.get_bin_name().unwrap_or(program.get_name());
    match shell {
        "fish" => fish(program, name),
        "zsh" => format!(
            "autoload -U +X bashcompinit && bashcompinit\n{}",
            bash(program, name)
        ),
        _ => bash(program, name),
    }
}

/// The long options of a command, without `--help`, which clap adds to the command that it has parsed.
fn options(command: &Command) -> impl Iterator<Item = (&Arg, &str)> {
    let all = command.get_arguments();
    let named = all.filter_map(|option| Some((option, option.get_long()?)));
    named.filter(|(_, long)| *long != "help")
}

fn bash(program: &Command, name: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric();
    let function: String = name.chars().filter(|c| is_part(*c)).collect();
    let commands: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
    let case = |command: &Command| {
        let options = options(command).map(|(_, name)| format!("--{name}"));
        let options: Vec<String> = options.collect();
        format!(
            "        {}) all=\"{} --help\" ;;\n",
            command.get_name(),
            options.join(" ")
        )
    };
    let cases: String = program.get_subcommands().map(case).collect();
    format!(
        "_complete_{function}() {{\n    local word=\"${{COMP_WORDS[COMP_CWORD]}}\" all=\"\"\n    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        \
         all=\"{} --help --version\"\n    elif [[ \"$word\" == -* ]]; then\n        case \"${{COMP_WORDS[1]}}\" in\n{cases}        esac\n    fi\n    \
         # other words are files\n    [ -z \"$all\" ] || COMPREPLY=($(compgen -W \"$all\" -- \"$word\"))\n}}\ncomplete -o default -F _complete_{function} {name}\n",
        commands.join(" ")
    )
}

fn fish(program: &Command, name: &str) -> String {
    let said = |text: Option<String>| {
        text.unwrap_or_default()
            .replace('\\', "")
            .replace('\'', "’")
    };
    let mut script = String::new();
    for command in program.get_subcommands() {
        let (own, about) = (command.get_name(), command.get_about());
        let about = said(about.map(ToString::to_string));
        script +=
            &format!("complete -c {name} -n __fish_use_subcommand -f -a {own} -d '{about}'\n");
        for (option, long) in options(command) {
            let help = said(option.get_help().map(ToString::to_string));
            let value = match option.get_action().takes_values() {
                true => " -r",
                false => "",
            };
            script += &format!(
                "complete -c {name} -n '__fish_seen_subcommand_from {own}' -l {long}{value} -d '{help}'\n"
            );
        }
    }
    script
}
