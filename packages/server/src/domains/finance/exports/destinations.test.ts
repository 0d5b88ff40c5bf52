// Daily exports to an S3 server over HTTP: files and manifests, wrong keys, crashes, and that a day is exported once.

import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseCsv } from '../../../../test/support/exports.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { createToken, eventTypesOf, shortTimeouts } from '../../../../test/support/payment-methods.ts'
import { writePostings } from '../../../../test/support/raw-postings.ts'
import { s3ServerForThisFile } from '../../../../test/support/s3-server.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { manualClock } from '../../../kernel/clock.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { watchCrashpoints } from '../../../platform/crashpoint.ts'

// Events have the time of the database, so the clock of the server starts at that time.
const clock = manualClock(new Date())
const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  // A daily file may exceed the size limit of stored files.
  overrides: { ...shortTimeouts, clock, exportLimits: { storedBytes: 1_000_000, dailyBytes: 8_000_000 } },
})
const { newWorkspace, settle } = switchyard
const storage = await s3ServerForThisFile()

beforeEach(() => {
  const reading = clock.read()
  const atMs = reading.from === 'harness' ? reading.at.getTime() : 0
  clock.advance({ seconds: (Date.now() - atMs) / 1000 })
})
afterEach(() => watchCrashpoints(() => {}))

/** Each workspace has its own folder in the bucket. */
async function createDestination(workspace: Workspace, members: object = {}) {
  const prefix = workspace.workspaceId.slice(-12)
  const { status, body } = await workspace.post('/export-destinations', {
    ...storage.destination,
    prefix,
    of: ['payments'],
    format: 'csv',
    ...members,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

async function pay(workspace: Workspace, members: object = {}) {
  const token = await createToken(workspace)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members })).body
}

/** The day of an event, in real time. */
async function dayOf(workspace: Workspace, id: string): Promise<string> {
  const { body } = await workspace.get(`/events?object_id=${id}`)
  return body.data[0].created_at.slice(0, 10)
}

const dailyExports = async ({ get }: Workspace, { id }: { readonly id: string }) =>
  (await get(`/exports?export_destination_id=${id}&limit=100`)).body.data
const destinationOf = async ({ get }: Workspace, { id }: { readonly id: string }) =>
  (await get(`/export-destinations/${id}`)).body

/** Moves the clock to the time at which the next day of the destination is exported. */
function endDayOf({ next_day }: { readonly next_day: string }): void {
  const reading = clock.read()
  const atMs = reading.from === 'harness' ? reading.at.getTime() : 0
  clock.advance({ seconds: (Date.parse(next_day) - atMs) / 1000, days: 1, minutes: 31 })
}

async function readFiles({ upload }: { upload: { path: string } }) {
  const text = (await storage.read(`${upload.path}/manifest.json`))?.toString()
  if (text === undefined) return null
  const manifest = JSON.parse(text)
  const content = await storage.read(`${upload.path}/${manifest.files[0].name}`)
  return { text, manifest, content: content ?? Buffer.alloc(0) }
}

