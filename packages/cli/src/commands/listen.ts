/** `listen`: forwards the events of a workspace to a local receiver, in the form of webhook deliveries. */

import { type StreamQuery, type Switchyard, SwitchyardError } from '@switchyard/sdk'
import type { Command } from 'commander'
import { declare, parseFraction, parseInteger } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { createFaults } from '../listen/faults.ts'
import { type Attempt, createForwarder, type Forwarding } from '../listen/forward.ts'
import { createProgress, type Progress, type SavedProgress, type StreamPosition } from '../listen/progress.ts'
import { acquireLock, type ListenerKey, type ListenerState, openState } from '../listen/state.ts'
import { type Output, styled } from '../output.ts'
import { formatTimeOfDay, parsePastTime } from '../time.ts'

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
  declare<ListenOptions>(program, 'listen', 'Forward events to a local receiver', listen)
    .requiredOption('--forward-to <url>', 'the URL of the receiver', parseReceiverUrl)
    .option(
      '--events <types>',
      'only these event types, separated by commas; <object>.* matches all types of an object',
    )
    .option('--since <when>', 'start here instead of resuming: 2h, a time, or the id of an event', parseStart)
    .option('--concurrency <n>', 'maximum number of concurrent requests', parseInteger(1), 10)
    .option('--retries <n>', 'maximum number of retries of a failed event', parseInteger(0), 5)
    .option('--timeout <seconds>', 'response timeout of the receiver', parseInteger(1), 15)
    .option(
      '--fail-rate <share>',
      'fraction of responses to drop; those events are sent again',
      parseFraction,
      0,
    )
    .option('--duplicate <share>', 'fraction of events to send twice', parseFraction, 0)
    .option('--latency <ms>', 'maximum random delay before each event', parseInteger(0), 0)
    .option('--shuffle', 'send events of one object out of order')
    .option('--seed <n>', 'random seed of the injected faults', parseInteger(0), 1)
    .option('--print-secret', 'print the signing secret, and exit')
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
  acquireLock(key)
  const saved = await findStart(client, state, options.since)
  state.save(saved)
  printGreeting(context.output, options, {
    workspaceId,
    secret: state.secret,
    isResuming: state.saved !== null && !options.since,
  })
  await forwardEvents(context, client, { options, types, state, progress: createProgress(saved) })
}

type ForwardingRun = {
  readonly options: ListenOptions
  readonly types: readonly string[]
  readonly state: ListenerState
  readonly progress: Progress
}

async function forwardEvents(context: Context, client: Switchyard, run: ForwardingRun): Promise<void> {
  const { options, types, state, progress } = run
  const stop = new AbortController()
  const forwardAbort = () => stop.abort(context.signal.reason)
  context.signal.addEventListener('abort', forwardAbort, { once: true })
  const forwarder = createForwarder(forwardingOptions(options, state.secret), {
    progress,
    signal: stop.signal,
    onFinished: () => state.save(progress.saved),
    onAttempt: (attempt) => context.output.line(attempt, formatAttempt(attempt)),
    onError: (error) => stop.abort(error),
  })
  const query = { ...progress.saved.place, types } as StreamQuery
  try {
    for await (const event of client.events.stream(query, { signal: stop.signal }))
      await forwarder.enqueue(event)
  } catch (error) {
    await forwarder.drain()
    throw explainError(error)
  }
}

function forwardingOptions(options: ListenOptions, secret: string): Forwarding {
  const { failRate, duplicate, seed, shuffle = false } = options
  // Without a random delay events would be sent immediately, and so in order.
  const latencyMs = Math.max(options.latency, shuffle ? 300 : 0)
  return {
    receiver: { url: new URL(options.forwardTo), secret, timeoutMs: options.timeout * 1000 },
    concurrency: options.concurrency,
    retries: options.retries,
    isOrdered: !shuffle,
    faults: createFaults({ failRate, duplicate, latencyMs, seed }),
  }
}

/** Starts at `--since`, else where the last run stopped, else now. */
async function findStart(
  client: Switchyard,
  state: ListenerState,
  since: string | undefined,
): Promise<SavedProgress> {
  if (since !== undefined)
    return { place: since.startsWith('event_') ? { starting_after: since } : { since }, ahead: [] }
  return state.saved ?? { place: await currentPosition(client), ahead: [] }
}

/**
 * The newest event, or the time of the server if there is none. It is saved, so that no event is lost if the
 * process is killed before the first one.
 */
async function currentPosition(client: Switchyard): Promise<StreamPosition> {
  const { data, $response } = await client.events.list({ limit: 1 }).page()
  const [newest] = data
  if (newest !== undefined) return { starting_after: newest.id }
  return { since: new Date($response.headers.get('date') ?? Date.now()).toISOString() }
}

type Greeting = { readonly workspaceId: string; readonly secret: string; readonly isResuming: boolean }

function printGreeting(
  output: Output,
  options: ListenOptions,
  { workspaceId, secret, isResuming }: Greeting,
): void {
  const { forwardTo: forward_to, events = '*' } = options
  output.line(
    { listening: true, workspace_id: workspaceId, forward_to, events, secret },
    [
      `Forwarding ${events === '*' ? 'all events' : events} of ${workspaceId} to ${forward_to}`,
      `Signing secret: ${styled('bold', secret)}`,
      isResuming
        ? 'Ready. Resuming where the last run stopped. Press Ctrl-C to stop.'
        : 'Ready. Press Ctrl-C to stop; the next run resumes from there.',
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

function formatAttempt(attempt: Attempt): string {
  const { outcome, status, fault, duration_ms, type, event_id, attempt: attemptNumber } = attempt
  const statusText = styled(colours[outcome], String(status ?? '---'))
  const remarks = [
    ...(fault === null ? [] : [fault]),
    ...(outcome === 'delivered' ? [] : [outcome.replace('_', ' ')]),
    ...(attemptNumber === 1 ? [] : [`attempt ${attemptNumber}`]),
  ]
  const suffix = remarks.length === 0 ? '' : `  (${remarks.join(', ')})`
  return `${formatTimeOfDay(new Date())}  ${statusText}  ${String(duration_ms).padStart(5)} ms  ${type}  ${event_id}${suffix}`
}

function explainError(error: unknown): unknown {
  if (!(error instanceof SwitchyardError) || error.code !== 'invalid_cursor') return error
  return new CliError(
    'refused',
    error.message,
    'The last run was too long ago to resume. Choose a start: --since 7d',
  )
}

function parseReceiverUrl(text: string): string {
  const url = /^https?:\/\//.test(text)
    ? text
    : `http://${/^\d+(\/|$)/.test(text) ? `localhost:${text}` : text}`
  if (URL.canParse(url)) return new URL(url).href
  throw new CliError(
    'usage',
    `"${text}" is not a URL.`,
    'For example: --forward-to http://localhost:3000/webhooks',
  )
}

function parseStart(text: string): string {
  return text.startsWith('event_') ? text : parsePastTime(text).toISOString()
}
