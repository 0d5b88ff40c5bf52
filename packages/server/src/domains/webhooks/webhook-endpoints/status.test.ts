import { expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { disableWithReason, emitFailing, emitRecovered, emitTest } from './service.ts'

const switchyard = await switchyardForThisFile()

const validBody = { url: 'https://shop.example.com/webhooks', event_types: ['*'] }

async function anEndpoint({ post }: Workspace, members: object = {}): Promise<Id<'webhook_endpoint'>> {
  return (await post('/webhook-endpoints', { ...validBody, ...members })).body.id
}

test('a new URL closes the breaker, and other changes do not', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await anEndpoint(workspace)
  const path = `/webhook-endpoints/${id}`
  await openBreaker(id)
  const openHealth = {
    state: 'open',
    failing_since_at: '2026-11-14T11:00:00.000Z',
    last_success_at: '2026-11-14T10:00:00.000Z',
    next_probe_at: '2026-11-14T12:05:00.000Z',
  }

  expect((await workspace.get(path)).body.health).toEqual(openHealth)
  expect((await workspace.put(path, { name: 'Shop', url: validBody.url })).body.health).toEqual(openHealth)
  const { body } = await workspace.put(path, { url: 'https://new.example.com/' })

  expect(body.health).toEqual({
    state: 'healthy',
    failing_since_at: null,
    last_success_at: '2026-11-14T10:00:00.000Z',
    next_probe_at: null,
  })
  expect(await laneOf(id)).toMatchObject({ probe_wait_seconds: 0, failed_deliveries: 0, warnings: 0 })
})

test('a disabled endpoint is not probed, and its health is reset when it is enabled', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await anEndpoint(workspace)
  await openBreaker(id)

  const disabled = await workspace.post(`/webhook-endpoints/${id}/disable`)
  const enabled = await workspace.post(`/webhook-endpoints/${id}/enable`, { recover: 'none' })

  expect(disabled.body.health).toMatchObject({ state: 'open', next_probe_at: null })
  expect(enabled.body.health).toMatchObject({ state: 'healthy', failing_since_at: null })
  expect(await laneOf(id)).toMatchObject({ rest_until: null, failed_deliveries: 0, warnings: 0 })
})

test('events about an endpoint are sent to other endpoints that subscribe to them, never to the endpoint itself', async () => {
  const workspace = await switchyard.newWorkspace()
  const [first, second] = [await anEndpoint(workspace), await anEndpoint(workspace)]
  await workspace.put(`/webhook-endpoints/${first}`, { name: 'Shop' })
  await asSystem(workspace, (tx) => emitFailing(tx, first, { level: 1, epoch: 0 }))
  await workspace.post(`/webhook-endpoints/${first}/disable`)

  const deliveriesAbout = (endpoint: Id<'webhook_endpoint'>) => deliveredAbout(workspace, endpoint)

  expect(await deliveriesAbout(first)).toEqual([
    `webhook_endpoint.updated to ${second}`,
    `webhook_endpoint.failing to ${second}`,
    `webhook_endpoint.disabled to ${second}`,
  ])
  expect(await deliveriesAbout(second)).toEqual([`webhook_endpoint.created to ${first}`])
})

test('a test event is sent to the endpoint it is about, and to no other', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await anEndpoint(workspace, { event_types: ['customer.created'] })
  await anEndpoint(workspace)

  await asSystem(workspace, (tx) => emitTest(tx, id))

  expect(await deliveredAbout(workspace, id)).toEqual([`webhook_endpoint.test to ${id}`])
})

test.each(['failing', 'gone'] as const)(
  'disabling an endpoint because it is %s emits one event, and later triggers do not change the reason',
  async (reason) => {
    const workspace = await switchyard.newWorkspace()
    const id = await anEndpoint(workspace)

    await asSystem(workspace, (tx) => disableWithReason(tx, id, reason))
    await asSystem(workspace, (tx) => disableWithReason(tx, id, 'failing'))
    await workspace.post(`/webhook-endpoints/${id}/disable`)

    const { body } = await workspace.get(`/webhook-endpoints/${id}`)
    expect(body).toMatchObject({ status: 'disabled', disabled: { reason, at: '2026-11-14T12:00:00.000Z' } })
    const types = (await workspace.eventsOf(id)).map(({ type }: { type: string }) => type)
    expect(types).toEqual(['webhook_endpoint.created', 'webhook_endpoint.disabled'])
  },
)

test('webhook_endpoint.failing is followed by webhook_endpoint.recovered, and a deleted endpoint emits neither', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await anEndpoint(workspace)
  await openBreaker(id)

  await asSystem(workspace, async (tx) => {
    await emitFailing(tx, id, { level: 3, epoch: 0 })
    await emitRecovered(tx, id)
  })
  await workspace.delete(`/webhook-endpoints/${id}`)
  await asSystem(workspace, async (tx) => {
    await emitFailing(tx, id, { level: 3, epoch: 0 })
    await disableWithReason(tx, id, 'gone')
  })

  expect(await workspace.eventsOf(id)).toMatchObject([
    { type: 'webhook_endpoint.created', sequence: 1 },
    { type: 'webhook_endpoint.failing', sequence: 2, object: { health: { state: 'open' } } },
    { type: 'webhook_endpoint.recovered', sequence: 3 },
    { type: 'webhook_endpoint.deleted', sequence: 4 },
  ])
})

function asSystem<T>({ workspaceId }: Workspace, body: (tx: Tx) => Promise<T>): Promise<T> {
  const id = workspaceId as Id<'workspace'>
  return transact(switchyard.deps, systemCaller({ workspaceId: id, id }), body)
}

/** Puts the lane into the state after many failed attempts. */
async function openBreaker(id: Id<'webhook_endpoint'>): Promise<void> {
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `update webhook_lanes set health = 'open', failing_since_at = '2026-11-14T11:00Z',
         last_success_at = '2026-11-14T10:00Z', rest_until = '2026-11-14T12:05Z', probe_wait_seconds = 300,
         failed_deliveries = 7, warnings = 1
       where id = $1`,
      [uuidOf(id)],
    ),
  )
}

async function laneOf(id: Id<'webhook_endpoint'>) {
  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query('select * from webhook_lanes where id = $1', [uuidOf(id)]),
  )
  return rows[0]
}

/** The deliveries of events about the endpoint, as `<event type> to <recipient>`, oldest first. */
async function deliveredAbout({ get }: Workspace, id: Id<'webhook_endpoint'>): Promise<string[]> {
  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      'select event_type, webhook_endpoint_id as endpoint from deliveries where object_id = $1 order by sequence',
      [uuidOf(id)],
    ),
  )
  const { body } = await get('/webhook-endpoints')
  const ids = new Map(
    body.data.map((endpoint: { id: Id<'webhook_endpoint'> }) => [uuidOf(endpoint.id), endpoint.id]),
  )
  return rows.map(({ event_type, endpoint }) => `${event_type} to ${ids.get(endpoint)}`)
}
