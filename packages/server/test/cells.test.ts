// Two cells, each with its own database and addresses. A request for a workspace of the other cell gets 421 with the address
// of that cell.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Config } from '../src/config.ts'
import { generateToken } from '../src/domains/access/api-tokens/token.ts'
import { runDirectory } from '../src/operator.ts'
import { createLink, type PublicSession, payerAt } from './support/checkout.ts'
import { type ApiResponse, switchyardForThisFile, type Workspace } from './support/switchyard.ts'

const here = await switchyardForThisFile()
const there = await switchyardForThisFile()

const folder = await mkdtemp(join(tmpdir(), 'switchyard-cells-'))
afterAll(() => rm(folder, { recursive: true }))

let ours: Workspace
let theirs: Workspace
let theirsLive: Workspace

beforeAll(async () => {
  ours = await here.newWorkspace()
  theirs = await there.newWorkspace()
  theirsLive = await there.newWorkspace('live')
  await run(here.config, ['add', 'there'], addressesOfThere)
  await importDirectory()
})

const addressesOfThere = {
  live: there.addresses.live,
  test: there.addresses.test,
  dashboard: there.dashboardUrl,
}

async function run(config: Config, args: readonly string[], input: object = {}): Promise<string[]> {
  const lines: string[] = []
  await runDirectory(config, args, input, (line) => lines.push(line))
  return lines
}

