/** The commands of every API resource: `list`, `get` and its actions; and `get <id>` for any id. */
import type { Command } from 'commander'
import { lowercaseFirst } from '../body.ts'
import { declare, group, parseInteger } from '../command.ts'
import type { Context } from '../context.ts'
import { formatList } from '../format-list.ts'
import { callGet, callList, isPaginated, type Noun, nounOfId, pageOf } from '../nouns.ts'
import { formatDetails } from '../output.ts'
import { camelCase } from '../sdk-methods.ts'
import { parsePastTime } from '../time.ts'
import { declareActions } from './actions.ts'

type ListOptions = {
  readonly limit?: number
  readonly since?: Date
  readonly until?: Date
  readonly startingAfter?: string
  readonly endingBefore?: string
}

/** Returns the `events` command, to which other files add subcommands. */
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
  declare(parent, ['get', ...argumentsOf(ids)].join(' '), about, (context, _options, ...idArgs) =>
    show(context, noun, idArgs),
  )
}

function declareList(parent: Command, noun: Noun, { about, ids, filters }: NonNullable<Noun['list']>): void {
  const usage = ['list', ...argumentsOf(ids)].join(' ')
  const command = declare<ListOptions>(parent, usage, about, async (context, options, ...idArgs) => {
    const client = await context.client()
    const filterValues = Object.fromEntries(
      filters.flatMap(({ name }) => {
        const value = (options as unknown as Record<string, unknown>)[camelCase(name)]
        return value === undefined ? [] : [[name, value]]
      }),
    )
    const list = callList(client, noun, idArgs, { ...pagingQuery(options), ...filterValues })
    const page = await pageOf(list, options.limit ?? 100)
    context.output.result(page, () => formatList(page.data))
  })
  if (!isPaginated(noun)) return
  command
    .option('-n, --limit <n>', 'maximum number of results', parseInteger(1), 20)
    .option('--since <when>', 'only objects created since: 2h, 1d, or a time', (text: string) =>
      parsePastTime(text),
    )
    .option('--until <when>', 'only objects created before: 2h, 1d, or a time', (text: string) =>
      parsePastTime(text),
    )
    .option('--starting-after <id>', 'only objects older than this one')
    .option('--ending-before <id>', 'only objects newer than this one')
  for (const filter of filters)
    command.option(`--${filter.name.replaceAll('_', '-')} <value>`, lowercaseFirst(filter.about))
}

async function show(context: Context, noun: Noun, ids: readonly string[]): Promise<void> {
  const client = await context.client()
  const object = await callGet(client, noun, ids)
  context.output.result(object, () => formatDetails(object))
}

function pagingQuery({ limit = 100, since, until, startingAfter, endingBefore }: ListOptions) {
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