test('the changes of a day are uploaded, and then a manifest that describes the file', async () => {
  const workspace = await newWorkspace()
  const destination = await createDestination(workspace, {
    of: ['payments', 'refunds', 'customers', 'journal'],
  })
  expect(destination).toMatchObject({ status: 'active', error: null, last_success_at: null })
  const payment = await pay(workspace)
  await workspace.post('/refunds', { payment_id: payment.id, amount: 300 })
  await pay(workspace, { amount: 900, currency: 'jpy' })
  await settle()
  expect(await dailyExports(workspace, destination)).toEqual([])

  const day = await dayOf(workspace, payment.id)
  endDayOf(destination)
  await settle()

  const exported = (await dailyExports(workspace, destination)).filter(
    ({ from }: { from: string }) => from === day,
  )
  expect(exported.map(({ of }: { of: string }) => of).toSorted()).toEqual([
    'customers',
    'journal',
    'payments',
    'refunds',
  ])
  for (const each of exported)
    expect(each).toMatchObject({
      status: 'completed',
      from: day,
      to: day,
      upload: { attempts: 1, error: null },
    })
  const payments = exported.find(({ of }: { of: string }) => of === 'payments')
  const files = await readFiles(payments)
  expect(payments.upload.path).toBe(`${destination.prefix}/payments/day=${day}`)
  expect(files?.manifest).toMatchObject({
    export_id: payments.id,
    of: 'payments',
    day,
    rows: 2,
    files: [{ bytes: files?.content.length, rows: 2 }],
  })
  expect(files?.manifest.sums).toContainEqual({ column: 'amount', currency: 'eur', amount: '1299' })
  expect(files?.manifest.sums).toContainEqual({ column: 'amount_refunded', currency: 'eur', amount: '300' })
  expect(
    createHash('sha256')
      .update(files?.content ?? '')
      .digest('hex'),
  ).toBe(files?.manifest.files[0].sha256)
  const lines = parseCsv(String(files?.content))
  expect(lines.find(({ id }) => id === payment.id)).toMatchObject({ amount: '1299', amount_refunded: '300' })
  const journal = await readFiles(exported.find(({ of }: { of: string }) => of === 'journal'))
  expect(journal?.manifest.sums).toContainEqual({ column: 'debit', currency: 'jpy', amount: '900' })
  expect(await destinationOf(workspace, destination)).toMatchObject({
    status: 'active',
    last_success_at: expect.any(String),
  })
  expect(await eventTypesOf(workspace, payments.id)).toEqual([
    'export.created',
    'export.written',
    'export.completed',
  ])
})

test('an object is in the file of each day with an event, and a day without changes has an empty file', async () => {
  const workspace = await newWorkspace()
  const customer = await workspace.aCustomer()
  const destination = await createDestination(workspace, { of: ['customers'], format: 'csv' })
  const day = await dayOf(workspace, customer)
  clock.advance({ days: 3 })
  await settle()

  const exported = await dailyExports(workspace, destination)
  const rowsByDay = Object.fromEntries(
    exported.map(({ from, rows }: { from: string; rows: number }) => [from, rows]),
  )
  expect(rowsByDay[destination.next_day]).toBe(destination.next_day === day ? 1 : 0)
  expect(exported.length).toBeGreaterThanOrEqual(2)
  expect(new Set(exported.map(({ status }: { status: string }) => status))).toEqual(new Set(['completed']))
})

test('a wrong key is an error of the destination, which needs attention until the key is corrected', async () => {
  const workspace = await newWorkspace()
  const destination = await createDestination(workspace, {
    secret_access_key: 'a wrong secret'.replaceAll(' ', '_'),
  })
  const error = {
    code: 'access_denied',
    message: expect.stringContaining('The storage returned status 403 (SignatureDoesNotMatch).'),
  }
  expect((await workspace.post(`/export-destinations/${destination.id}/check`)).body).toMatchObject({
    status: 'failing',
    error,
  })
  await pay(workspace)
  endDayOf(destination)
  await settle()
  const [failing] = await dailyExports(workspace, destination)
  expect(failing).toMatchObject({
    status: 'uploading',
    upload: { attempts: 1, error, next_attempt_at: expect.any(String) },
  })
  const attention = async () =>
    (await workspace.get('/attention')).body.data.filter(
      ({ object_id }: { object_id: string }) => object_id === destination.id,
    )
  expect(await attention()).toEqual([])
  clock.advance({ minutes: 2 })
  await settle()
  expect(await attention()).toMatchObject([{ kind: 'export_destinations_failing', count: 1 }])
  // The next day is not exported yet.
  clock.advance({ days: 1 })
  await settle()
  expect(await dailyExports(workspace, destination)).toHaveLength(1)

  const { secret_access_key, endpoint_url } = storage.destination
  const { body: updated } = await workspace.put(`/export-destinations/${destination.id}`, {
    secret_access_key,
  })
  expect(updated).toMatchObject({ status: 'failing', endpoint_url })
  await settle()
  expect(await destinationOf(workspace, destination)).toMatchObject({ status: 'active', error: null })
  expect(await attention()).toEqual([])
  expect(await dailyExports(workspace, destination)).toMatchObject([
    { status: 'completed' },
    { status: 'completed', upload: { attempts: 4 } },
  ])
  expect(await eventTypesOf(workspace, destination.id)).toEqual([
    'export_destination.created',
    'export_destination.failing',
    'export_destination.updated',
    'export_destination.recovered',
  ])
})

