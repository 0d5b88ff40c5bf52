/** `trigger`: triggers an event with real API calls in test mode. */
import { Argument, type Command } from 'commander'
import { declare, parseInteger } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { formatTable, styled } from '../output.ts'
import { modeOfToken } from '../profile.ts'
import { isEventType, recipes } from '../triggers/recipes.ts'
import { runTrigger } from '../triggers/run-trigger.ts'

type TriggerOptions = { readonly list?: boolean; readonly wait?: number }

export function triggerCommand(program: Command): void {
  declare<TriggerOptions>(program, 'trigger', 'Trigger an event with real API calls', trigger)
    .addArgument(new Argument('[type]', 'the event type, such as payment.succeeded'))
    .option('--list', 'list the event types that can be triggered, and how')
    .option('--wait <seconds>', 'how long to wait for the event', parseInteger(0))
}

async function trigger(context: Context, options: TriggerOptions, type?: string): Promise<void> {
  if (options.list || type === undefined) return list(context)
  if (!isEventType(type))
    throw new CliError('notFound', `There is no event type "${type}".`, 'See: switchyard trigger --list')
  const recipe = recipes[type]
  if ('why' in recipe) throw new CliError('refused', `${type} cannot be triggered. ${recipe.why}`)
  if (modeOfToken(context.profile().token) === 'live')
    throw new CliError('refused', 'Events can only be triggered in test mode.', 'Choose a test profile.')
  context.output.note(`Steps: ${recipe.how}.`)
  const event = await runTrigger(await context.client(), type, recipe, {
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
    formatTable(
      ['TYPE', 'HOW'],
      rows.map((row) => [row.type, row.possible ? row.how : `(cannot be triggered) ${row.why}`]),
    ),
  )
}
