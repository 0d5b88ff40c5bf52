// A year of one subscription on a test clock, and what was told of it, without what differs each time.

import { createMethod } from '../../support/payment-methods.ts'
import type { subscriptionsForThisFile } from '../../support/subscriptions.ts'
import { aPrice, aSubscription } from '../../support/subscriptions.ts'
import type { Workspace } from '../../support/switchyard.ts'

type Switchyard = Awaited<ReturnType<typeof subscriptionsForThisFile>>

export type Year = {
  /** For people: when, what, and a sentence. */
  readonly story: readonly string[]
  /** Every event whole, with names in the place of ids. */
  readonly events: readonly string[]
  /** Of the calls that moved the clock or acted on the subscription. */
  readonly tookMs: number
  /** Of this process: server, client and simulator. */
  readonly cpuMs: number
}

const newYear = '2027-01-01T00:00:00.000Z'
const nextNewYear = '2028-01-01T00:00:00.000Z'

/** One with a trial of two weeks, on a clock of its own, whose card follows a script. */
async function aSubscriber(workspace: Workspace, simulate: string) {
  const { body: clock } = await workspace.post('/test-clocks', { now_at: newYear })
  const customer_id = await workspace.aCustomer({ test_clock_id: clock.id })
  await attach(workspace, customer_id, '4242424242424242', { metadata: { simulate } })
  const items = [{ price_id: await aPrice(workspace) }]
  const { id } = await aSubscription(workspace, { customer_id, items, trial: { days: 14 } })
  const clockPath = `/test-clocks/${clock.id}`
  const advanceTo = async (to_at: string) => {
    const { body } = await workspace.post(`${clockPath}/advance`, { to_at })
    if (body.status !== 'ready') throw new Error(JSON.stringify(body))
  }
  return { clockId: clock.id as string, customer_id, path: `/subscriptions/${id}`, advanceTo }
}

async function attach(workspace: Workspace, customer_id: string, number: string, members: object = {}) {
  const { body } = await createMethod(workspace, number, members)
  await workspace.post(`/payment-methods/${body.id}/attach`, { customer_id })
  return body.id as string
}

/** The card fails in April, another one recovers it, and it is paused over the summer. */
export async function yearWithActs(switchyard: Switchyard): Promise<Year> {
  const workspace = await switchyard.newWorkspace()
  const { put } = workspace
  const { clockId, customer_id, path, advanceTo } = await aSubscriber(workspace, 'approve x3, decline:51')
  const other = await attach(workspace, customer_id, '5555555555554444')
  const cost = await costOf(async () => {
    await advanceTo('2027-05-05T12:00:00.000Z')
    await put(path, { payment_method_id: other })
    await advanceTo('2027-06-01T00:00:00.000Z')
    await put(`${path}/pause`)
    await advanceTo('2027-07-15T00:00:00.000Z')
    await put(`${path}/resume`)
    await advanceTo(nextNewYear)
  })
  return { ...cost, ...(await toldOn(workspace, clockId)) }
}

/** The card fails in April and works again, and the pause over the summer was asked for before. */
export async function yearInOneCall(switchyard: Switchyard): Promise<Year> {
  const workspace = await switchyard.newWorkspace()
  const script = 'approve x3, decline:51 x4, approve'
  const { clockId, path, advanceTo } = await aSubscriber(workspace, script)
  const summer = { at: '2027-06-01T00:00:00.000Z', resumes_at: '2027-07-15T00:00:00.000Z' }
  const { body } = await workspace.put(`${path}/pause`, summer)
  if (body.scheduled_change?.action !== 'pause') throw new Error(JSON.stringify(body))
  const cost = await costOf(() => advanceTo(nextNewYear))
  return { ...cost, ...(await toldOn(workspace, clockId)) }
}

async function costOf(act: () => Promise<void>): Promise<Pick<Year, 'tookMs' | 'cpuMs'>> {
  const cpu = process.cpuUsage()
  const startedMs = performance.now()
  await act()
  const { user, system } = process.cpuUsage(cpu)
  return { tookMs: performance.now() - startedMs, cpuMs: (user + system) / 1000 }
}

async function toldOn({ get }: Workspace, clockId: string): Promise<Pick<Year, 'story' | 'events'>> {
  const entries = await pagesOf(get, `/test-clocks/${clockId}/timeline`)
  const events = (await pagesOf(get, `/events`, `&test_clock_id=${clockId}`)).toReversed()
  const names = new Map<string, string>()
  return {
    story: entries.map(({ at, type, sentence }) => `${at} ${String(type).padEnd(30)} ${sentence}`),
    events: events.map(({ data }) => withoutAccidents(String(data), names)),
  }
}

type Entry = { readonly [member: string]: unknown }

async function pagesOf(get: Workspace['get'], path: string, filter = ''): Promise<Entry[]> {
  const found: Entry[] = []
  for (let after = ''; ; ) {
    const { body } = await get(`${path}?limit=100${filter}${after}`)
    found.push(...body.data)
    if (!body.has_more) return found
    after = `&starting_after=${found.at(-1)?.id}`
  }
}

/** Ids by the order in which they appear, nothing of the world's time, nor what the simulator draws. */
function withoutAccidents(data: string, names: Map<string, string>): string {
  const { created_at: _, request: __, ...content } = JSON.parse(data)
  return JSON.stringify(content)
    .replaceAll(/"(fingerprint|provider_reference)":"[^"]*"/g, '"$1":"…"')
    .replaceAll(/\b([a-z_]+)_test_[0-9A-Z]{26}/g, (id, kind) => {
      const name = names.get(id) ?? `${kind} ${names.size + 1}`
      names.set(id, name)
      return name
    })
}
