import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { monotonicMs } from '../../../kernel/clock.ts'
import { type Id, idFromUuid, uuidOf } from '../../../kernel/id.ts'
import { createLog } from '../../../platform/log.ts'
import { authorize } from '../../../providers/custom/fixtures/inputs.ts'
import { createPerformer } from '../../../providers/perform.ts'
import { cacheKeyOf } from './service/change.ts'
import { openAccount } from './service/open.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const withoutSimulator = await switchyardForThisFile({
  environment: { DATABASE_URL: switchyard.databaseUrl },
})
const { deps } = switchyard

const open = ({ workspaceId }: Workspace, id: Id<'provider_account'>, openingDeps = deps) =>
  openAccount(openingDeps, workspaceId as Id<'workspace'>, id)

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

/** Authorizes a payment at the account, and returns the outcome. */
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

test('a simulator account can process payments immediately', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace)

  expect(await pay(workspace, id)).toBe('succeeded')
  expect(await simulator.listCalls(id)).toMatchObject([{ method: 'PUT', signature: 'valid' }])
})

test('the simulator is configured with the secrets, the webhook URL and the behaviour of the account', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace, { auth_rate: 0, webhooks: 'off' })

  const { config } = await open(workspace, id)

  expect(config).toMatchObject({ base_url: `${simulator.url}/${id}`, auth_rate: 0, webhooks: 'off' })
  expect(await simulator.fetchConfig(id)).toMatchObject({
    secrets: (config as { secrets: string[] }).secrets,
    webhook_url: `${workspace.address}/provider-webhooks/${id}`,
    auth_rate: 0,
    webhooks: 'off',
  })
  expect(await pay(workspace, id)).toBe('declined')
})

test('a change is used immediately by the process that made it', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace, { auth_rate: 0 })
  expect(await pay(workspace, id)).toBe('declined')

  await workspace.put(`/provider-accounts/${id}`, { config: { auth_rate: 1 } })

  expect(await pay(workspace, id)).toBe('succeeded')
})

test('a restarted simulator is configured again when an account is opened', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace)
  await open(workspace, id)
  await simulator.configure(id, { secrets: [] })
  expect(await pay(workspace, id)).toBe('rejected')

  switchyard.deps.openAccounts.forget(cacheKeyOf(workspace.workspaceId as Id<'workspace'>, id))

  expect(await pay(workspace, id)).toBe('succeeded')
})

test('payments continue during and after a secret rotation', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace)

  for (const overlap_seconds of [60, 0]) {
    await workspace.post(`/provider-accounts/${id}/rotate_secret`, { overlap_seconds })
    expect(await pay(workspace, id)).toBe('succeeded')
  }
  expect((await simulator.fetchConfig(id)).secrets).toHaveLength(1)
})

test('an account is opened once for many calls', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace)

  const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => open(workspace, id)))

  for (const other of others) expect(other).toBe(first)
})

test('a disabled, held or archived account can be opened, so that existing payments continue', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace)
  const path = `/provider-accounts/${id}`
  await workspace.post(`${path}/disable`)
  await workspace.post(`${path}/hold`, { reason: 'x', until_at: '2030-01-01T00:00:00.000Z' })
  expect(await pay(workspace, id)).toBe('succeeded')

  await workspace.post(`${path}/archive`)

  expect(await pay(workspace, id)).toBe('succeeded')
})

test('an account of another workspace cannot be opened, even if it is cached', async () => {
  const [ours, theirs] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  const id = await aSimulator(theirs)
  await open(theirs, id)

  await expect(open(ours, id)).rejects.toMatchObject({ code: 'not_found' })
  const nonexistent = idFromUuid('provider_account', 'test', uuidOf(ours.workspaceId as Id<'workspace'>))
  await expect(open(ours, nonexistent)).rejects.toMatchObject({ code: 'not_found' })
})

test('the configuration of an opened account matches the schema of its provider', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body } = await workspace.post('/provider-accounts', {
    provider: 'custom',
    display_name: 'Our acquirer',
    config: { base_url: `${simulator.url}/shape` },
  })
  await simulator.configure('shape', { secrets: [body.secret] })
  await workspace.post(`/provider-accounts/${body.id}/check`)
  const simulated = await aSimulator(workspace, {
    auth_rate: 0.5,
    latency_ms: 1,
    replay: true,
    lookup: true,
    lookup_lag_ms: 1,
    close: true,
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

test('without a simulator, simulator accounts have an unreachable address', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aSimulator(workspace)

  const { config } = await open(workspace, id, withoutSimulator.deps)

  expect(withoutSimulator.deps.outbound.faultOf((config as { base_url: string }).base_url, 'test')).toBeNull()
  expect((config as { base_url: string }).base_url).toBe(`https://simulator.invalid/${id}`)
})