test('after a crash between file and manifest there is no manifest, and the retry uploads identical files', async () => {
  const workspace = await newWorkspace()
  const destination = await createDestination(workspace)
  await pay(workspace)
  endDayOf(destination)
  let crashes = 0
  watchCrashpoints((name) => {
    if (name !== 'export.file_uploaded') return
    crashes += 1
    throw new Error('simulated crash')
  })
  await settle().catch(() => {})
  expect(crashes).toBeGreaterThan(0)
  const [crashed] = await dailyExports(workspace, destination)
  expect(crashed).toMatchObject({ status: 'uploading', upload: { attempts: 0 } })
  expect(await readFiles(crashed)).toBeNull()
  const name = `${crashed.upload.path}/${crashed.file.name}`
  const first = await storage.read(name)
  expect(first).not.toBeNull()

  watchCrashpoints(() => {})
  // The payment changes, but the file of the day does not.
  await pay(workspace)
  clock.advance({ minutes: 10 })
  await settle()

  const [exported] = await dailyExports(workspace, destination)
  expect(exported).toMatchObject({ id: crashed.id, status: 'completed', file: crashed.file })
  const files = await readFiles(exported)
  expect(files?.content.equals(first as Buffer)).toBe(true)
  expect(files?.manifest.files[0].sha256).toBe(
    createHash('sha256')
      .update(first as Buffer)
      .digest('hex'),
  )
})

test('a day is never exported twice: the database refuses a second export of it', async () => {
  const workspace = await newWorkspace()
  const destination = await createDestination(workspace)
  endDayOf(destination)
  await settle()
  const before = await dailyExports(workspace, destination)

  // As if the schedule had been lost.
  const id = uuidOf(destination.id as Id<'export_destination'>)
  const reset = () =>
    asOwner(switchyard.databaseUrl, (client) =>
      client.query('update export_destinations set next_day_on = $2, due_at = now() where id = $1', [
        id,
        destination.next_day,
      ]),
    )
  await reset()
  await expect(settle()).rejects.toThrow('one_export_per_day')

  expect(await dailyExports(workspace, destination)).toEqual(before)
})

test('a large file is uploaded in several parts', async () => {
  const workspace = await newWorkspace()
  const destination = await createDestination(workspace, { of: ['journal'] })
  const amounts = Array.from({ length: 20_000 }, (_, index) => ({
    amount: index + 1,
    bookedAt: new Date(Date.now() - (index % 1_000)),
  }))
  await writePostings(switchyard.databaseUrl, workspace.workspaceId, amounts)
  const firstRequest = storage.requests.length
  endDayOf(destination)
  await settle()

  const exported = (await dailyExports(workspace, destination)).find(({ rows }: { rows: number }) => rows > 0)
  expect(exported).toMatchObject({ status: 'completed', rows: 40_000 })
  const files = await readFiles(exported)
  expect(files?.content.length).toBeGreaterThan(5_242_880)
  expect(files?.manifest.files[0]).toEqual({ ...exported.file, rows: 40_000 })
  expect(
    createHash('sha256')
      .update(files?.content ?? '')
      .digest('hex'),
  ).toBe(exported.file.sha256)
  // The manifest lists the parts, which readers can load and verify one by one.
  const listed: { number: number; start: number; bytes: number; sha256: string }[] = files?.manifest.parts
  expect(listed.map(({ number }) => number)).toEqual([1, 2])
  let start = 0
  for (const part of listed) {
    const range = files?.content.subarray(part.start, part.start + part.bytes) ?? Buffer.alloc(0)
    expect(part).toMatchObject({ start, sha256: createHash('sha256').update(range).digest('hex') })
    start += part.bytes
  }
  expect(start).toBe(exported.file.bytes)
  const sum = String((20_000 * 20_001) / 2)
  expect(files?.manifest.sums).toContainEqual({ column: 'debit', currency: 'eur', amount: sum })
  const parts = storage.requests.slice(firstRequest).filter((request) => request.includes('partNumber='))
  expect(parts.length).toBeGreaterThanOrEqual(2)
})

