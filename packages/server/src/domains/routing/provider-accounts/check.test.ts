import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

let accountCount = 0

/** A custom provider whose protocol the simulator implements, configured with the secret of the account. */
async function aCustomAccount({ post }: Workspace, members: object = {}) {
  accountCount += 1
  const name = `custom-${accountCount}`
  const { body } = await post('/provider-accounts', {
    provider: 'custom',
    display_name: 'Our acquirer',
    config: { base_url: `${simulator.url}/${name}` },
    ...members,
  })
  await simulator.configure(name, { secrets: [body.secret] })
  return { name, path: `/provider-accounts/${body.id}` }
}

test('a conforming provider passes the check, and the time is recorded', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await aCustomAccount(workspace)

  const checked = await workspace.post(`${path}/check`)

  expect(checked).toMatchObject({
    status: 200,
    body: { checked_at: '2026-11-14T12:00:00.000Z', check: { passed: true, faults: [] } },
  })
  expect((await workspace.get(path)).body).toEqual(checked.body)
})

test('the simulator passes the check', async () => {
  const workspace = await switchyard.newWorkspace()
  const [account] = (await workspace.get('/provider-accounts')).body.data

  const { body } = await workspace.post(`/provider-accounts/${account.id}/check`)

  expect(body.check).toEqual({ passed: true, faults: [] })
  expect((await simulator.listCalls(account.id)).length).toBeGreaterThan(10)
})

test('the check of a non-conforming provider names the failed requirement', async () => {
  const workspace = await switchyard.newWorkspace()
  const { name, path } = await aCustomAccount(workspace)
  await workspace.post(`${path}/check`)
  await simulator.configure(name, { replay: false })

  const { status, body } = await workspace.post(`${path}/check`)

  expect([status, body.check.passed]).toEqual([200, false])
  expect(body.check.faults).toContainEqual({
    duty: 'a repeated request returns the record of the first',
    detail: expect.stringContaining('charged twice'),
  })
  // A failed check does not change the status: the linter decides where the account can be used.
  expect(body.status).toBe('active')
})

test('a provider that does not respond fails the check', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await aCustomAccount(workspace, { config: { base_url: 'http://127.0.0.1:1024' } })

  const { status, body } = await workspace.post(`${path}/check`)

  expect(status).toBe(200)
  expect(body.check).toEqual({
    passed: false,
    faults: [{ duty: expect.stringContaining('manifest'), detail: expect.stringContaining('no response') }],
  })
})

test('the check of an account that accepts only tokens sends no card number', async () => {
  const workspace = await switchyard.newWorkspace()
  const { name, path } = await aCustomAccount(workspace, { card_data: 'token' })

  const { body } = await workspace.post(`${path}/check`)

  expect(body.check).toEqual({ passed: true, faults: [] })
  const calls = await simulator.listCalls(name)
  expect(calls.length).toBeGreaterThan(3)
  expect(JSON.stringify(calls)).not.toContain('"type":"card"')
})

test('an update that changes the address discards the check result, and any other update keeps it', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await aCustomAccount(workspace)
  const { body: checked } = await workspace.post(`${path}/check`)

  const renamed = await workspace.put(path, { display_name: 'Another', config: checked.config })
  expect(renamed.body.check).toEqual(checked.check)
  const moved = await workspace.put(path, { config: { base_url: `${simulator.url}/elsewhere` } })

  expect(moved.body).toMatchObject({ check: null, checked_at: null })
})

test('if the address changes during a check, its result is discarded', async () => {
  const workspace = await switchyard.newWorkspace()
  const { name, path } = await aCustomAccount(workspace)
  await simulator.configure(name, { latency_ms: 300 })

  const checking = workspace.post(`${path}/check`)
  while ((await simulator.listCalls(name)).length === 0) await new Promise(setImmediate)
  await workspace.put(path, { config: { base_url: `${simulator.url}/elsewhere` } })
  await simulator.configure(name, { latency_ms: 0 })

  expect(await checking).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect((await workspace.get(path)).body.check).toBeNull()
})

test('checks are limited to ten per minute', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await aCustomAccount(workspace, { config: { base_url: 'http://127.0.0.1:1024' } })

  for (let calls = 0; calls < 10; calls += 1) expect((await workspace.post(`${path}/check`)).status).toBe(200)

  expect((await workspace.post(`${path}/check`)).body.code).toBe('rate_limited')
})
