// Simulates a year of one subscription on a test clock, and reads its events without the values that differ
// between runs.

import { createMethod } from '../../support/payment-methods.ts'
import type { subscriptionsForThisFile } from '../../support/subscriptions.ts'
import { aPrice, aSubscription } from '../../support/subscriptions.ts'
import type { Workspace } from '../../support/switchyard.ts'

type Switchyard = Awaited<ReturnType<typeof subscriptionsForThisFile>>

export type Year = {
  /** A readable timeline: time, event and a sentence. */
  readonly timeline: readonly string[]
  /** Every complete event, with names instead of ids. */
  readonly events: readonly string[]
  /** The duration of the calls that advanced the clock or changed the subscription. */
  readonly durationMs: number
  /** The CPU time of this process: server, client and simulator. */
  readonly cpuMs: number
}

const newYear = '2027-01-01T00:00:00.000Z'
const nextNewYear = '2028-01-01T00:00:00.000Z'

/**
 * Creates a subscription with a two-week trial on its own test clock. Its card follows the `simulate` script.
 */
async function createSubscriber(workspace: Workspace, simulate: string) {
  const { body: clock } = await workspace.post('/test-clocks', { now_at: newYear })
  const customer_id = await workspace.aCustomer({ test_clock_id: clock.id })
  await attachCard(workspace, customer_id, '4242424242424242', { metadata: { simulate } })
  const items = [{ price_id: await aPrice(workspace) }]
  const { id } = await aSubscription(workspace, { customer_id, items, trial: { days: 14 } })
  const clockPath = `/test-clocks/${clock.id}`
  const advanceTo = async (to_at: string) => {
    const { body } = await workspace.post(`${clockPath}/advance`, { to_at })
    if (body.status !== 'ready') throw new Error(JSON.stringify(body))
  }
  return { clockId: clock.id as string, customer_id, path: `/subscriptions/${id}`, advanceTo }
}

async function attachCard(workspace: Workspace, customer_id: string, number: string, members: object = {}) {
  const { body } = await createMethod(workspace, number, members)
  await workspace.post(`/payment-methods/${body.id}/attach`, { customer_id })
  return body.id as string
}

/** The card fails in April, another card pays in May, and the subscription is paused over the summer. */
export async function yearWithChanges(switchyard: Switchyard): Promise<Year> {
  const workspace = await switchyard.newWorkspace()
  const { put } = workspace
  const { clockId, customer_id, path, advanceTo } = await createSubscriber(
    workspace,
    'approve x3, decline:51',
  )
  const otherCard = await attachCard(workspace, customer_id, '5555555555554444')
  const cost = await measureCost(async () => {
    await advanceTo('2027-05-05T12:00:00.000Z')
    await put(path, { payment_method_id: otherCard })
    await advanceTo('2027-06-01T00:00:00.000Z')
    await put(`${path}/pause`)
    await advanceTo('2027-07-15T00:00:00.000Z')
    await put(`${path}/resume`)
    await advanceTo(nextNewYear)
  })
  return { ...cost, ...(await readHistory(workspace, clockId)) }
}

/** The card fails in April and works again, and the summer pause is scheduled in advance. */
export async function yearInOneCall(switchyard: Switchyard): Promise<Year> {
  const workspace = await switchyard.newWorkspace()
  const script = 'approve x3, decline:51 x4, approve'
  const { clockId, path, advanceTo } = await createSubscriber(workspace, script)
  const summer = { at: '2027-06-01T00:00:00.000Z', resumes_at: '2027-07-15T00:00:00.000Z' }
  const { body } = await workspace.put(`${path}/pause`, summer)
  if (body.scheduled_change?.action !== 'pause') throw new Error(JSON.stringify(body))
  const cost = await measureCost(() => advanceTo(nextNewYear))
  return { ...cost, ...(await readHistory(workspace, clockId)) }
}

async function measureCost(action: () => Promise<void>): Promise<Pick<Year, 'durationMs' | 'cpuMs'>> {
  const cpu = process.cpuUsage()
  const startedMs = performance.now()
  await action()
  const { user, system } = process.cpuUsage(cpu)
  return { durationMs: performance.now() - startedMs, cpuMs: (user + system) / 1000 }
}

async function readHistory({ get }: Workspace, clockId: string): Promise<Pick<Year, 'timeline' | 'events'>> {
  const timeline = await readAllPages(get, `/test-clocks/${clockId}/timeline`)
  const events = (await readAllPages(get, `/events`, `&test_clock_id=${clockId}`)).toReversed()
  const names = new Map<string, string>()
  return {
    timeline: timeline.map(({ at, type, sentence }) => `${at} ${String(type).padEnd(30)} ${sentence}`),
    events: events.map(({ data }) => normalizeEvent(String(data), names)),
  }
}

type Entry = { readonly [member: string]: unknown }

async function readAllPages(get: Workspace['get'], path: string, filter = ''): Promise<Entry[]> {
  const entries: Entry[] = []
  for (let after = ''; ; ) {
    const { body } = await get(`${path}?limit=100${filter}${after}`)
    entries.push(...body.data)
    if (!body.has_more) return entries
    after = `&starting_after=${entries.at(-1)?.id}`
  }
}

/**
 * Replaces ids with the order in which they appear, and removes wall-clock times and random values of the
 * simulator.
 */
function normalizeEvent(data: string, names: Map<string, string>): string {
  const { created_at: _, request: __, ...content } = JSON.parse(data)
  return JSON.stringify(content)
    .replaceAll(
      /"(fingerprint|provider_reference|hosted_invoice_url|update_payment_method_url)":"[^"]*"/g,
      '"$1":"…"',
    )
    .replaceAll(/\b([a-z_]+)_test_[0-9A-Z]{26}/g, (id, kind) => {
      const name = names.get(id) ?? `${kind} ${names.size + 1}`
      names.set(id, name)
      return name
    })
}
