import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { monotonicMs } from '../../kernel/clock.ts'
import { type Id, idFromUuid, uuidOf } from '../../kernel/id.ts'
import { createLog } from '../../platform/log.ts'
import { authorize } from '../../providers/custom/fixtures/accounts.ts'
import { createPerformer } from '../../providers/perform.ts'
import { memoryKeyOf } from './service/change.ts'
import { openAccount } from './service/open.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const without = await switchyardForThisFile({ environment: { DATABASE_URL: switchyard.databaseUrl } })
const { deps } = switchyard

const open = ({ workspaceId }: Workspace, id: Id<'provider_account'>, by = deps) =>
  openAccount(by, workspaceId as Id<'workspace'>, id)

async function aSimulator(workspace: Workspace, config: object = {}): Promise<Id<'provider_account'>> {
  const { body } = await workspace.post('/provider-accounts', {
    provider: 'simulator',
    display_name: 'A third',
    config,
  })
  return body.id
}

const performer = createPerformer({
  sender: deps.outbound,
  log: createLog('silent'),
  hashKey: Buffer.alloc(32, 1),
})

/** Takes a payment at the account; says what became of it. */
async function pay(workspace: Workspace, id: Id<'provider_account'>): Promise<string> {
  const { account, provider, config } = await open(workspace, id)
  const { outcome } = await performer.perform({
    provider,
    step: 'authorize',
    input: { ...authorize, reference: `${crypto.randomUUID()}-1` },
    account: { id: account.id, mode: 'test', config },
    deadlineMs: monotonicMs() + 10_000,
    isFirst: true,
  })
  return outcome.is
}

test('an account of the simulator takes payments as soon as it is there', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace)

  expect(await pay(workspace, id)).toBe('succeeded')
  expect(await simulator.callsOf(id)).toMatchObject([{ method: 'PUT', signature: 'valid' }])
})

test('the simulator is told its secrets, our address, and how to behave', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace, { auth_rate: 0, webhooks: 'off' })

  const { config } = await open(workspace, id)

  expect(config).toMatchObject({ base_url: `${simulator.url}/${id}`, auth_rate: 0, webhooks: 'off' })
  expect(await simulator.configOf(id)).toMatchObject({
    secrets: (config as { secrets: string[] }).secrets,
    webhook_url: `${workspace.address}/provider-webhooks/${id}`,
    auth_rate: 0,
    webhooks: 'off',
  })
  expect(await pay(workspace, id)).toBe('declined')
})

test('a change made here is used at once', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace, { auth_rate: 0 })
  expect(await pay(workspace, id)).toBe('declined')

  await workspace.put(`/provider-accounts/${id}`, { config: { auth_rate: 1 } })

  expect(await pay(workspace, id)).toBe('succeeded')
})

test('a simulator that was started anew, and knows nobody, is told again when an account is opened', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace)
  await open(workspace, id)
  await simulator.configure(id, { secrets: [] })
  expect(await pay(workspace, id)).toBe('rejected')

  switchyard.deps.openAccounts.forget(memoryKeyOf(workspace.workspaceId as Id<'workspace'>, id))

  expect(await pay(workspace, id)).toBe('succeeded')
})

test('payments go on while and after the secret is rotated', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace)

  for (const overlap_seconds of [60, 0]) {
    await workspace.post(`/provider-accounts/${id}/rotate_secret`, { overlap_seconds })
    expect(await pay(workspace, id)).toBe('succeeded')
  }
  expect((await simulator.configOf(id)).secrets).toHaveLength(1)
})

test('an account is opened once for many calls', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace)

  const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => open(workspace, id)))

  for (const other of others) expect(other).toBe(first)
})

test('an account that is disabled, held or archived is opened all the same: what was begun there goes on', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace)
  const path = `/provider-accounts/${id}`
  await workspace.post(`${path}/disable`)
  await workspace.post(`${path}/hold`, { reason: 'x', until_at: '2030-01-01T00:00:00.000Z' })
  expect(await pay(workspace, id)).toBe('succeeded')

  await workspace.post(`${path}/archive`)

  expect(await pay(workspace, id)).toBe('succeeded')
})

test('nobody opens the account of another workspace, even if it is in memory', async () => {
  const [ours, theirs] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  const id = await aSimulator(theirs)
  await open(theirs, id)

  await expect(open(ours, id)).rejects.toMatchObject({ code: 'not_found' })
  const never = idFromUuid('provider_account', 'test', uuidOf(ours.workspaceId as Id<'workspace'>))
  await expect(open(ours, never)).rejects.toMatchObject({ code: 'not_found' })
})

test('what an account is opened with has the shape that its provider asks for', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body } = await workspace.post('/provider-accounts', {
    provider: 'custom',
    display_name: 'Our acquirer',
    config: { base_url: `${simulator.url}/shape` },
  })
  await simulator.configure('shape', { secrets: [body.secret] })
  await workspace.post(`/provider-accounts/${body.id}/check`)
  const simulated = await aSimulator(workspace, {
    ...{ auth_rate: 0.5, latency_ms: 1, replay: true, lookup: true, lookup_lag_ms: 1, close: true },
    outage: { from_at: '2020-01-01T00:00:00.000Z', until_at: '2020-01-02T00:00:00.000Z' },
    webhooks: 'reordered',
  })

  for (const id of [body.id, simulated]) {
    const { provider, config } = await open(workspace, id)
    expect([...Value.Errors(provider.config, config)]).toEqual([])
  }
  expect((await open(workspace, body.id)).config).toMatchObject({
    secrets: [body.secret],
    manifest: { protocol: 1, features: { lookup: true, close: true } },
  })
})

test('where the simulator was taken away, its accounts lead nowhere', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace)

  const { config } = await open(workspace, id, without.deps)

  expect(without.deps.outbound.faultOf((config as { base_url: string }).base_url, 'test')).toBeNull()
  expect((config as { base_url: string }).base_url).toBe(`https://simulator.invalid/${id}`)
})
