/** `completion`: scripts for three shells. Each asks the command itself what could come next. */
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
  declare(program, 'completion', 'Print a script that completes commands', ({ output }, _options, shell) => {
    const script = scripts[shell as keyof typeof scripts]
    output.result({ shell, script }, script)
  }).addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
  program
    .command('__complete [words...]', { hidden: true })
    .allowUnknownOption()
    .action((words: string[]) => {
      process.stdout.write(completionsOf(program, words).join('\n'))
    })
}

/** What could stand in place of the last word. */
export function completionsOf(program: Command, words: readonly string[]): string[] {
  const typed = words.at(-1) ?? ''
  const command = words.slice(0, -1).reduce(childOf, program)
  const offered = typed.startsWith('-') ? optionsOf(command) : [...childrenOf(command), ...choicesOf(command)]
  return offered.filter((name) => name.startsWith(typed)).toSorted()
}

/** Words that are no command are options or arguments, and lead nowhere else. */
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
