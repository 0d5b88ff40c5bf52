/** `clock`: time that is moved by hand, and what happens while it passes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Switchyard, TestClock } from '@switchyard/sdk'
import type { Command } from 'commander'
import { declare, group } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { barOf, detailsOf } from '../output.ts'
import { dayText, durationText, someTime } from '../time.ts'

type CreateOptions = { readonly at?: string; readonly name?: string }
type AdvanceOptions = { readonly by?: string; readonly to?: string; readonly wait?: boolean }

export function clockCommands(program: Command): void {
  const clock = group(program, 'clock', 'Test clocks: a year of billing in a moment')
  declare<CreateOptions>(clock, 'create', 'Make a clock', create)
    .option('--at <time>', 'what time it begins with; without it, now', someTime)
    .option('--name <name>', 'what it is for')
  declare<AdvanceOptions>(clock, 'advance <clock>', 'Let time pass, and show what happens', advance)
    .option('--by <duration>', 'by how much: 30min, 2h, 3d, 2w, 1mo, 1y, or P1M', durationText)
    .option('--to <time>', 'to which time', someTime)
    .option('--no-wait', 'do not wait until it has arrived')
  declare(clock, 'timeline <clock>', 'What has happened on it', timeline)
}

async function create(context: Context, { at, name }: CreateOptions): Promise<void> {
  const client = await context.client()
  const clock = await client.testClocks.create({ now_at: at, name })
  context.output.result(clock, () => detailsOf(clock))
}

async function advance(context: Context, { by, to, wait }: AdvanceOptions, id = ''): Promise<void> {
  if ((by === undefined) === (to === undefined))
    throw new CliError('usage', 'How far?', 'Add either --by, such as --by 1mo, or --to.')
  const client = await context.client()
  const before = await client.testClocks.get(id)
  const behind = await lastEntry(client, id)
  let clock: TestClock = await client.testClocks.advance(id, by === undefined ? { to_at: to } : { by })
  while (wait !== false && clock.status === 'advancing') {
    showProgress(context, before, clock)
    await sleep(250, undefined, { signal: context.signal })
    clock = await client.testClocks.get(id, { signal: context.signal })
  }
  context.output.settle()
  if (!context.output.json) await showTimeline(context, client, id, behind)
  context.output.result(clock, `It is ${dayText(clock.now_at)} on ${clock.id}: ${clock.status}.`)
  if (clock.status === 'failed')
    throw new CliError('failed', clock.failure ?? 'Something on the clock failed.')
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
  behind: string | undefined,
): Promise<void> {
  for await (const entry of client.testClocks.timeline(id, { starting_after: behind }))
    context.output.line(entry, `${dayText(entry.at)}  ${entry.sentence}  ${entry.object_id}`)
}

/** The newest entry before time passes: what comes behind it is new. */
async function lastEntry(client: Switchyard, id: string): Promise<string | undefined> {
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
  output.progress(`${barOf(days(now_at), days(target_at))} days, ${actions - before.actions} things happened`)
}
