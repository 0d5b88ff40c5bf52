/** `completion`: prints completion scripts for three shells. They call the hidden command `__complete`. */
import { Argument, type Command } from 'commander'
import { declare } from '../command.ts'

const scripts = {
  bash: `_switchyard() {
  local IFS=$'\\n'
  COMPREPLY=($(switchyard __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _switchyard switchyard`,
  zsh: `#compdef switchyard
_switchyard() {
  local -a found
  found=("\${(@f)$(switchyard __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  (( \${#found} )) && [[ -n "\${found[1]}" ]] && compadd -a found || _files
}
compdef _switchyard switchyard`,
  fish: `complete -c switchyard -f -a '(switchyard __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
} as const

export function completionCommands(program: Command): void {
  declare(program, 'completion', 'Print a shell completion script', ({ output }, _options, shell) => {
    const script = scripts[shell as keyof typeof scripts]
    output.result({ shell, script }, script)
  }).addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
  program
    .command('__complete [words...]', { hidden: true })
    .allowUnknownOption()
    .action((words: string[]) => {
      process.stdout.write(completionsOf(program, words).join('\n'))
    })
}

/** The completions of the last word. */
export function completionsOf(program: Command, words: readonly string[]): string[] {
  const lastWord = words.at(-1) ?? ''
  const command = words.slice(0, -1).reduce(childOf, program)
  const candidates = lastWord.startsWith('-')
    ? optionsOf(command)
    : [...childrenOf(command), ...choicesOf(command)]
  return candidates.filter((name) => name.startsWith(lastWord)).toSorted()
}

/** Descends into a subcommand. Options and arguments stay at the same command. */
function childOf(command: Command, word: string): Command {
  return command.commands.find((child) => child.name() === word) ?? command
}

function childrenOf(command: Command): string[] {
  return command.commands.map((child) => child.name()).filter((name) => !name.startsWith('__'))
}

function optionsOf(command: Command): string[] {
  return [...command.options.flatMap(({ long }) => long ?? []), '--help']
}

function choicesOf(command: Command): string[] {
  return command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
}
