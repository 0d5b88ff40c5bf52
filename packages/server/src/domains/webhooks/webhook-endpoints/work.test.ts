import { expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { runAllDueWork } from '../../../../test/support/run-all-due-work.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { sweepWebhookEndpoints } from './work.ts'

const switchyard = await switchyardForThisFile()

/** Runs only sweeps: due deliveries are not sent, so that the tests can inspect them. */
const sweep = () => runAllDueWork(switchyard.deps, [sweepWebhookEndpoints as never])

type Delivery = {
  readonly state: string
  readonly trigger: string
  readonly tries: number
  readonly version: number
  readonly due_at: Date
  readonly settled_at: Date | null
}

/** Creates an endpoint and customers, so that it has one delivery per customer. */
async function anEndpoint(workspace: Workspace, customers: number) {
  const { post, delete: remove } = workspace
  const { body } = await post('/webhook-endpoints', {
    url: 'https://shop.example.com/webhooks',
    event_types: ['customer.created'],
  })
  const id: Id<'webhook_endpoint'> = body.id
  const path = `/webhook-endpoints/${id}`
  for (let nth = 0; nth < customers; nth += 1) await workspace.aCustomer()
  return {
    id,
    ref: { workspaceId: workspace.workspaceId as Id<'workspace'>, id },
    enable: (recover?: 'held' | 'none') => post(`${path}/enable`, { recover }),
    disable: () => post(`${path}/disable`),
    remove: () => remove(path),
    deliveries: () =>
      query<Delivery>('select * from deliveries where webhook_endpoint_id = $1 order by id', id),
    states: async () =>
      Object.fromEntries(
        (
          await query<{ state: string; count: number }>(
            'select state, count(*)::int from deliveries where webhook_endpoint_id = $1 group by state',
            id,
          )
        ).map(({ state, count }) => [state, count]),
      ),
    lane: async () => (await query<Lane>('select * from webhook_lanes where id = $1', id))[0],
    /** Copies the first delivery, with adjacent ids. */
    copyDelivery: (times: number) =>
      query(
        `insert into deliveries (workspace_id, id, event_id, webhook_endpoint_id, event_type, object_id, sequence, ordered, state, due_at)
         select workspace_id, (left(id::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, event_id, webhook_endpoint_id, event_type,
           object_id, sequence, ordered, state, due_at
         from (select * from deliveries where webhook_endpoint_id = $1 order by id limit 1) as first, generate_series(1, $2) as n`,
        id,
        times,
      ),
    update: (changes: string) => query(`update deliveries set ${changes} where webhook_endpoint_id = $1`, id),
  }
}

type Lane = { readonly sweep_at: Date | null; readonly release_held: boolean }

async function query<Row>(text: string, id: Id<'webhook_endpoint'>, ...values: unknown[]): Promise<Row[]> {
  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query(text, [uuidOf(id), ...values]),
  )
  return rows
}

test('disabling an endpoint holds its pending deliveries, due or not, and increments their versions', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpoint = await anEndpoint(workspace, 2)
  await endpoint.update("tries = 3, due_at = due_at + interval '1 hour'")

  await endpoint.disable()
  expect(await endpoint.states()).toEqual({ pending: 2 })
  await sweep()

  expect(await endpoint.deliveries()).toMatchObject([
    { state: 'held', version: 2, tries: 3 },
    { state: 'held', version: 2, tries: 3 },
  ])
})

test('deliveries created while the endpoint is disabled are held from the start', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpoint = await anEndpoint(workspace, 0)
  await endpoint.disable()

  await workspace.aCustomer()

  expect(await endpoint.states()).toEqual({ held: 1 })
})

test('enabling an endpoint releases held deliveries as pending, with a new round of attempts', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpoint = await anEndpoint(workspace, 2)
  await endpoint.update('tries = 3')
  await endpoint.disable()
  await sweep()
  switchyard.clock.advance({ hours: 1 })

  const { body } = await endpoint.enable()
  await sweep()

  const released = { state: 'pending', trigger: 'recover', tries: 0, version: 3, settled_at: null }
  const due_at = new Date(body.updated_at)
  expect(await endpoint.deliveries()).toMatchObject([
    { ...released, due_at },
    { ...released, due_at },
  ])
})

test('enabling an endpoint with recover: none keeps held deliveries held', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpoint = await anEndpoint(workspace, 2)
  await endpoint.disable()
  await sweep()

  await endpoint.enable('none')
  await sweep()
  switchyard.clock.advance({ minutes: 1 })
  await sweep()
  await workspace.aCustomer()

  expect(await endpoint.states()).toEqual({ held: 2, pending: 1 })
})

