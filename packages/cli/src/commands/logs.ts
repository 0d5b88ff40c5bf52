/** `logs tail`: the calls of the workspace as they happen, or one of them with all that came of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoggedRequest, Switchyard } from '@switchyard/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import { declare, group, wholeNumber } from '../command.ts'
import type { Context } from '../context.ts'
import { traceOf, traceWords } from '../logs/trace.ts'
import { requestWords } from '../logs/words.ts'

type TailOptions = {
  readonly follow?: string
  readonly limit: number
  readonly status?: string
  readonly method?: string
  readonly path?: string
  readonly errors?: boolean
}

/** When each call was seen, by its id. */
type Seen = Map<string, number>

/** Calls appear a moment after their answer, and not in order: so far back each look goes. */
const lookBackMs = 30_000
const mostAtOnce = 5_000
const betweenLooksMs = 1_000

export function logsCommands(program: Command): void {
  const logs = group(program, 'logs', 'The calls of the workspace')
  declare<TailOptions>(logs, 'tail', 'Show calls as they happen', tail)
    .option('--follow <request-id>', 'instead: one call, with its events and their deliveries')
    .option('-n, --limit <n>', 'how many of the latest to show first', wholeNumber(1), 10)
    .option('--status <status>', 'only answers with this status: 404, or 4xx', statusPattern)
    .option('--method <method>', 'only this method')
    .option('--path <prefix>', 'only paths that begin so')
    .option('--errors', 'only what was refused or failed')
}

async function tail(context: Context, options: TailOptions): Promise<void> {
  const client = await context.client()
  if (options.follow !== undefined) {
    const trace = await traceOf(client, options.follow)
    return context.output.result(trace, () => traceWords(trace))
  }
  const seen: Seen = new Map()
  const show = (requests: readonly LoggedRequest[]) => {
    for (const request of requests.filter(({ id }) => !seen.has(id))) {
      seen.set(request.id, performance.now())
      if (isWanted(request, options)) context.output.line(request, requestWords(request))
    }
  }
  const first = await client.requests
    .list({ limit: Math.min(options.limit, 100) })
    .all({ max: options.limit })
  show(first.toReversed())
  context.output.note('Waiting for calls. Ctrl-C stops.')
  for (let anchor = first.at(-1)?.id; ; anchor = anchorAfter(seen, anchor)) {
    await sleep(betweenLooksMs, undefined, { signal: context.signal })
    show(await newerThan(client, anchor, context.signal))
  }
}

/** The oldest first. Without an anchor there was no call yet. */
async function newerThan(
  client: Switchyard,
  anchor: string | undefined,
  signal: AbortSignal,
): Promise<LoggedRequest[]> {
  if (anchor !== undefined)
    return client.requests.list({ ending_before: anchor }, { signal }).all({ max: mostAtOnce })
  return (await client.requests.list({}, { signal }).all({ max: mostAtOnce })).toReversed()
}

/** Moves on behind what was seen long enough ago, so that a call which appears late is still found. */
function anchorAfter(seen: Seen, anchor: string | undefined): string | undefined {
  let moved = anchor
  for (const [id, seenMs] of seen) {
    if (performance.now() - seenMs < lookBackMs) continue
    seen.delete(id)
    if (moved === undefined || id > moved) moved = id
  }
  return moved
}

function isWanted({ status, method, path, operation }: LoggedRequest, options: TailOptions): boolean {
  // Each look is a call itself: showing them would drown the others. Whoever wants them asks for their path.
  if (operation === 'requests.list' && options.path === undefined) return false
  if (options.errors && status < 400) return false
  if (options.status !== undefined && !new RegExp(`^${options.status}$`).test(String(status))) return false
  if (options.method !== undefined && method !== options.method.toUpperCase()) return false
  return options.path === undefined || path.startsWith(options.path)
}

/** `4xx` becomes `4\d\d`. */
function statusPattern(text: string): string {
  if (!/^[1-5](\d\d|xx)$/i.test(text)) throw new InvalidArgumentError('It must be such as 404 or 4xx.')
  return text.toLowerCase().replace('xx', '\\d\\d')
}
