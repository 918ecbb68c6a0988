// `lessonloop completions`: for three shells, made of the table of commands: names, options, and the words or files that
// an option or an argument takes.
import { COMMANDS } from "../command.mjs";
import { out, UsageError } from "../print.mjs";

/** @typedef {import("../command.mjs").Command} Command */
/** @typedef {import("../command.mjs").Option} Option */

const NAMES = COMMANDS.map(({ name }) => name);
/** Names of an option's or an argument's value where it is a file or a folder. */
const FILE = /\b(PATH|FILE|DIR)\b/;

/** @param {Command} command */
const optionsOf = ({ options }) => [
  ...Object.entries(options).flatMap(([name, { short }]) => [`--${name}`, ...(short ? [`-${short}`] : [])]),
  "--help",
];

/** @param {{ positionals: string[] }} given */
export function completions({ positionals }) {
  const [shell] = positionals;
  const made = { bash, zsh, fish }[shell ?? ""];
  if (!made) throw new UsageError("say bash, zsh or fish");
  out(made());
  return 0;
}

function bash() {
  const cases = COMMANDS.map((command) => {
    const { name, words = [], second = [], options } = command;
    // The option before the cursor, by its name or its letter.
    const values = Object.entries(options)
      .filter(([, { type }]) => type === "string")
      .map(([option, { short, words: values, value = "" }]) => {
        const names = `--${option}${short ? `|-${short}` : ""}`;
        if (values) return `        ${names}) COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$word")); return ;;`;
        if (FILE.test(value)) return `        ${names}) COMPREPLY=($(compgen -f -- "$word")); return ;;`;
        return `        ${names}) compopt +o default; return ;;`;
      });
    const before = values.length ? `      case "$before" in\n${values.join("\n")}\n      esac\n` : "";
    return `    ${name})\n${before}      first="${words.join(" ")}"; second="${second.join(" ")}"; options="${optionsOf(command).join(" ")}" ;;`;
  });
  return `# Completions of lessonloop for bash: source <(lessonloop completions bash)
_lessonloop() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" first="" second="" options="" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${NAMES.join(" ")} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  case "$COMP_CWORD" in
    2) words="$first" ;;
    3) words="$second" ;;
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words $options" -- "$word"))
}
complete -o default -F _lessonloop lessonloop`;
}

/** @param {string} text */
const quoted = (text) => text.replaceAll("'", "'\\''");
/** Inside of a spec of zsh's _arguments. @param {string} text */
const spec = (text) => quoted(text.replace(/[[\]:\\]/g, "\\$&"));

/**
 * Returns the choices for a value, for zsh.
 * @param {string} value
 * @param {string[] | undefined} words
 */
const choice = (value, words) =>
  `:${spec(value || "value")}:${words ? `(${words.join(" ")})` : FILE.test(value) ? "_files" : " "}`;

function zsh() {
  const names = COMMANDS.map(({ name, about }) => `    '${name}:${quoted(about).replaceAll(":", "\\:")}'`);
  const cases = COMMANDS.map(({ name, options, words, second, arguments: positional }) => {
    const specs = Object.entries(options).map(([option, { about, short, value, words, multiple, type }]) => {
      const takes = type === "string" ? choice(value ?? "", words) : "";
      const told = `[${spec(about)}]${takes}`;
      const again = multiple ? "*" : "";
      return short
        ? `'${again || `(-${short} --${option})`}'{-${short},--${option}}'${told}'`
        : `'${again}--${option}${told}'`;
    });
    specs.push("'(-h --help)'{-h,--help}'[help of this command]'");
    if (words) specs.push(`'1${choice("word", words)}'`);
    if (second) specs.push(`'2${choice("word", second)}'`);
    if (FILE.test(positional)) specs.push("'*:path:_files'");
    return `    ${name}) _arguments -s ${specs.join(" ")} ;;`;
  });
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
  local command="\${words[2]}"
  # What follows sees the command's own words only.
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = _lessonloop ]; then _lessonloop "$@"; else compdef _lessonloop lessonloop; fi`;
}

function fish() {
  const lines = [
    "# Completions of lessonloop for fish: lessonloop completions fish > ~/.config/fish/completions/lessonloop.fish",
    "function __lessonloop_at",
    "    set -l words (commandline -opc)",
    '    test (count $words) -eq $argv[1]; and test "$words[2]" = "$argv[2]"',
    "end",
    "complete -c lessonloop -f",
  ];
  for (const { name, about, words, second, options, arguments: positional } of COMMANDS) {
    lines.push(`complete -c lessonloop -n __fish_use_subcommand -a ${name} -d '${quoted(about)}'`);
    const when = `-n '__fish_seen_subcommand_from ${name}'`;
    if (words) lines.push(`complete -c lessonloop -n '__lessonloop_at 2 ${name}' -a '${words.join(" ")}'`);
    if (second) lines.push(`complete -c lessonloop -n '__lessonloop_at 3 ${name}' -a '${second.join(" ")}'`);
    if (FILE.test(positional)) lines.push(`complete -c lessonloop ${when} -F`);
    for (const [option, { about, short, type, value = "", words: choices }] of Object.entries(options)) {
      const takes =
        type === "boolean" ? "" : choices ? ` -x -a '${choices.join(" ")}'` : FILE.test(value) ? " -r -F" : " -x";
      lines.push(
        `complete -c lessonloop ${when} -l ${option}${short ? ` -s ${short}` : ""}${takes} -d '${quoted(about)}'`,
      );
    }
  }
  return lines.join("\n");
}
