/** The commands of every noun of the API: `list`, `get` and what else can be done; and `get <id>` for any id. */
import type { Command } from 'commander'
import { lower } from '../body.ts'
import { declare, group, wholeNumber } from '../command.ts'
import type { Context } from '../context.ts'
import { getFrom, listFrom, type Noun, nounOfId, pageOf } from '../nouns.ts'
import { detailsOf } from '../output.ts'
import { camel } from '../sdk-methods.ts'
import { pastTime } from '../time.ts'
import { listWords } from '../words.ts'
import { declareActions } from './actions.ts'

type ListOptions = {
  readonly limit?: number
  readonly since?: Date
  readonly until?: Date
  readonly startingAfter?: string
  readonly endingBefore?: string
}

/** Answers the command that holds those of events, which has more than these two. */
export function objectCommands(program: Command, nouns: readonly Noun[]): { readonly events: Command } {
  declare(program, 'get <id>', 'Show any object by its id', (context, _options, id = '') =>
    show(context, nounOfId(nouns, id), [id]),
  )
  for (const noun of nouns) {
    const parent = group(program, noun.name.replaceAll('_', '-'), aboutOf(noun))
    if (noun.list !== undefined) declareList(parent, noun, noun.list)
    if (noun.get !== undefined) declareGet(parent, noun, noun.get)
    declareActions(parent, noun)
  }
  const events = program.commands.find((command) => command.name() === 'events')
  return { events: events ?? group(program, 'events', 'Show events') }
}

function declareGet(parent: Command, noun: Noun, { about, ids }: NonNullable<Noun['get']>): void {
  declare(parent, ['get', ...argumentsOf(ids)].join(' '), about, (context, _options, ...given) =>
    show(context, noun, given),
  )
}

function declareList(parent: Command, noun: Noun, { about, ids, filters }: NonNullable<Noun['list']>): void {
  const usage = ['list', ...argumentsOf(ids)].join(' ')
  const command = declare<ListOptions>(parent, usage, about, async (context, options, ...given) => {
    const client = await context.client()
    const chosen = Object.fromEntries(
      filters.flatMap(({ name }) => {
        const value = (options as unknown as Record<string, unknown>)[camel(name)]
        return value === undefined ? [] : [[name, value]]
      }),
    )
    const list = listFrom(client, noun, given, { ...pagingOf(options), ...chosen })
    const page = await pageOf(list, options.limit ?? 100)
    context.output.result(page, () => listWords(page.data))
  })
  // The types of events are all answered at once.
  if (noun.name === 'event_types') return
  command
    .option('-n, --limit <n>', 'how many', wholeNumber(1), 20)
    .option('--since <when>', 'only those made since: 2h, 1d, or a time', (text: string) => pastTime(text))
    .option('--until <when>', 'only those made before', (text: string) => pastTime(text))
    .option('--starting-after <id>', 'those that are older than this one')
    .option('--ending-before <id>', 'those that are newer than this one')
  for (const filter of filters)
    command.option(`--${filter.name.replaceAll('_', '-')} <value>`, lower(filter.about))
}

async function show(context: Context, noun: Noun, ids: readonly string[]): Promise<void> {
  const client = await context.client()
  const object = await getFrom(client, noun, ids)
  context.output.result(object, () => detailsOf(object))
}

function pagingOf({ limit = 100, since, until, startingAfter, endingBefore }: ListOptions) {
  const isBounded = since !== undefined || until !== undefined
  return {
    limit: Math.min(limit, 100),
    ...(isBounded ? { created_at: { gte: since, lt: until } } : {}),
    ...(startingAfter === undefined ? {} : { starting_after: startingAfter }),
    ...(endingBefore === undefined ? {} : { ending_before: endingBefore }),
  }
}

/** `Api tokens: list, show, create, roll, revoke`. */
function aboutOf({ name, list, get, actions = [] }: Noun): string {
  const verbs = [...(list ? ['list'] : []), ...(get ? ['show'] : []), ...actions.map(({ verb }) => verb)]
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${verbs.join(', ')}`.replaceAll('_', ' ')
}

function argumentsOf(ids: readonly string[]): string[] {
  return ids.map((id) => `<${id.replaceAll('_', '-')}>`)
}