test('a day that is too large fails, and the next day is exported', async () => {
  const workspace = await newWorkspace()
  const destination = await createDestination(workspace, { of: ['journal'] })
  const amounts = Array.from({ length: 30_000 }, () => ({ amount: 1, bookedAt: new Date() }))
  await writePostings(switchyard.databaseUrl, workspace.workspaceId, amounts)
  endDayOf(destination)
  await settle()

  const exports_ = await dailyExports(workspace, destination)
  expect(exports_).toContainEqual(expect.objectContaining({ status: 'failed', failure: 'too_large' }))
  // The size limit of stored files applies to requested files.
  const day = destination.next_day
  const { body } = await workspace.post('/exports', { of: 'journal', format: 'csv', from: day, to: day })
  await settle()
  expect((await workspace.get(`/exports/${body.id}`)).body).toMatchObject({
    status: 'failed',
    failure: 'too_large',
  })
  endDayOf(await destinationOf(workspace, destination))
  await settle()
  expect((await dailyExports(workspace, destination))[0]).toMatchObject({ status: 'completed', rows: 0 })
})

test('secrets are in no response and no event, and are deleted with the destination', async () => {
  const workspace = await newWorkspace()
  const secret_access_key = 'a-secret-that-nothing-may-contain'
  const destination = await createDestination(workspace, { secret_access_key })
  const path = `/export-destinations/${destination.id}`
  await workspace.put(path, { secret_access_key: `${secret_access_key}-2`, name: 'Warehouse' })
  const texts = [
    destination,
    (await workspace.get(path)).body,
    (await workspace.get('/export-destinations')).body,
    await workspace.eventsOf(destination.id),
    (await workspace.get('/audit-entries?limit=100')).body,
    (await workspace.get('/requests?limit=100')).body,
  ].map((body) => JSON.stringify(body))
  for (const text of texts) expect(text).not.toContain(secret_access_key)

  expect((await workspace.delete(path)).body).toEqual({
    id: destination.id,
    object: 'export_destination',
    deleted: true,
  })
  expect((await workspace.delete(path)).status).toBe(200)
  expect((await workspace.get(path)).status).toBe(404)
  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query('select secret_access_key, due_at from export_destinations where id = $1', [
      uuidOf(destination.id as Id<'export_destination'>),
    ]),
  )
  expect(rows).toEqual([{ secret_access_key: null, due_at: null }])
})

test('deleting a destination cancels its exports, and daily exports cannot be cancelled otherwise', async () => {
  const workspace = await newWorkspace()
  const destination = await createDestination(workspace, { bucket: 'no-such-bucket' })
  endDayOf(destination)
  await settle()
  const [failing] = await dailyExports(workspace, destination)
  expect(failing).toMatchObject({ status: 'uploading', upload: { error: { code: 'bucket_not_found' } } })
  expect((await workspace.post(`/exports/${failing.id}/cancel`)).body).toMatchObject({
    code: 'invalid_state',
  })
  expect((await workspace.get('/exports')).body.data).toEqual([])

  await workspace.delete(`/export-destinations/${destination.id}`)
  await settle()
  expect((await workspace.get(`/exports/${failing.id}`)).body).toMatchObject({
    status: 'cancelled',
    file: null,
  })
})

// biome-ignore format: a table.
test.each([
  [{ endpoint_url: 'http://169.254.169.254' },                   'url_not_allowed'],
  [{ endpoint_url: 'https://10.0.0.1' },                         'url_not_allowed'],
  [{ endpoint_url: 'https://user:pass@storage.example.com' },    'url_not_allowed'],
  [{ endpoint_url: 'https://storage.example.com/bucket' },       'url_not_allowed'],
  [{ endpoint_url: 'https://storage.example.com?x=1' },          'url_not_allowed'],
  [{ bucket: '../other' },                                       'invalid_request'],
  [{ prefix: '../other' },                                       'invalid_request'],
  [{ prefix: 'a/../../other' },                                  'invalid_request'],
  [{ prefix: 'a//b' },                                           'invalid_request'],
  [{ prefix: 'a/%2e%2e/b' },                                     'invalid_request'],
  [{ region: 'eu/central' },                                     'invalid_request'],
  [{ of: ['settlement_imports'] },                               'invalid_request'],
  [{ format: 'datev' },                                          'invalid_request'],
])('%j is rejected', async (members, code) => {
  const workspace = await newWorkspace()
  const { body } = await workspace.post('/export-destinations', {
    ...storage.destination, of: ['payments'], format: 'csv', ...members,
  })
  expect(body).toMatchObject({ code })
})

