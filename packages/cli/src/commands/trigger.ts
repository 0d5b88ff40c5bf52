/** `trigger`: brings an event about by real calls in the test environment. */
import { Argument, type Command } from 'commander'
import { declare, wholeNumber } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { styled, tableOf } from '../output.ts'
import { modeOf } from '../profile.ts'
import { bringAbout } from '../triggers/bring-about.ts'
import { isEventType, recipes } from '../triggers/recipes.ts'

type TriggerOptions = { readonly list?: boolean; readonly wait?: number }

export function triggerCommand(program: Command): void {
  declare<TriggerOptions>(program, 'trigger', 'Bring an event about by real calls', trigger)
    .addArgument(new Argument('[type]', 'a type of event, such as payment.succeeded'))
    .option('--list', 'say which types can be brought about, and how')
    .option('--wait <seconds>', 'how long to wait for the event', wholeNumber(0))
}

async function trigger(context: Context, options: TriggerOptions, type?: string): Promise<void> {
  if (options.list || type === undefined) return list(context)
  if (!isEventType(type))
    throw new CliError('notFound', `There is no type "${type}".`, 'See: switchyard trigger --list')
  const recipe = recipes[type]
  if ('why' in recipe) throw new CliError('refused', `No call can bring ${type} about. ${recipe.why}`)
  if (modeOf(context.profile().token) === 'live')
    throw new CliError(
      'refused',
      'Events are triggered in the test environment alone.',
      'Choose a test profile.',
    )
  context.output.note(`To ${recipe.how}.`)
  const event = await bringAbout(await context.client(), type, recipe, {
    signal: context.signal,
    waitSeconds: options.wait,
    onWait: () => context.output.progress(`Waiting for ${type}`),
  })
  context.output.result(event, `${styled('green', event.type)}  ${event.id}`)
}

function list({ output }: Context): void {
  const rows = Object.entries(recipes).map(([type, recipe]) =>
    'why' in recipe ? { type, possible: false, why: recipe.why } : { type, possible: true, how: recipe.how },
  )
  output.result(rows, () =>
    tableOf(
      ['TYPE', 'HOW'],
      rows.map((row) => [row.type, row.possible ? row.how : `(not by a call) ${row.why}`]),
    ),
  )
}
