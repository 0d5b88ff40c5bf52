/** Declares commands with their common options and handler, and parses option values. */
import { type Command, InvalidArgumentError } from 'commander'
import { type CommonOptions, type Context, createContext, interruptSignal } from './context.ts'

type Handler<Options extends object> = (
  context: Context,
  options: Options & CommonOptions,
  ...args: string[]
) => Promise<void> | void

/** Adds a command with a handler. `usage` includes the arguments: `get <id>`. */
export function declare<Options extends object = object>(
  parent: Command,
  usage: string,
  about: string,
  handle: Handler<Options>,
): Command {
  return parent
    .command(usage)
    .description(about)
    .option('--json', 'print JSON')
    .option('-p, --profile <name>', 'use the token of this profile')
    .option('--live', 'required with a live token')
    .action(async (...commanderArgs) => {
      const command = commanderArgs.at(-1) as Command
      const options = command.opts<Options & CommonOptions>()
      // Commander passes the arguments, then the options, then the command.
      const args = (commanderArgs.slice(0, -2) as (string | readonly string[] | undefined)[]).flatMap(
        (arg) => arg ?? [],
      )
      const context = createContext(options, interruptSignal())
      try {
        await handle(context, options, ...args)
      } catch (error) {
        // After an interrupt, report the interrupt and not the error it caused.
        context.signal.throwIfAborted()
        throw error
      } finally {
        context.output.clearProgress()
      }
    })
}

/** Adds a parent command for subcommands. */
export function group(parent: Command, name: string, about: string): Command {
  return parent.command(name).description(about)
}

/** Parses an integer option: `parseInteger(1)` accepts 1 or more. */
export function parseInteger(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (Number.isSafeInteger(value) && value >= min) return value
    throw new InvalidArgumentError(`Expected an integer of at least ${min}.`)
  }
}

/** Parses a fraction: 0.2 and 20% are the same. */
export function parseFraction(text: string): number {
  const value = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text)
  if (text.trim() !== '' && value >= 0 && value <= 1) return value
  throw new InvalidArgumentError('Expected a fraction: from 0 to 1, or from 0% to 100%.')
}

/** Collects the values of an option that can be given more than once. */
export function collect(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, text]
}