test('settlement lines are exported on the day of their last change, and those of incomplete uploads are not', async () => {
  const workspace = await newWorkspace()
  const destination = await createDestination(workspace, { of: ['settlement_lines'] })
  const payment = await pay(workspace)
  await importAmounts(workspace, payment.provider_account_id, ['12.99', '3.00', '5.00', '7.00', '9.00'])
  await settle()
  const { data: listed } = (await workspace.get('/settlement-lines?status=missing_here')).body
  expect(listed).toHaveLength(4)
  // As if one line had been imported by an earlier version, one had changed yesterday, and one belonged to an incomplete upload.
  await asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('alter table settlement_lines disable trigger settlement_lines_are_dated')
    await client.query('update settlement_lines set changed_on = null where amount = 300')
    await client.query("update settlement_lines set changed_on = '2026-01-31' where amount = 500")
    await client.query('alter table settlement_lines enable trigger settlement_lines_are_dated')
    await client.query("update settlement_lines set status = 'pending' where amount = 700")
  })
  endDayOf(destination)
  await settle()

  const [exported] = (await dailyExports(workspace, destination)).filter(
    ({ from }: { from: string }) => from === destination.next_day,
  )
  expect(exported).toMatchObject({ of: 'settlement_lines', status: 'completed', rows: 2 })
  const files = await readFiles(exported)
  const lines = parseCsv(String(files?.content)).map(({ amount, status }) => `${amount} ${status}`)
  expect(lines.toSorted()).toEqual(['1299 matched', '900 missing_here'])
  expect(files?.manifest.sums).toContainEqual({ column: 'amount', currency: 'eur', amount: '2199' })

  // Resolving a line sets its day of change, even if the line had none.
  const unchanged = listed.find(({ amount }: { amount: number }) => amount === 300)
  const resolution = { resolution: 'ignored', note: 'Known.' }
  expect((await workspace.post(`/settlement-lines/${unchanged.id}/resolve`, resolution)).status).toBe(200)
  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      "select changed_on = to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as is_today from settlement_lines where amount = 300",
    ),
  )
  expect(rows).toEqual([{ is_today: true }])
})

async function importAmounts(workspace: Workspace, accountId: string, amounts: readonly string[]) {
  const { body } = await workspace.post('/settlement-imports', {
    provider_account_id: accountId,
    format: 'csv',
    mapping: { columns: { id: 'id', created_at: 'at', currency: 'currency', gross: 'gross' } },
  })
  const at = new Date().toISOString().slice(0, 10)
  const lines = amounts.map((gross, index) => `txn_${index},${at},eur,${gross}`)
  const content = `id,at,currency,gross\n${lines.join('\n')}\n`
  const headers = { 'content-type': 'text/csv' }
  const uploaded = await workspace.put(`/settlement-imports/${body.id}/content`, content, { headers })
  expect(uploaded.status, JSON.stringify(uploaded.body)).toBe(200)
}

test('a stored secret is not used with another endpoint or key', async () => {
  const workspace = await newWorkspace()
  const { id } = await createDestination(workspace)
  for (const change of [{ endpoint_url: 'https://attacker.example.com' }, { access_key_id: 'ANOTHER' }]) {
    const { status, body } = await workspace.put(`/export-destinations/${id}`, change)
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ pointer: '/secret_access_key', code: 'required' }])
  }
})

test('live destinations cannot be on this machine, and a workspace cannot see destinations of others', async () => {
  const [workspace, other, live] = [await newWorkspace(), await newWorkspace(), await newWorkspace('live')]
  const body = { ...storage.destination, of: ['payments'], format: 'csv' }
  expect((await live.post('/export-destinations', body)).body).toMatchObject({ code: 'url_not_allowed' })

  const destination = await createDestination(workspace)
  expect((await other.get(`/export-destinations/${destination.id}`)).status).toBe(404)
  expect((await other.get('/export-destinations')).body.data).toEqual([])
  expect((await other.get(`/exports?export_destination_id=${destination.id}`)).body.data).toEqual([])
})
