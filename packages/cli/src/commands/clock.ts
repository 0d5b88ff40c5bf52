/** `clock`: creates and advances test clocks, and shows what happened on them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Switchyard, TestClock } from '@switchyard/sdk'
import type { Command } from 'commander'
import { declare, group } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { formatDetails, progressBar } from '../output.ts'
import { formatDateTime, parseDuration, parseTime } from '../time.ts'

type CreateOptions = { readonly at?: string; readonly name?: string }
type AdvanceOptions = { readonly by?: string; readonly to?: string; readonly wait?: boolean }

export function clockCommands(program: Command): void {
  const clock = group(program, 'clock', 'Test clocks: simulate a year of billing')
  declare<CreateOptions>(clock, 'create', 'Create a test clock', create)
    .option('--at <time>', 'the initial time; default: now', parseTime)
    .option('--name <name>', 'a label for the clock')
  declare<AdvanceOptions>(clock, 'advance <clock>', 'Advance a test clock, and show what happens', advance)
    .option('--by <duration>', 'advance by this duration: 30min, 2h, 3d, 2w, 1mo, 1y, or P1M', parseDuration)
    .option('--to <time>', 'advance to this time', parseTime)
    .option('--no-wait', 'return while the clock is still advancing in the background')
  declare(clock, 'timeline <clock>', 'Show what has happened on a test clock', timeline)
}

async function create(context: Context, { at, name }: CreateOptions): Promise<void> {
  const client = await context.client()
  const clock = await client.testClocks.create({ now_at: at, name })
  context.output.result(clock, () => formatDetails(clock))
}

async function advance(context: Context, { by, to, wait }: AdvanceOptions, id = ''): Promise<void> {
  if ((by === undefined) === (to === undefined))
    throw new CliError('usage', 'Exactly one of --by and --to is required.', 'For example: --by 1mo')
  const client = await context.client()
  const before = await client.testClocks.get(id)
  const lastEntryId = await findLastEntryId(client, id)
  let clock: TestClock = await client.testClocks.advance(id, by === undefined ? { to_at: to } : { by })
  while (wait !== false && clock.status === 'advancing') {
    showProgress(context, before, clock)
    await sleep(250, undefined, { signal: context.signal })
    clock = await client.testClocks.get(id, { signal: context.signal })
  }
  context.output.clearProgress()
  if (!context.output.json) await showTimeline(context, client, id, lastEntryId)
  context.output.result(clock, `${clock.id} is at ${formatDateTime(clock.now_at)}: ${clock.status}.`)
  if (clock.status === 'failed') throw new CliError('failed', clock.failure ?? 'The test clock failed.')
}

async function timeline(context: Context, _options: object, id = ''): Promise<void> {
  const client = await context.client()
  if (!context.output.json) return showTimeline(context, client, id, undefined)
  context.output.result(
    { object: 'list', data: await client.testClocks.timeline(id).all({ max: 10_000 }) },
    '',
  )
}

async function showTimeline(
  context: Context,
  client: Switchyard,
  id: string,
  lastEntryId: string | undefined,
): Promise<void> {
  for await (const entry of client.testClocks.timeline(id, { starting_after: lastEntryId }))
    context.output.line(entry, `${formatDateTime(entry.at)}  ${entry.sentence}  ${entry.object_id}`)
}

/** The id of the last timeline entry. Read before the clock advances, to show only entries after it. */
async function findLastEntryId(client: Switchyard, id: string): Promise<string | undefined> {
  let last: string | undefined
  for await (const entry of client.testClocks.timeline(id)) last = entry.id
  return last
}

function showProgress(
  { output }: Context,
  before: TestClock,
  { now_at, target_at, actions }: TestClock,
): void {
  const from = Date.parse(before.now_at)
  const days = (at: string | null) => Math.round((Date.parse(at ?? now_at) - from) / 86_400_000)
  output.progress(`${progressBar(days(now_at), days(target_at))} days, ${actions - before.actions} events`)
}
