// A workspace that sends webhooks to the sink. It uses only the API: creates endpoints and reveals their
// secrets, creates customers, which emits events, and compares the events with the deliveries that the sink
// received.

import { randomUUID } from 'node:crypto'
import type { Sink, SinkBehavior } from '../../support/sink-process.ts'
import { type ApiClient, type CustomerLoad, openApi } from './api-client.ts'
import { until } from './wait.ts'

export type Endpoint = { readonly id: string; readonly path: string }

export type NewEndpoints = {
  readonly count: number
  readonly eventTypes?: (index: number) => readonly string[]
  readonly urlOf?: (path: string) => string
  /** If false, the sink must be configured not to verify signatures. */
  readonly secrets?: boolean
}

export type DeliverySummary = {
  /** The number of pairs of event and endpoint that were not delivered. */
  readonly missing: number
  readonly examples: readonly string[]
  readonly received: number
  readonly duplicates: number
  readonly maxPerPair: number
  /** Requests whose signature the SDK rejected. */
  readonly refusals: readonly string[]
}

export type WebhookWorkspace = {
  readonly token: string
  readonly api: ApiClient
  readonly endpoints: readonly Endpoint[]
  addEndpoints(options: NewEndpoints): Promise<void>
  /**
   * Makes the sink accept the newest secret of the endpoint, in addition to the others or instead of them.
   */
  acceptSecret(endpoint: Endpoint, mode: 'add' | 'replace'): Promise<void>
  setBehavior(endpoints: readonly Endpoint[], behavior: SinkBehavior): Promise<void>
  createCustomers(load: CustomerLoad): Promise<void>
  eventIds(): Promise<string[]>
  countReceived(): Promise<number>
  /** Resolves when this number of pairs of event and endpoint have arrived; returns how long that took. */
  waitUntilReceived(pairs: number, withinMs?: number): Promise<number>
  /** Resolves when no endpoint has a pending delivery. */
  waitUntilIdle(withinMs?: number): Promise<number>
  deliverySummary(): Promise<DeliverySummary>
}

const timeoutMs = 60_000
const revealsPerToken = 10

export function openWebhookWorkspace(address: string, token: string, sink: Sink): WebhookWorkspace {
  const name = randomUUID().slice(0, 8)
  const api = openApi(address, token)
  const endpoints: Endpoint[] = []
  const revealers = createRevealers(api)
  const accepted = new Map<string, readonly string[]>()
  const workspace: WebhookWorkspace = {
    token,
    api,
    endpoints,
    async addEndpoints({ count, eventTypes = () => ['customer.created'], urlOf = sink.url, secrets = true }) {
      for (let added = 0; added < count; added += 1) {
        const index = endpoints.length
        const path = `/${name}/${index}`
        const input = { url: urlOf(path), event_types: eventTypes(index) }
        const { id } = await api.call('POST', '/webhook-endpoints', input)
        endpoints.push({ id, path })
        if (secrets) await workspace.acceptSecret({ id, path }, 'replace')
      }
    },
    async acceptSecret({ id, path }, mode) {
      const revealer = await revealers.next()
      const { secret } = await revealer.call('GET', `/webhook-endpoints/${id}/reveal_secret`)
      const secretTexts = mode === 'replace' ? [secret] : [secret, ...(accepted.get(path) ?? [])]
      accepted.set(path, secretTexts)
      await sink.secrets({ [path]: secretTexts })
    },
    setBehavior: (changed, behavior) =>
      sink.setBehaviors(Object.fromEntries(changed.map(({ path }) => [path, behavior]))),
    createCustomers: api.createCustomers,
    eventIds: () => api.listIds('/events?type=customer.created'),
    async countReceived() {
      const { paths } = await sink.summary()
      return endpoints.reduce((sum, { path }) => sum + (paths[path]?.received ?? 0), 0)
    },
    waitUntilReceived(pairs, withinMs = timeoutMs) {
      const hasReceived = async () => (await workspace.countReceived()) >= pairs
      return until(`${pairs} pairs were received`, hasReceived, { withinMs, everyMs: 100 })
    },
    waitUntilIdle: (withinMs = timeoutMs) =>
      until('no delivery is pending', () => hasNoPendingDeliveries(api, endpoints), {
        withinMs,
        everyMs: 250,
      }),
    deliverySummary: () => summarizeDeliveries(sink, workspace),
  }
  return workspace
}

/** A token may reveal ten secrets a minute. A test that needs more uses another token. */
function createRevealers(api: ApiClient): { next(): Promise<ApiClient> } {
  let [revealer, revealsLeft] = [api, revealsPerToken]
  return {
    async next() {
      if (revealsLeft === 0) {
        const { token } = await api.call('POST', '/api-tokens', { name: 'Revealer', role: 'ADMIN' })
        ;[revealer, revealsLeft] = [api.as(token), revealsPerToken]
      }
      revealsLeft -= 1
      return revealer
    },
  }
}

async function hasNoPendingDeliveries(api: ApiClient, endpoints: readonly Endpoint[]): Promise<boolean> {
  for (const { id } of endpoints) {
    const { waiting, next_attempt_at } = await api.call('GET', `/webhook-endpoints/${id}/figures`)
    const { data: held } = await api.call('GET', `/webhook-endpoints/${id}/deliveries?state=held&limit=1`)
    if (waiting > 0 || next_attempt_at !== null || held.length > 0) return false
  }
  return true
}

async function summarizeDeliveries(
  sink: Sink,
  { endpoints, eventIds }: WebhookWorkspace,
): Promise<DeliverySummary> {
  const paths = endpoints.map(({ path }) => path)
  const { count: missing, examples } = await sink.missing({ paths, eventIds: await eventIds() })
  const { paths: all, refusals } = await sink.summary()
  const tallies = paths.flatMap((path) => all[path] ?? [])
  const received = tallies.reduce((sum, tally) => sum + tally.received, 0)
  const receipts = tallies.reduce((sum, tally) => sum + tally.receipts, 0)
  const maxPerPair = Math.max(0, ...tallies.map(({ maxReceipts }) => maxReceipts))
  return { missing, examples, received, duplicates: receipts - received, maxPerPair, refusals }
}
