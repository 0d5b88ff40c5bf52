// A workspace that sends webhooks to the sink, by nothing but the API: endpoints with their secrets, customers
// whose creation is told, and what the receiver saw of it.

import { randomUUID } from 'node:crypto'
import type { Sink, SinkManner } from '../../support/sink-process.ts'
import { type ApiClient, openApi, type Publication } from './api-client.ts'
import { until } from './wait.ts'

export type Endpoint = { readonly id: string; readonly path: string }

export type NewEndpoints = {
  readonly count: number
  readonly eventTypes?: (nth: number) => readonly string[]
  readonly urlOf?: (path: string) => string
  /** Without secrets the sink must be told not to verify. */
  readonly secrets?: boolean
}

export type Verdict = {
  /** Pairs of event and endpoint that never arrived. */
  readonly missing: number
  readonly examples: readonly string[]
  readonly received: number
  readonly duplicates: number
  readonly mostPerPair: number
  /** What the SDK did not accept. */
  readonly refusals: readonly string[]
}

export type Account = {
  readonly token: string
  readonly api: ApiClient
  readonly endpoints: readonly Endpoint[]
  addEndpoints(wanted: NewEndpoints): Promise<void>
  /** The newest secret of an endpoint is accepted by its path, beside the others or alone. */
  learnSecret(endpoint: Endpoint, how: 'too' | 'only'): Promise<void>
  behave(some: readonly Endpoint[], manner: SinkManner): Promise<void>
  publish(publication: Publication): Promise<void>
  eventIds(): Promise<string[]>
  countReceived(): Promise<number>
  /** Settles when so many pairs of event and endpoint have arrived; gives how long that took. */
  arrived(pairs: number, withinMs?: number): Promise<number>
  /** Settles when nothing is owed to any of its endpoints. */
  settled(withinMs?: number): Promise<number>
  verdict(): Promise<Verdict>
}

const patienceMs = 60_000
const revealsPerToken = 10

export function openAccount(address: string, token: string, sink: Sink): Account {
  const name = randomUUID().slice(0, 8)
  const api = openApi(address, token)
  const endpoints: Endpoint[] = []
  const revealers = takeTurns(api)
  const accepted = new Map<string, readonly string[]>()
  const account: Account = {
    token,
    api,
    endpoints,
    async addEndpoints({ count, eventTypes = () => ['customer.created'], urlOf = sink.url, secrets = true }) {
      for (let added = 0; added < count; added += 1) {
        const nth = endpoints.length
        const path = `/${name}/${nth}`
        const input = { url: urlOf(path), event_types: eventTypes(nth) }
        const { id } = await api.call('POST', '/webhook-endpoints', input)
        endpoints.push({ id, path })
        if (secrets) await account.learnSecret({ id, path }, 'only')
      }
    },
    async learnSecret({ id, path }, how) {
      const revealer = await revealers.next()
      const { secret } = await revealer.call('GET', `/webhook-endpoints/${id}/reveal_secret`)
      const texts = how === 'only' ? [secret] : [secret, ...(accepted.get(path) ?? [])]
      accepted.set(path, texts)
      await sink.secrets({ [path]: texts })
    },
    behave: (some, manner) => sink.manners(Object.fromEntries(some.map(({ path }) => [path, manner]))),
    publish: api.publish,
    eventIds: () => api.listIds('/events?type=customer.created'),
    async countReceived() {
      const { paths } = await sink.summary()
      return endpoints.reduce((sum, { path }) => sum + (paths[path]?.received ?? 0), 0)
    },
    arrived(pairs, withinMs = patienceMs) {
      const enough = async () => (await account.countReceived()) >= pairs
      return until(`${pairs} arrived`, enough, { withinMs, everyMs: 100 })
    },
    settled: (withinMs = patienceMs) =>
      until('nothing is owed', () => nothingIsOwed(api, endpoints), { withinMs, everyMs: 250 }),
    verdict: () => judge(sink, account),
  }
  return account
}

/** A token may reveal ten secrets a minute. A test that needs more takes the next token. */
function takeTurns(api: ApiClient): { next(): Promise<ApiClient> } {
  let [revealer, left] = [api, revealsPerToken]
  return {
    async next() {
      if (left === 0) {
        const { token } = await api.call('POST', '/api-tokens', { name: 'Revealer', role: 'ADMIN' })
        ;[revealer, left] = [api.as(token), revealsPerToken]
      }
      left -= 1
      return revealer
    },
  }
}

async function nothingIsOwed(api: ApiClient, endpoints: readonly Endpoint[]): Promise<boolean> {
  for (const { id } of endpoints) {
    const { waiting, next_attempt_at } = await api.call('GET', `/webhook-endpoints/${id}/figures`)
    const { data: held } = await api.call('GET', `/webhook-endpoints/${id}/deliveries?state=held&limit=1`)
    if (waiting > 0 || next_attempt_at !== null || held.length > 0) return false
  }
  return true
}

async function judge(sink: Sink, { endpoints, eventIds }: Account): Promise<Verdict> {
  const paths = endpoints.map(({ path }) => path)
  const { count: missing, examples } = await sink.missing({ paths, eventIds: await eventIds() })
  const { paths: all, refusals } = await sink.summary()
  const tallies = paths.flatMap((path) => all[path] ?? [])
  const received = tallies.reduce((sum, tally) => sum + tally.received, 0)
  const receipts = tallies.reduce((sum, tally) => sum + tally.receipts, 0)
  const mostPerPair = Math.max(0, ...tallies.map(({ most }) => most))
  return { missing, examples, received, duplicates: receipts - received, mostPerPair, refusals }
}
