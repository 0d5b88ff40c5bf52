/** How commands are declared: a name, what it is for, and what it does with a context. */
import { type Command, InvalidArgumentError } from 'commander'
import { type CommonOptions, type Context, createContext, interruption } from './context.ts'

type Handler<Options extends object> = (
  context: Context,
  options: Options & CommonOptions,
  ...args: string[]
) => Promise<void> | void

/** Adds a command that does something. `usage` has its arguments: `get <id>`. */
export function declare<Options extends object = object>(
  parent: Command,
  usage: string,
  about: string,
  handle: Handler<Options>,
): Command {
  return parent
    .command(usage)
    .description(about)
    .option('--json', 'answer with JSON')
    .option('-p, --profile <name>', 'whose token to use')
    .option('--live', 'needed to work with live objects')
    .action(async (...given) => {
      const command = given.at(-1) as Command
      const options = command.opts<Options & CommonOptions>()
      // Commander hands over the arguments, then the options, then the command itself.
      const args = (given.slice(0, -2) as (string | readonly string[] | undefined)[]).flatMap(
        (arg) => arg ?? [],
      )
      const context = createContext(options, interruption())
      try {
        await handle(context, options, ...args)
      } catch (error) {
        // Whatever was waited for says in its own words that it was stopped.
        context.signal.throwIfAborted()
        throw error
      } finally {
        context.output.settle()
      }
    })
}

/** Adds a command that only holds others. */
export function group(parent: Command, name: string, about: string): Command {
  return parent.command(name).description(about)
}

/** For options that are numbers: `wholeNumber(1)`. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (Number.isSafeInteger(value) && value >= least) return value
    throw new InvalidArgumentError(`It must be a whole number of at least ${least}.`)
  }
}

/** For options that are a share: 0.2 and 20% are the same. */
export function share(text: string): number {
  const value = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text)
  if (text.trim() !== '' && value >= 0 && value <= 1) return value
  throw new InvalidArgumentError('It must be a share: from 0 to 1, or from 0% to 100%.')
}

/** For options that may be given more than once. */
export function collected(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}