test('disabling and enabling do not change delivered, exhausted and test deliveries', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpoint = await anEndpoint(workspace, 3)
  const [delivered, exhausted, testDelivery] = await query<{ id: string }>(
    'select id from deliveries where webhook_endpoint_id = $1',
    endpoint.id,
  )
  await endpoint.update(
    `state = case id when '${delivered?.id}' then 'delivered' when '${exhausted?.id}' then 'exhausted' else 'held' end,
     trigger = case id when '${testDelivery?.id}' then 'test' else trigger end`,
  )

  await endpoint.disable()
  await sweep()
  await endpoint.enable()
  await sweep()

  expect(await endpoint.states()).toEqual({ delivered: 1, exhausted: 1, held: 1 })
  expect(new Set((await endpoint.deliveries()).map(({ version }) => version))).toEqual(new Set([1]))
})

test('deleting an endpoint marks its pending and held deliveries as deleted', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpoint = await anEndpoint(workspace, 2)
  await endpoint.disable()
  await sweep()
  await endpoint.enable('none')
  await workspace.aCustomer()
  expect(await endpoint.states()).toEqual({ held: 2, pending: 1 })

  await endpoint.remove()
  await sweep()

  expect(await endpoint.states()).toEqual({ deleted: 3 })
  for (const { settled_at } of await endpoint.deliveries()) expect(settled_at).not.toBeNull()
})

test('a sweep changes a thousand deliveries at a time until all are changed', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpoint = await anEndpoint(workspace, 1)
  await endpoint.copyDelivery(2_100)
  await endpoint.disable()

  await sweepWebhookEndpoints.handle(switchyard.deps, endpoint.ref)
  expect(await endpoint.states()).toEqual({ pending: 1_101, held: 1_000 })
  await sweep()
  expect(await endpoint.states()).toEqual({ held: 2_101 })

  await endpoint.enable()
  await sweepWebhookEndpoints.handle(switchyard.deps, endpoint.ref)
  expect(await endpoint.states()).toEqual({ pending: 1_000, held: 1_101 })
  await sweep()
  expect(await endpoint.states()).toEqual({ pending: 2_101 })
})

test.each([
  ['disabled', 'pending', 'held'],
  ['enabled', 'held', 'pending'],
  ['deleted', 'pending', 'deleted'],
] as const)(
  'the second pass after a minute changes deliveries of transactions that started before the endpoint was %s',
  async (change, outdatedState, sweptState) => {
    const workspace = await switchyard.newWorkspace()
    const endpoint = await anEndpoint(workspace, 1)
    if (change !== 'deleted') await endpoint.disable()
    if (change === 'enabled') await endpoint.enable()
    if (change === 'deleted') await endpoint.remove()
    await sweep()
    // The state that a transaction writes if it started before the change.
    await endpoint.update(`state = '${outdatedState}'`)

    switchyard.clock.advance({ seconds: 59 })
    // Work that runs too early has no effect.
    await sweepWebhookEndpoints.handle(switchyard.deps, endpoint.ref)
    expect(await endpoint.states()).toEqual({ [outdatedState]: 1 })
    switchyard.clock.advance({ seconds: 1 })
    await sweep()

    expect(await endpoint.states()).toEqual({ [sweptState]: 1 })
    expect(await endpoint.lane()).toMatchObject({ sweep_at: null, release_held: false })
  },
)

test('a locked delivery is skipped, and changed a second later', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpoint = await anEndpoint(workspace, 2)
  await endpoint.disable()

  await asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('begin')
    await client.query('select from deliveries where webhook_endpoint_id = $1 limit 1 for update', [
      uuidOf(endpoint.id),
    ])
    await sweep()
    await client.query('rollback')
  })
  expect(await endpoint.states()).toEqual({ pending: 1, held: 1 })
  switchyard.clock.advance({ seconds: 1 })
  await sweep()

  expect(await endpoint.states()).toEqual({ held: 2 })
})

test('no delivery is released if the endpoint was disabled again before the sweep', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpoint = await anEndpoint(workspace, 1)
  await endpoint.disable()
  await sweep()

  await endpoint.enable()
  await endpoint.disable()
  await sweep()

  expect(await endpoint.states()).toEqual({ held: 1 })
})

test('concurrent sweeps of one endpoint change each delivery once', async () => {
  const workspace = await switchyard.newWorkspace()
  const endpoint = await anEndpoint(workspace, 3)
  await endpoint.disable()

  await Promise.all(
    Array.from({ length: 5 }, () => sweepWebhookEndpoints.handle(switchyard.deps, endpoint.ref)),
  )

  expect((await endpoint.deliveries()).map(({ version }) => version)).toEqual([2, 2, 2])
})
