// Uploading files, attaching them to disputes, sending them to providers, and deleting them.

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createCardToken, createEmulatedAccount } from '../../../../test/support/emulated-accounts.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { createToken } from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const simulatorLedger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

const pdf = (text = 'A receipt.') => Buffer.from(`%PDF-1.7\n${text}`)
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])

const upload = ({ post }: Pick<Workspace, 'post'>, content: Buffer, members: object = {}) =>
  post('/files', {
    purpose: 'receipt',
    name: 'receipt.pdf',
    content: content.toString('base64'),
    ...members,
  })

async function openDispute(provider?: string) {
  const workspace = await switchyard.newWorkspace()
  const emulated = provider === undefined ? null : await createEmulatedAccount(workspace, provider)
  const token =
    emulated === null
      ? await createToken(workspace)
      : await createCardToken(emulated, { number: '4242424242424242', scenario: 'approve' })
  const { body: payment } = await workspace.post('/payments', { amount: 1299, currency: 'eur', token })
  const account = payment.provider_account_id
  const body = JSON.stringify({ parent_reference: `${payment.id.slice(-26)}-1` })
  const response = await fetch(`${simulator.url}/control/${account}/disputes`, { method: 'POST', body })
  expect(response.status).toBe(200)
  const { id: reference } = (await response.json()) as { id: string }
  await simulatorLedger.flush(account)
  await switchyard.settle()
  const { body: disputes } = await workspace.get(`/disputes?payment_id=${payment.id}`)
  return { workspace, account, reference, path: `/disputes/${disputes.data[0].id}` }
}

test.each([
  ['application/pdf', pdf()],
  ['image/png', png],
  ['image/jpeg', jpeg],
])('a file of type %s is recognized by its content', async (content_type, content) => {
  const workspace = await switchyard.newWorkspace()
  const { status, body } = await upload(workspace, content, { name: 'anything.txt' })

  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.stringMatching(/^file_test_/),
    object: 'file',
    purpose: 'receipt',
    name: 'anything.txt',
    content_type,
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    dispute_id: null,
    delete_at: '2026-11-21T12:00:00.000Z',
    created_at: '2026-11-14T12:00:00.000Z',
  })
  expect((await workspace.get(`/files/${body.id}`)).body).toEqual(body)
})

test('other files, wrong encodings and files above 5 MB are refused', async () => {
  const workspace = await switchyard.newWorkspace()
  const largest = Buffer.concat([pdf(), Buffer.alloc(5 * 1024 * 1024 - pdf().length, 65)])
  expect((await upload(workspace, largest)).status).toBe(201)
  const refused = [
    await upload(workspace, Buffer.from('MZ an executable')),
    await upload(workspace, pdf(), { content: 'JVBERi0xLjcK=' }),
    await upload(workspace, pdf(), { content: 'JVBERi0 LjcK' }),
    await upload(workspace, Buffer.concat([largest, Buffer.from('A')])),
  ]
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
    Array(4).fill([400, 'invalid_request']),
  )
  const tooLarge = await upload(workspace, Buffer.concat([largest, Buffer.alloc(8_192, 65)]))
  expect([tooLarge.status, tooLarge.body.code]).toEqual([413, 'body_too_large'])
})

test('a large body with many members is refused before it is parsed, and other operations keep their limit', async () => {
  const workspace = await switchyard.newWorkspace()
  const hostile = `[${Array.from({ length: 900 }, () => `[${'1,'.repeat(900)}1]`).join(',')}]`
  const { status, body } = await workspace.post('/files', undefined, { raw: hostile })
  expect([status, body.code]).toEqual([400, 'invalid_json'])
  expect(body.detail).toContain('few members')
  const other = await workspace.post('/customers', { name: 'x'.repeat(300_000) })
  expect([other.status, other.body.code]).toEqual([413, 'body_too_large'])
})

test('the content is stored encrypted', async () => {
  const workspace = await switchyard.newWorkspace()
  await upload(workspace, pdf('A name that must not be readable.'))
  await asOwner(switchyard.databaseUrl, async (client) => {
    const { rows } = await client.query('select sealed from files')
    const stored = Buffer.concat(rows.map(({ sealed }) => sealed)).toString('latin1')
    expect(stored).not.toContain('JVBERi')
    expect(stored).not.toContain('readable')
  })
})

