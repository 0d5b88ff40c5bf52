/** `logs tail`: shows the API requests of the workspace as they happen, or traces one to its events. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoggedRequest, Switchyard } from '@switchyard/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import { declare, group, parseInteger } from '../command.ts'
import type { Context } from '../context.ts'
import { formatRequest } from '../logs/format-request.ts'
import { formatTrace, traceRequest } from '../logs/trace.ts'

type TailOptions = {
  readonly follow?: string
  readonly limit: number
  readonly status?: string
  readonly method?: string
  readonly path?: string
  readonly errors?: boolean
}

/** When each request was first returned by a poll, by request id. */
type FirstSeen = Map<string, number>

/** Requests are logged with a delay and out of order, so each poll looks back this far. */
const lookBackMs = 30_000
const maxPerPoll = 5_000
const pollIntervalMs = 1_000

export function logsCommands(program: Command): void {
  const logs = group(program, 'logs', 'API requests of the workspace')
  declare<TailOptions>(logs, 'tail', 'Show API requests as they happen', tail)
    .option('--follow <request-id>', 'show one request with its events and their deliveries')
    .option('-n, --limit <n>', 'how many recent requests to show first', parseInteger(1), 10)
    .option('--status <status>', 'only responses with this status: 404, or 4xx', parseStatusPattern)
    .option('--method <method>', 'only this HTTP method')
    .option('--path <prefix>', 'only paths with this prefix')
    .option('--errors', 'only responses with status 400 or higher')
}

async function tail(context: Context, options: TailOptions): Promise<void> {
  const client = await context.client()
  if (options.follow !== undefined) {
    const trace = await traceRequest(client, options.follow)
    return context.output.result(trace, () => formatTrace(trace))
  }
  const firstSeen: FirstSeen = new Map()
  const show = (requests: readonly LoggedRequest[]) => {
    for (const request of requests.filter(({ id }) => !firstSeen.has(id))) {
      firstSeen.set(request.id, performance.now())
      if (matchesFilters(request, options)) context.output.line(request, formatRequest(request))
    }
  }
  const recent = await client.requests
    .list({ limit: Math.min(options.limit, 100) })
    .all({ max: options.limit })
  show(recent.toReversed())
  context.output.note('Waiting for requests. Press Ctrl-C to stop.')
  for (let anchor = recent.at(-1)?.id; ; anchor = nextAnchor(firstSeen, anchor)) {
    await sleep(pollIntervalMs, undefined, { signal: context.signal })
    show(await fetchNewerRequests(client, anchor, context.signal))
  }
}

/** Requests newer than the anchor, oldest first. Without an anchor, all requests are new. */
async function fetchNewerRequests(
  client: Switchyard,
  anchor: string | undefined,
  signal: AbortSignal,
): Promise<LoggedRequest[]> {
  if (anchor !== undefined)
    return client.requests.list({ ending_before: anchor }, { signal }).all({ max: maxPerPoll })
  return (await client.requests.list({}, { signal }).all({ max: maxPerPoll })).toReversed()
}

/** The newest request that was first seen more than `lookBackMs` ago, so that requests logged late are still found. */
function nextAnchor(firstSeen: FirstSeen, anchor: string | undefined): string | undefined {
  let next = anchor
  for (const [id, seenMs] of firstSeen) {
    if (performance.now() - seenMs < lookBackMs) continue
    firstSeen.delete(id)
    if (next === undefined || id > next) next = id
  }
  return next
}

function matchesFilters({ status, method, path, operation }: LoggedRequest, options: TailOptions): boolean {
  // Hide the polling requests of this command, unless a path is given.
  if (operation === 'requests.list' && options.path === undefined) return false
  if (options.errors && status < 400) return false
  if (options.status !== undefined && !new RegExp(`^${options.status}$`).test(String(status))) return false
  if (options.method !== undefined && method !== options.method.toUpperCase()) return false
  return options.path === undefined || path.startsWith(options.path)
}

/** `4xx` becomes `4\d\d`. */
function parseStatusPattern(text: string): string {
  if (!/^[1-5](\d\d|xx)$/i.test(text)) throw new InvalidArgumentError('Expected a status such as 404 or 4xx.')
  return text.toLowerCase().replace('xx', '\\d\\d')
}