async function writeLines(lines: readonly string[]): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.txt`)
  await writeFile(file, `${lines.join('\n')}\n`)
  return file
}

const exportThere = () => run(there.config, ['export'])

async function importDirectory(): Promise<string[]> {
  return run(here.config, ['import', 'there', await writeLines(await exportThere())])
}

/** The workspaces of both cells that the tests use do not exist in the other cell. */
function expectWrongCell({ status, headers, body }: ApiResponse, address: string): void {
  expect(body).toMatchObject({
    status: 421,
    code: 'wrong_cell',
    retryable: false,
    cell_address: address,
    detail: `The workspace is in another cell. Send the request to ${address}.`,
  })
  expect(status).toBe(421)
  expect(headers.get('switchyard-cell-address')).toBe(address)
}

const without = ({ request_id: _, ...body }: ApiResponse['body']) => body

test('a token of the other cell gets 421 with the address of its environment, and the request has no effect', async () => {
  const options = { token: theirs.token, headers: { 'idempotency-key': 'order-1' } }

  const misdirected = await here.call('test', 'POST', '/customers', { name: 'Ada' }, options)
  const atLiveAddress = await here.call('live', 'GET', '/me', undefined, { token: theirs.token })
  const ofLive = await here.call('live', 'GET', '/me', undefined, { token: theirsLive.token })

  expectWrongCell(misdirected, there.addresses.test)
  expectWrongCell(atLiveAddress, there.addresses.test)
  expectWrongCell(ofLive, there.addresses.live)
  expect((await theirs.get('/customers')).body.data).toEqual([])
  const followed = await theirs.post('/customers', { name: 'Ada' }, options)
  expect([followed.status, followed.headers.get('idempotent-replayed')]).toEqual([201, null])
})

test('tokens of this cell work, and tokens that no directory has are unknown', async () => {
  const invented = { token: generateToken('secret', 'test') }
  const malformed = { token: 'sk_test_junk' }
  const forged = { token: `dk_test_${'A'.repeat(70)}` }

  expect((await ours.get('/me')).status).toBe(200)
  for (const options of [invented, malformed, forged])
    expect(await ours.get('/me', options)).toMatchObject({ status: 401, body: { code: 'token_invalid' } })
})

test('the response does not reveal whether a token of the other cell is still valid', async () => {
  const { body: token } = await theirs.post('/api-tokens', { name: 'short-lived', role: 'ADMIN' })
  await importDirectory()
  const valid = await ours.get('/me', { token: token.token })
  await theirs.post(`/api-tokens/${token.id}/revoke`)

  const revoked = await ours.get('/me', { token: token.token })

  expect((await theirs.get('/me', { token: token.token })).status).toBe(401)
  expectWrongCell(revoked, there.addresses.test)
  expect(without(revoked.body)).toEqual(without(valid.body))
})

test('a session of the dashboard of the other cell gets 421', async () => {
  const [organization, other] = [await here.newOrganization(), await there.newOrganization()]
  const [browser, otherBrowser] = [await here.signIn(organization), await there.signIn(other)]
  await importDirectory()
  const otherWorkspace = otherBrowser.session.workspaces[0]
  const sessionToken = await otherBrowser.tokenFor(otherWorkspace.id)

  const called = await here.call('test', 'GET', '/me', undefined, { token: sessionToken })
  const selected = await browser.post('/session/token', { workspace_id: otherWorkspace.id })
  const invented = await browser.post('/session/token', {
    workspace_id: 'workspace_test_01KA800000FAY8000000000001',
  })

  expectWrongCell(called, there.addresses[otherWorkspace.mode as 'live' | 'test'])
  expectWrongCell(selected, there.dashboardUrl)
  expect(invented).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
})

test('payment links, sessions and other pages of the other cell get 421, with or without a valid signature', async () => {
  await theirs.post('/provider-accounts', customAccount)
  const link = await createLink(theirs)
  const session = await payerAt(theirs.address).openSession(link.slug)
  const payer = payerAt(here.addresses.test)
  const forged = `${link.slug.slice(0, -6)}AAAAAA`
  const secretOf = (workspace: PublicSession) => ({ 'checkout-secret': workspace.client_secret })

  for (const slug of [link.slug, forged]) {
    expectWrongCell(await payer.fetchLink(slug), there.addresses.test)
    expectWrongCell(await payer.createSession(slug), there.addresses.test)
    expectWrongCell(await payer.call('GET', `/i/${slug}`), there.addresses.test)
    expectWrongCell(await payer.call('GET', `/p/${slug}secret`), there.addresses.test)
  }
  expectWrongCell(await payer.fetchSession(session), there.addresses.test)
  expectWrongCell(
    await payer.call('POST', `/checkout/sessions/${session.id}/confirm`, {}, secretOf(session)),
    there.addresses.test,
  )
  const unknown = await payer.fetchLink('A'.repeat(64))
  expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test('a download of the other cell gets 421', async () => {
  const id = await theirs.anExport()
  const { body } = await theirs.get(`/exports/${id}/download`)
  const { pathname } = new URL(body.url)

  expectWrongCell(await payerAt(here.addresses.test).call('GET', pathname), there.addresses.test)
})

const customAccount = {
  provider: 'custom',
  display_name: 'Our acquirer',
  config: { base_url: 'https://psp.example.com' },
}

test('a webhook of a provider account of the other cell gets 421', async () => {
  const { body: account } = await theirs.post('/provider-accounts', customAccount)
  await importDirectory()
  const payer = payerAt(here.addresses.test)

  expectWrongCell(await payer.call('POST', `/provider-webhooks/${account.id}`, {}), there.addresses.test)
  const unknown = 'provider_account_test_01KA800000FAY8000000000001'
  expect(await payer.call('POST', `/provider-webhooks/${unknown}`, {})).toMatchObject({ status: 404 })
})

test('an import replaces the directory of the cell, and repeating it changes nothing', async () => {
  const lines = await exportThere()
  const [, first] = lines as [string, string]

  const imported = await importDirectory()
  const repeated = await importDirectory()
  const [listed] = await run(here.config, ['list'])

  expect(imported).toEqual([`Imported ${lines.length - 2} keys of the cell there.`])
  expect(repeated).toEqual(imported)
  expect(listed).toContain(`there  live ${there.addresses.live}, test ${there.addresses.test}`)
  expect(listed).toContain(`${lines.length - 2} keys, imported 20`)
  expect(first).toMatch(/^([0-9a-f]{32}|[0-9a-f]{64})$/)
  expect(lines.join()).not.toContain(theirs.token)
})

test('an import that is incomplete, or that has keys of this or of a third cell, changes nothing', async () => {
  const lines = await exportThere()
  const before = await run(here.config, ['list'])
  const importOf = async (name: string, content: readonly string[]) =>
    run(here.config, ['import', name, await writeLines(content)])

  await run(here.config, ['add', 'third'], {
    live: 'https://live.third.example',
    test: 'https://test.third.example',
    dashboard: 'https://dashboard.third.example',
  })
  await expect(importOf('there', lines.slice(0, -1))).rejects.toThrow('The file is incomplete')
  await expect(importOf('there', lines.toSpliced(1, 1))).rejects.toThrow('The file is incomplete')
  await expect(importOf('there', ['not a directory'])).rejects.toThrow('not the output of cells export')
  await expect(importOf('there', await run(here.config, ['export']))).rejects.toThrow('is in this cell too')
  await expect(importOf('third', lines)).rejects.toThrow('The cell there has')
  await expect(importOf('fourth', lines)).rejects.toThrow('There is no cell fourth')
  await run(here.config, ['remove', 'third'])

  expect(await run(here.config, ['list'])).toEqual(before)
  expect((await ours.get('/me')).status).toBe(200)
})

test.each([
  [['add', 'Bad name'], /not a valid cell name/],
  [['add', 'other'], /--live <url>/],
  [['import', 'there'], /requires a file/],
  [['remove', 'unknown'], /no cell unknown/],
])('cells %j is rejected', async (args, message) => {
  await expect(run(here.config, args)).rejects.toThrow(message)
})

test('after a cell is removed, its tokens are unknown', async () => {
  await run(here.config, ['add', 'gone'], addressesOfThere)
  await run(here.config, ['remove', 'there'])

  await expect
    .poll(async () => (await ours.get('/me', { token: theirs.token })).status, { interval: 1_000 })
    .toBe(401)
  expect(await run(here.config, ['list'])).toEqual([expect.stringContaining('gone  live')])
})
