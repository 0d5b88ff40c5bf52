import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

let accounts = 0

/** A provider of the business's own, which the simulator plays: it is told the secret as a person would tell it. */
async function aCustomAccount({ post }: Workspace, members: object = {}) {
  accounts += 1
  const name = `own-${accounts}`
  const { body } = await post('/provider-accounts', {
    provider: 'custom',
    display_name: 'Our acquirer',
    config: { base_url: `${simulator.url}/${name}` },
    ...members,
  })
  await simulator.configure(name, { secrets: [body.secret] })
  return { name, path: `/provider-accounts/${body.id}` }
}

test('a provider that keeps its promises passes, and when is noted', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await aCustomAccount(workspace)

  const checked = await workspace.post(`${path}/check`)

  expect(checked).toMatchObject({
    status: 200,
    body: { checked_at: '2026-11-14T12:00:00.000Z', check: { passed: true, faults: [] } },
  })
  expect((await workspace.get(path)).body).toEqual(checked.body)
})

test('the simulator passes, told of its account by nobody but us', async () => {
  const workspace = await switchyard.newWorkspace()
  const [account] = (await workspace.get('/provider-accounts')).body.data

  const { body } = await workspace.post(`/provider-accounts/${account.id}/check`)

  expect(body.check).toEqual({ passed: true, faults: [] })
  expect((await simulator.callsOf(account.id)).length).toBeGreaterThan(10)
})

test('a provider that breaks a promise is told which one', async () => {
  const workspace = await switchyard.newWorkspace()
  const { name, path } = await aCustomAccount(workspace)
  await workspace.post(`${path}/check`)
  await simulator.configure(name, { replay: false })

  const { status, body } = await workspace.post(`${path}/check`)

  expect([status, body.check.passed]).toEqual([200, false])
  expect(body.check.faults).toContainEqual({
    duty: 'a repeat answers the record of the first',
    detail: expect.stringContaining('charged twice'),
  })
  // It is still an account: who uses it, and in which environment, is not for the check to say.
  expect(body.status).toBe('active')
})

test('a provider that does not answer has not passed', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await aCustomAccount(workspace, { config: { base_url: 'http://127.0.0.1:1024' } })

  const { status, body } = await workspace.post(`${path}/check`)

  expect(status).toBe(200)
  expect(body.check).toEqual({
    passed: false,
    faults: [{ duty: expect.stringContaining('manifest'), detail: expect.stringContaining('no answer') }],
  })
})

test('an account for tokens is not sent a card number', async () => {
  const workspace = await switchyard.newWorkspace()
  const { name, path } = await aCustomAccount(workspace, { card_data: 'token' })

  const { body } = await workspace.post(`${path}/check`)

  expect(body.check).toEqual({ passed: true, faults: [] })
  const calls = await simulator.callsOf(name)
  expect(calls.length).toBeGreaterThan(3)
  expect(JSON.stringify(calls)).not.toContain('"type":"card"')
})

test('with another address what was found out is forgotten; with the same one it stays', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await aCustomAccount(workspace)
  const { body: checked } = await workspace.post(`${path}/check`)

  const renamed = await workspace.put(path, { display_name: 'Another', config: checked.config })
  expect(renamed.body.check).toEqual(checked.check)
  const moved = await workspace.put(path, { config: { base_url: `${simulator.url}/elsewhere` } })

  expect(moved.body).toMatchObject({ check: null, checked_at: null })
})

test('a check of an address that the account no longer has is thrown away', async () => {
  const workspace = await switchyard.newWorkspace()
  const { name, path } = await aCustomAccount(workspace)
  await simulator.configure(name, { latency_ms: 300 })

  const checking = workspace.post(`${path}/check`)
  while ((await simulator.callsOf(name)).length === 0) await new Promise(setImmediate)
  await workspace.put(path, { config: { base_url: `${simulator.url}/elsewhere` } })
  await simulator.configure(name, { latency_ms: 0 })

  expect(await checking).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect((await workspace.get(path)).body.check).toBeNull()
})

test('a check is asked for ten times a minute at most', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await aCustomAccount(workspace, { config: { base_url: 'http://127.0.0.1:1024' } })

  for (let calls = 0; calls < 10; calls += 1) expect((await workspace.post(`${path}/check`)).status).toBe(200)

  expect((await workspace.post(`${path}/check`)).body.code).toBe('rate_limited')
})
