// The text fields of evidence: encrypted in the database, not in events, and deleted 180 days after the dispute has
// ended.

import { expect, test } from 'vitest'
import { reportDispute } from '../../../../test/support/disputes.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { createToken, eventTypesOf } from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const { deps, clock, databaseUrl } = switchyard

const evidence = { explanation: 'Ada Lovelace received the parcel.', customer_email: 'ada@example.com' }

type Disputed = {
  readonly workspace: Workspace
  readonly id: string
  readonly path: string
  readonly report: (status: 'won' | 'lost' | 'needs_response', stage?: 'pre_arbitration') => Promise<string>
}

async function disputeWithEvidence(): Promise<Disputed> {
  const workspace = await switchyard.newWorkspace()
  const token = await createToken(workspace)
  const { body: payment } = await workspace.post('/payments', { amount: 1299, currency: 'eur', token })
  const report: Disputed['report'] = (status, stage) =>
    reportDispute(deps, workspace.workspaceId, payment.id, {
      providerReference: `dp_${payment.id}`,
      status,
      ...(stage === undefined ? {} : { stage }),
    })
  const id = await report('needs_response')
  const path = `/disputes/${id}`
  const { status } = await workspace.put(path, { evidence })
  expect(status).toBe(200)
  return { workspace, id, path, report }
}

const readEvidence = async ({ workspace, path }: Disputed) => (await workspace.get(path)).body.evidence

async function passDays(days: number): Promise<void> {
  clock.advance({ days })
  await switchyard.settle()
}

/** The rows of a table as text, with binary values in hexadecimal and as UTF-8. */
const rowsOf = (table: string, condition: string) =>
  asOwner(databaseUrl, async (client) => {
    await client.query(`alter table ${table} no force row level security`)
    const { rows } = await client.query(`select * from ${table} where ${condition}`)
    await client.query(`alter table ${table} force row level security`)
    return rows.map((row: object) =>
      Object.values(row)
        .map((value) => (Buffer.isBuffer(value) ? value.toString() : JSON.stringify(value)))
        .join('\n'),
    )
  })

test('text fields are in responses and lists, and neither their row nor their events contain them in plaintext', async () => {
  const dispute = await disputeWithEvidence()
  const { workspace, id, path } = dispute
  await workspace.post(`${path}/submit`)
  const uuid = uuidOf(id as Id<'dispute'>)
  const stored = [
    ...(await rowsOf('disputes', `id = '${uuid}'`)),
    ...(await rowsOf('events', `object_id = '${uuid}'`)),
  ]

  expect(await readEvidence(dispute)).toMatchObject(evidence)
  expect((await workspace.get('/disputes')).body.data[0].evidence).toMatchObject(evidence)
  expect(stored.length).toBeGreaterThan(2)
  expect(stored.filter((text) => /Ada Lovelace|ada@example/.test(text))).toEqual([])
  const { data } = (await workspace.get(`/events?object_id=${id}`)).body
  const objects = data.map((event: { data: string }) => JSON.parse(event.data).object)
  expect(objects.map((object: { evidence: unknown }) => object.evidence)).toEqual(data.map(() => null))
})

test('a ciphertext that was copied to another dispute cannot be decrypted', async () => {
  const [first, second] = [await disputeWithEvidence(), await disputeWithEvidence()]
  await asOwner(databaseUrl, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query('alter table disputes no force row level security')
    await client.query(
      'update disputes set evidence_sealed = (select evidence_sealed from disputes where id = $1) where id = $2',
      [uuidOf(first.id as Id<'dispute'>), uuidOf(second.id as Id<'dispute'>)],
    )
    await client.query('alter table disputes force row level security')
  })

  expect((await second.workspace.get(second.path)).status).toBe(500)
  expect(await readEvidence(first)).toMatchObject(evidence)
})

test('text fields are deleted 180 days after the dispute has ended, without an event', async () => {
  const dispute = await disputeWithEvidence()
  await passDays(200)
  expect(await readEvidence(dispute)).toMatchObject(evidence)
  await dispute.report('lost')
  const events = await eventTypesOf(dispute.workspace, dispute.id)

  await passDays(179)
  expect(await readEvidence(dispute)).toMatchObject(evidence)
  await passDays(1)
  expect(await readEvidence(dispute)).toMatchObject({ explanation: null, customer_email: null })
  expect(await eventTypesOf(dispute.workspace, dispute.id)).toEqual(events)
})

test('text fields are kept if a won dispute is contested again', async () => {
  const dispute = await disputeWithEvidence()
  await dispute.report('won')
  await passDays(100)
  await dispute.report('needs_response', 'pre_arbitration')

  await passDays(200)
  expect(await readEvidence(dispute)).toMatchObject(evidence)
})

test('removing the last text field leaves nothing stored', async () => {
  const dispute = await disputeWithEvidence()
  const none = { explanation: null, customer_email: null }
  await dispute.workspace.put(dispute.path, { evidence: none })

  expect(await readEvidence(dispute)).toMatchObject(none)
  const { status, body } = await dispute.workspace.post(`${dispute.path}/submit`)
  expect([status, body.code]).toEqual([409, 'evidence_invalid'])
})

test('text fields that were stored before encryption was introduced can be read, and the next change encrypts them', async () => {
  const dispute = await disputeWithEvidence()
  const uuid = uuidOf(dispute.id as Id<'dispute'>)
  await asOwner(databaseUrl, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query('alter table disputes no force row level security')
    await client.query('update disputes set evidence = $1, evidence_sealed = null where id = $2', [
      JSON.stringify(evidence),
      uuid,
    ])
    await client.query('alter table disputes force row level security')
  })

  expect(await readEvidence(dispute)).toMatchObject(evidence)
  await dispute.workspace.put(dispute.path, { evidence: { shipping_carrier: 'DHL' } })
  expect(await readEvidence(dispute)).toMatchObject({ ...evidence, shipping_carrier: 'DHL' })
  const [stored = ''] = await rowsOf('disputes', `id = '${uuid}'`)
  expect(stored).not.toMatch(/Ada Lovelace|DHL/)
})
