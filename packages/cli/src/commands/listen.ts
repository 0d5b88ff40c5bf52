/** `listen`: brings the events of a workspace to a receiver on this machine, as webhooks would come to it. */

import { type StreamQuery, type Switchyard, SwitchyardError } from '@switchyard/sdk'
import type { Command } from 'commander'
import { declare, share, wholeNumber } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { createFaults } from '../listen/faults.ts'
import { type Attempt, createForwarder, type Forwarding } from '../listen/forward.ts'
import { createProgress, type Place, type Progress, type Saved } from '../listen/progress.ts'
import { type ListenerKey, type ListenerState, openState, takeLock } from '../listen/state.ts'
import { type Output, styled } from '../output.ts'
import { clockText, pastTime } from '../time.ts'

type ListenOptions = {
  readonly forwardTo: string
  readonly events?: string
  readonly since?: string
  readonly concurrency: number
  readonly retries: number
  readonly timeout: number
  readonly failRate: number
  readonly duplicate: number
  readonly latency: number
  readonly shuffle?: boolean
  readonly seed: number
  readonly printSecret?: boolean
}

export function listenCommand(program: Command): void {
  declare<ListenOptions>(program, 'listen', 'Forward events to a receiver on this machine', listen)
    .requiredOption('--forward-to <url>', 'where to send them', receiverAddress)
    .option('--events <types>', 'only these: types, <object>.*, separated by commas')
    .option(
      '--since <when>',
      'begin there instead of where it left off: 2h, a time, or the id of an event',
      beginning,
    )
    .option('--concurrency <n>', 'how many are on their way at once', wholeNumber(1), 10)
    .option('--retries <n>', 'how often an event is tried again after it failed', wholeNumber(0), 5)
    .option('--timeout <seconds>', 'how long the receiver may take', wholeNumber(1), 15)
    .option('--fail-rate <share>', 'throw so many answers away, and send those events again', share, 0)
    .option('--duplicate <share>', 'send so many events twice', share, 0)
    .option('--latency <ms>', 'hold each event back for up to so long', wholeNumber(0), 0)
    .option('--shuffle', 'let events of one object overtake each other')
    .option('--seed <n>', 'draw the same faults again', wholeNumber(0), 1)
    .option('--print-secret', 'print the secret that it signs with, and end')
}

async function listen(context: Context, options: ListenOptions): Promise<void> {
  const client = await context.client()
  const { workspace_id: workspaceId } = await client.me.get({ signal: context.signal })
  const types = (options.events ?? '*')
    .split(',')
    .map((type) => type.trim())
    .toSorted()
  const key: ListenerKey = { workspaceId, baseUrl: client.baseUrl, url: options.forwardTo, types }
  const state = openState(key)
  if (options.printSecret) return context.output.result({ secret: state.secret }, state.secret)
  takeLock(key)
  const saved = await beginAt(client, state, options.since)
  state.save(saved)
  greet(context.output, options, {
    workspaceId,
    secret: state.secret,
    goesOn: state.saved !== null && !options.since,
  })
  await follow(context, client, { options, types, state, progress: createProgress(saved) })
}

type Following = {
  readonly options: ListenOptions
  readonly types: readonly string[]
  readonly state: ListenerState
  readonly progress: Progress
}

async function follow(context: Context, client: Switchyard, following: Following): Promise<void> {
  const { options, types, state, progress } = following
  const stop = new AbortController()
  const pass = () => stop.abort(context.signal.reason)
  context.signal.addEventListener('abort', pass, { once: true })
  const forwarder = createForwarder(forwardingOf(options, state.secret), {
    progress,
    signal: stop.signal,
    onSettled: () => state.save(progress.saved),
    onAttempt: (attempt) => context.output.line(attempt, attemptWords(attempt)),
    onBroken: (error) => stop.abort(error),
  })
  const query = { ...progress.saved.place, types } as StreamQuery
  try {
    for await (const event of client.events.stream(query, { signal: stop.signal }))
      await forwarder.take(event)
  } catch (error) {
    await forwarder.drain()
    throw explained(error)
  }
}

function forwardingOf(options: ListenOptions, secret: string): Forwarding {
  const { failRate, duplicate, seed, shuffle = false } = options
  // Overtaking needs something to overtake: without a delay of its own each event leaves at once.
  const latencyMs = Math.max(options.latency, shuffle ? 300 : 0)
  return {
    receiver: { url: new URL(options.forwardTo), secret, timeoutMs: options.timeout * 1000 },
    concurrency: options.concurrency,
    retries: options.retries,
    isOrdered: !shuffle,
    faults: createFaults({ failRate, duplicate, latencyMs, seed }),
  }
}

/** Where `--since` says, else where it left off, else now. */
async function beginAt(client: Switchyard, state: ListenerState, since: string | undefined): Promise<Saved> {
  if (since !== undefined)
    return { place: since.startsWith('event_') ? { starting_after: since } : { since }, ahead: [] }
  return state.saved ?? { place: await now(client), ahead: [] }
}

/** By an event or by the clock of the server. It is written down, so that a kill before the first event loses none. */
async function now(client: Switchyard): Promise<Place> {
  const { data, $response } = await client.events.list({ limit: 1 }).page()
  const [newest] = data
  if (newest !== undefined) return { starting_after: newest.id }
  return { since: new Date($response.headers.get('date') ?? Date.now()).toISOString() }
}

type Greeting = { readonly workspaceId: string; readonly secret: string; readonly goesOn: boolean }

function greet(output: Output, options: ListenOptions, { workspaceId, secret, goesOn }: Greeting): void {
  const { forwardTo: forward_to, events = '*' } = options
  output.line(
    { listening: true, workspace_id: workspaceId, forward_to, events, secret },
    [
      `Forwarding ${events === '*' ? 'all events' : events} of ${workspaceId} to ${forward_to}`,
      `Signed with ${styled('bold', secret)}`,
      goesOn
        ? 'Going on where it left off. Ctrl-C stops.'
        : 'Ready. Ctrl-C stops; the next start goes on from there.',
    ].join('\n'),
  )
}

const colours = {
  delivered: 'green',
  duplicated: 'cyan',
  retrying: 'yellow',
  waiting: 'yellow',
  given_up: 'red',
} as const

function attemptWords(attempt: Attempt): string {
  const { outcome, status, fault, duration_ms, type, event_id, attempt: nth } = attempt
  const answer = styled(colours[outcome], String(status ?? '---'))
  const told = [
    ...(fault === null ? [] : [fault]),
    ...(outcome === 'delivered' ? [] : [outcome.replace('_', ' ')]),
    ...(nth === 1 ? [] : [`attempt ${nth}`]),
  ]
  const remark = told.length === 0 ? '' : `  (${told.join(', ')})`
  return `${clockText(new Date())}  ${answer}  ${String(duration_ms).padStart(5)} ms  ${type}  ${event_id}${remark}`
}

function explained(error: unknown): unknown {
  if (!(error instanceof SwitchyardError) || error.code !== 'invalid_cursor') return error
  return new CliError('refused', error.message, 'It left off too long ago. Say where to begin: --since 7d')
}

function receiverAddress(text: string): string {
  const url = /^https?:\/\//.test(text)
    ? text
    : `http://${/^\d+(\/|$)/.test(text) ? `localhost:${text}` : text}`
  if (URL.canParse(url)) return new URL(url).href
  throw new CliError(
    'usage',
    `"${text}" is not an address.`,
    'Such as --forward-to http://localhost:3000/webhooks',
  )
}

function beginning(text: string): string {
  return text.startsWith('event_') ? text : pastTime(text).toISOString()
}
