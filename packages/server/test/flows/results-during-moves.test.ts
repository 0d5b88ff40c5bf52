// The result of a provider call that ends while the workspace is fenced for a move, on two shards: it is recorded as soon as
// the workspace is open, even after new requests have been refused.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Id, uuidOf } from '../../src/kernel/id.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { newShards } from '../support/shards.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'

const requestMs = 2_500
/** Longer than a new request waits, and shorter than the result of a call. */
const fencedMs = 11_000

const simulator = await simulatorForThisFile()
const shards = await newShards()
const switchyard = await switchyardForThisFile({
  environment: { ...shards.environment, SIMULATOR_URL: simulator.url },
  overrides: { limits: { providerMs: 10_000, requestMs } },
})

const idOf = ({ workspaceId }: Workspace) => workspaceId as Id<'workspace'>
const shardOf = (workspace: Workspace) => switchyard.deps.databases.of(idOf(workspace)).name as 'a' | 'b'

async function newWorkspaceOn(shard: 'a' | 'b', latencyMs: number) {
  for (;;) {
    const workspace = await switchyard.newWorkspace()
    if (shardOf(workspace) !== shard) continue
    const { body } = await workspace.get('/provider-accounts')
    const accounts: string[] = body.data.map(({ id }: { id: string }) => id)
    for (const id of accounts) await simulator.configure(id, { latency_ms: latencyMs, webhooks: 'off' })
    const listCalls = async () => (await Promise.all(accounts.map((id) => simulator.listCalls(id)))).flat()
    return { ...workspace, listCalls }
  }
}

type FencedWorkspace = Awaited<ReturnType<typeof newWorkspaceOn>>

async function startPayment(workspace: FencedWorkspace) {
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2036, cvc: '123' }
  const { body: token } = await workspace.post('/tokens', { type: 'card', card })
  const headers = { 'idempotency-key': 'pay-once' }
  const send = () =>
    workspace.post('/payments', { amount: 1299, currency: 'eur', token: token.id }, { headers })
  const first = send()
  await expect.poll(async () => (await workspace.listCalls()).length).toBe(1)
  return { first, send }
}

/** Closes the workspace like a mover that has stopped, and opens it after some time. */
async function fence(workspace: FencedWorkspace): Promise<void> {
  const uuid = uuidOf(idOf(workspace))
  const run = (text: string) =>
    asOwner(shards.urlOf(shardOf(workspace)), (client) => client.query(text, [uuid]))
  await run(
    `insert into placements (workspace_id, moved_to, is_open, closed_at) values ($1, 'other', false, now())`,
  )
  await sleep(fencedMs)
  await run('delete from placements where workspace_id = $1')
}

test('results that arrive while a workspace is fenced are recorded, and new requests get 503 sooner', {
  timeout: 60_000,
}, async () => {
  const workspace = await newWorkspaceOn('a', 1_500)
  // The response is sent before the call has ended.
  const slow = await newWorkspaceOn('b', requestMs + 1_500)
  const other = await newWorkspaceOn('b', 0)
  const { first: slowResponse } = await startPayment(slow)
  const processing = await slowResponse
  const { first, send } = await startPayment(workspace)

  const fencing = Promise.all([fence(workspace), fence(slow)])
  await sleep(100)
  const startedMs = performance.now()
  const refused = await workspace.post('/customers', {})
  const refusedAfterMs = performance.now() - startedMs
  const onOther = await other.post('/customers', {})
  await fencing
  const paid = await first

  expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(refusedAfterMs).toBeLessThan(fencedMs - 1_000)
  expect(onOther.status).toBe(201)
  expect(paid).toMatchObject({ status: 201, body: { status: 'succeeded', amount_captured: 1299 } })
  expect((await send()).body).toEqual(paid.body)
  expect(processing).toMatchObject({ status: 201, body: { status: 'processing' } })
  const fetchSlow = async () => (await slow.get(`/payments/${processing.body.id}`)).body.status
  await expect.poll(fetchSlow, { timeout: 2_000 }).toBe('succeeded')
  await switchyard.settle()
  // One call each: the results were neither looked up nor requested again.
  expect([await workspace.listCalls(), await slow.listCalls()].map((calls) => calls.length)).toEqual([1, 1])
})