test('files are attached to one dispute, at most ten, and kept until 180 days after its end', async () => {
  const { workspace, account, reference, path } = await openDispute()
  const [kept, dropped] = [
    (await upload(workspace, pdf('1'))).body.id,
    (await upload(workspace, pdf('2'))).body.id,
  ]
  await workspace.put(path, { file_ids: [kept, dropped] })
  expect((await workspace.get(`/files/${kept}`)).body).toMatchObject({ delete_at: null })
  const { body } = await workspace.put(path, { file_ids: [kept] })
  expect(body.file_ids).toEqual([kept])
  const tooMany = await workspace.put(path, {
    file_ids: Array.from({ length: 11 }, (_, at) => `file_test_${at}`),
  })
  expect(tooMany.status).toBe(400)
  const unknown = await workspace.put(path, { file_ids: ['file_test_01M7CYVGQTEAKSNTBFR026MPQ1'] })
  expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([400, '/file_ids/0'])

  switchyard.clock.advance({ days: 8 })
  await switchyard.settle()
  expect((await workspace.get(`/files/${dropped}`)).status).toBe(404)
  await fetch(`${simulator.url}/control/${account}/disputes`, {
    method: 'PUT',
    body: JSON.stringify({ id: reference, status: 'won' }),
  })
  await simulatorLedger.flush(account)
  await switchyard.settle()
  switchyard.clock.advance({ days: 179 })
  await switchyard.settle()
  expect((await workspace.get(`/files/${kept}`)).status).toBe(200)
  switchyard.clock.advance({ days: 2 })
  await switchyard.settle()
  expect((await workspace.get(`/files/${kept}`)).status).toBe(404)
})

const callsTo = async (account: string, part: string) =>
  (await simulator.listCalls(account)).filter(({ method, path }) => method !== 'GET' && path.includes(part))

test('files are uploaded to the simulator under their hash before the evidence is submitted', async () => {
  const { workspace, account, path } = await openDispute()
  const { body: file } = await upload(workspace, pdf())
  await workspace.put(path, { file_ids: [file.id] })

  expect((await workspace.post(`${path}/submit`)).body).toMatchObject({ status: 'under_review' })
  expect((await callsTo(account, '/files/')).map(({ path: called }) => called)).toEqual([
    `/${account}/files/${file.sha256}`,
  ])
  const [response] = await callsTo(account, '/response')
  const { sha256, name, purpose, content_type, size } = file
  expect(response?.body).toMatchObject({
    evidence: {},
    files: [{ sha256, name, purpose, content_type, size }],
  })
})

test('files are uploaded to stripe, one for each purpose', async () => {
  const { workspace, account, path } = await openDispute('stripe')
  const files = [(await upload(workspace, pdf('1'))).body.id, (await upload(workspace, png)).body.id]
  await workspace.put(path, { file_ids: files, evidence: { explanation: 'Delivered.' } })
  const refused = await workspace.post(`${path}/submit`)
  expect([refused.status, refused.body.code]).toEqual([409, 'evidence_invalid'])
  await workspace.put(path, {
    file_ids: [files[0], (await upload(workspace, png, { purpose: 'other' })).body.id],
  })

  expect((await workspace.post(`${path}/submit`)).body).toMatchObject({ status: 'under_review' })
  expect(await callsTo(account, '/v1/files')).toHaveLength(2)
})

test('a document is uploaded to adyen, and the dispute is defended or accepted', async () => {
  const [defended, accepted] = [await openDispute('adyen'), await openDispute('adyen')]
  const { workspace, account, path } = defended
  const refusalOf = async (body: object) => {
    await workspace.put(path, body)
    return (await workspace.post(`${path}/submit`)).body.detail
  }
  const { body: image } = await upload(workspace, png)
  const { body: document } = await upload(workspace, pdf())

  expect(await refusalOf({ evidence: { explanation: 'Delivered.' } })).toContain('only files')
  expect(await refusalOf({ evidence: { explanation: null }, file_ids: [image.id, document.id] })).toContain(
    'one document',
  )
  expect(await refusalOf({ file_ids: [image.id] })).toContain('PNG')
  await workspace.put(path, { file_ids: [document.id] })
  expect((await workspace.post(`${path}/submit`)).body).toMatchObject({ status: 'under_review' })
  expect(
    (await callsTo(account, 'DisputeService')).map(({ path: called }) => called.split('/').at(-1)),
  ).toEqual(['supplyDefenseDocument', 'defendDispute'])
  expect((await accepted.workspace.post(`${accepted.path}/accept`)).body).toMatchObject({ status: 'lost' })
})
