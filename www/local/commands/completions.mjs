// `lessonloop completions`: for three shells, made of the table of commands.
import { COMMANDS } from "../command.mjs";
import { out, UsageError } from "../print.mjs";

const NAMES = COMMANDS.map(({ name }) => name);
/** @param {import("../command.mjs").Command} command */
const optionsOf = (command) => [...Object.keys(command.options).map((name) => `--${name}`), "--help"];

/** @param {{ positionals: string[] }} given */
export function completions({ positionals }) {
  const [shell] = positionals;
  const made = { bash, zsh, fish }[shell ?? ""];
  if (!made) throw new UsageError("say bash, zsh or fish");
  out(made());
  return 0;
}

/** Where options have words of their own: option, then the words. */
function valued() {
  const found = new Map();
  for (const command of COMMANDS) {
    for (const [name, option] of Object.entries(command.options))
      if (option.words) found.set(`--${name}`, option.words);
  }
  return found;
}

function bash() {
  const cases = COMMANDS.map(
    (command) => `    ${command.name}) words="${[...(command.words ?? []), ...optionsOf(command)].join(" ")}" ;;`,
  );
  const values = [...valued()].map(
    ([option, words]) => `    ${option}) COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$word")); return ;;`,
  );
  return `# Completions of lessonloop for bash: source <(lessonloop completions bash)
_lessonloop() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  case "$before" in
${values.join("\n")}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${NAMES.join(" ")} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _lessonloop lessonloop`;
}

/** @param {string} text */
const quoted = (text) => text.replaceAll("'", "'\\''");

function zsh() {
  const names = COMMANDS.map(({ name, about }) => `    '${name}:${quoted(about).replaceAll(":", "\\:")}'`);
  const cases = COMMANDS.map(
    (command) =>
      `    ${command.name}) compadd -- ${[...(command.words ?? []), ...optionsOf(command)].join(" ")}; _files ;;`,
  );
  return `#compdef lessonloop
# Completions of lessonloop for zsh: lessonloop completions zsh > a folder of $fpath, as _lessonloop
_lessonloop() {
  local -a commands
  commands=(
${names.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "\${words[2]}" in
${cases.join("\n")}
  esac
}
compdef _lessonloop lessonloop`;
}

function fish() {
  const lines = [
    "# Completions of lessonloop for fish: lessonloop completions fish > ~/.config/fish/completions/lessonloop.fish",
  ];
  for (const { name, about, words, options } of COMMANDS) {
    lines.push(`complete -c lessonloop -f -n __fish_use_subcommand -a ${name} -d '${quoted(about)}'`);
    const when = `-n '__fish_seen_subcommand_from ${name}'`;
    if (words) lines.push(`complete -c lessonloop -f ${when} -a '${words.join(" ")}'`);
    for (const [option, { about, value, words: choices }] of Object.entries(options)) {
      const takes = choices ? ` -x -a '${choices.join(" ")}'` : value ? " -r" : "";
      lines.push(`complete -c lessonloop ${when} -l ${option}${takes} -d '${quoted(about)}'`);
    }
  }
  return lines.join("\n");
}
