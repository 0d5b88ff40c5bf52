// Evidence, submitting it, accepting a dispute, and what happens if the provider's response is lost.

import { afterEach, expect, test } from 'vitest'
import { createCardToken, createEmulatedAccount } from '../../../../test/support/emulated-accounts.ts'
import { ledgerDifferences, postingsOf } from '../../../../test/support/ledger.ts'
import { createToken, eventTypesOf } from '../../../../test/support/payment-methods.ts'
import { createWebhookSender } from '../../../../test/support/provider-webhooks.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Crashpoint, watchCrashpoints } from '../../../platform/crashpoint.ts'

const simulator = await simulatorForThisFile()
const simulatorLedger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const provider = createWebhookSender(simulator, switchyard)
afterEach(() => watchCrashpoints(() => {}))

type Disputed = {
  readonly workspace: Workspace
  readonly account: string
  /** The path of the dispute. */
  readonly path: string
  readonly id: string
  readonly reference: string
  readonly charge: string
}

async function disputeAtProvider(account: string, method: 'POST' | 'PUT', members: object): Promise<string> {
  const url = `${simulator.url}/control/${account}/disputes`
  const response = await fetch(url, { method, body: JSON.stringify(members) })
  expect(response.status).toBe(200)
  await simulatorLedger.flush(account)
  await switchyard.settle()
  return ((await response.json()) as { id: string }).id
}

async function openDispute(members: object = {}): Promise<Disputed> {
  const workspace = await switchyard.newWorkspace()
  const token = await createToken(workspace)
  const { body: payment } = await workspace.post('/payments', { amount: 1299, currency: 'eur', token })
  const charge = `${payment.id.slice(-26)}-1`
  const account = payment.provider_account_id
  const reference = await disputeAtProvider(account, 'POST', { parent_reference: charge, ...members })
  const { body } = await workspace.get(`/disputes?payment_id=${payment.id}`)
  const { id } = body.data[0]
  return { workspace, account, path: `/disputes/${id}`, id, reference, charge }
}

const evidence = { explanation: 'The parcel was delivered on Monday.', shipping_tracking_number: 'JD014600' }
const addEvidence = ({ workspace, path }: Disputed) => workspace.put(path, { evidence })
const read = async ({ workspace, path }: Disputed) => (await workspace.get(path)).body
const submit = async ({ workspace, path }: Disputed) => (await workspace.post(`${path}/submit`)).body
const accept = async ({ workspace, path }: Disputed) => (await workspace.post(`${path}/accept`)).body
/** Requests about the dispute that change something, with the reference and the answer of each. */
const responsesTo = async ({ account }: Disputed) =>
  (await simulator.listCalls(account))
    .filter(({ method, path }) => method !== 'GET' && path.includes('/disputes/'))
    .map(({ body, answer }) => ({ ...(body as { reference: string }), answer }))
const expectLedgerToMatch = async ({ workspace }: Disputed) =>
  expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])

async function retry(seconds: number): Promise<void> {
  switchyard.clock.advance({ seconds })
  await switchyard.settle()
}

test('evidence is stored and can be changed until it is submitted', async () => {
  const dispute = await openDispute()
  const { workspace, path } = dispute
  const { status, body } = await workspace.put(path, { evidence: { ...evidence, customer_name: 'Ada' } })

  expect(status).toBe(200)
  expect(body.evidence).toMatchObject({ ...evidence, customer_name: 'Ada', access_log: null })
  const changed = await workspace.put(path, { evidence: { customer_name: null, shipping_carrier: 'DHL' } })
  expect(changed.body.evidence).toMatchObject({ ...evidence, customer_name: null, shipping_carrier: 'DHL' })
  await workspace.put(path, { evidence: { shipping_carrier: 'DHL' } })
  expect(await eventTypesOf(workspace, dispute.id)).toEqual([
    'dispute.created',
    'dispute.updated',
    'dispute.updated',
  ])
  expect((await workspace.put(path, { evidence: { alibi: 'x' } })).status).toBe(400)
  await submit(dispute)
  const late = await workspace.put(path, { evidence: { customer_name: 'Ada' } })
  expect([late.status, late.body.code]).toEqual([409, 'invalid_state'])
})

test('submitted evidence reaches the provider once, and the dispute is under review', async () => {
  const dispute = await openDispute()
  await addEvidence(dispute)

  expect(await submit(dispute)).toMatchObject({ status: 'under_review', amount_held: 1299 })
  expect(await submit(dispute)).toMatchObject({ status: 'under_review' })
  const reference = `${dispute.id.slice(-26)}-1`
  expect(await responsesTo(dispute)).toEqual([{ reference, evidence, files: [], answer: '200 plain' }])
  await simulatorLedger.flush(dispute.account)
  await switchyard.settle()
  expect(await read(dispute)).toMatchObject({ status: 'under_review', response_error: null })
  expect(await eventTypesOf(dispute.workspace, dispute.id)).toEqual([
    'dispute.created',
    'dispute.updated',
    'dispute.updated',
    'dispute.submitted',
  ])
  await disputeAtProvider(dispute.account, 'PUT', { id: dispute.reference, status: 'won' })
  expect(await read(dispute)).toMatchObject({ status: 'won', amount_held: 0 })
  await expectLedgerToMatch(dispute)
})

test('an accepted dispute is lost, once', async () => {
  const dispute = await openDispute({ fee: null })

  expect(await accept(dispute)).toMatchObject({
    status: 'lost',
    amount_held: 0,
    ended_at: expect.any(String),
  })
  await simulatorLedger.flush(dispute.account)
  await switchyard.settle()
  expect(await postingsOf(dispute.workspace, dispute.id)).toEqual([
    'dispute_withdrawn: disputes_held > clearing 1299',
    'dispute_lost: dispute_losses > disputes_held 1299',
  ])
  expect(await eventTypesOf(dispute.workspace, dispute.id)).toEqual([
    'dispute.created',
    'dispute.updated',
    'dispute.lost',
  ])
  const again = await dispute.workspace.post(`${dispute.path}/accept`)
  expect([again.status, again.body.code]).toEqual([409, 'invalid_state'])
  await expectLedgerToMatch(dispute)
})

test('an inquiry can be answered, but not accepted', async () => {
  const dispute = await openDispute({ stage: 'inquiry' })
  const { status, body } = await dispute.workspace.post(`${dispute.path}/accept`)

  expect([status, body.code]).toEqual([409, 'invalid_state'])
  expect(body.allowed_actions).toEqual(['submit'])
  await addEvidence(dispute)
  expect(await submit(dispute)).toMatchObject({ status: 'under_review', stage: 'inquiry' })
  await expectLedgerToMatch(dispute)
})

test('a refused response changes nothing but the error, and can be sent again', async () => {
  const dispute = await openDispute({ respond_by_at: '2020-01-01T00:00:00.000Z' })
  await addEvidence(dispute)
  const response_error = {
    code: 'provider_request_invalid',
    message: 'deadline_passed: The deadline for the response has passed.',
  }

  expect(await submit(dispute)).toMatchObject({ status: 'needs_response', response_error })
  expect(await accept(dispute)).toMatchObject({ status: 'needs_response', response_error })
  await disputeAtProvider(dispute.account, 'PUT', {
    id: dispute.reference,
    respond_by_at: '2036-01-01T00:00:00.000Z',
  })
  expect(await read(dispute)).toMatchObject({ response_error })
  expect(await submit(dispute)).toMatchObject({ status: 'under_review', response_error: null })
  const references = (await responsesTo(dispute)).map(({ reference }) => reference.slice(-2))
  expect(references).toEqual(['-1', '-2', '-3'])
  await expectLedgerToMatch(dispute)
})

test.each(['submit', 'accept'] as const)(
  'a request to %s whose result is unknown is repeated with the same reference until it is known',
  async (action) => {
    const dispute = await openDispute()
    await addEvidence(dispute)
    await simulator.configure(dispute.account, { outage: true, outage_manner: 'reset' })
    const status = action === 'submit' ? 'submitting' : 'accepting'

    expect((await dispute.workspace.post(`${dispute.path}/${action}`)).body).toMatchObject({ status })
    await retry(2)
    await retry(10)
    expect(await read(dispute)).toMatchObject({ status, response_error: null, amount_held: 1299 })
    await simulator.configure(dispute.account, { outage: false })
    await retry(60)
    expect(await read(dispute)).toMatchObject({ status: action === 'submit' ? 'under_review' : 'lost' })
    const references = (await responsesTo(dispute)).map(({ reference }) => reference)
    expect(references.length).toBeGreaterThan(1)
    expect(new Set(references).size).toBe(1)
    await expectLedgerToMatch(dispute)
  },
)

test('a check resends a response whose result is unknown', async () => {
  const dispute = await openDispute()
  await addEvidence(dispute)
  await simulator.configure(dispute.account, { outage: true, outage_manner: 'reset' })
  await submit(dispute)
  await simulator.configure(dispute.account, { outage: false })

  const { body } = await dispute.workspace.post(`${dispute.path}/check`)
  expect(body).toMatchObject({ status: 'under_review' })
})

test('a check reads the state of a dispute whose webhook was lost', async () => {
  const dispute = await openDispute()
  await simulator.configure(dispute.account, { webhooks: 'off' })
  await disputeAtProvider(dispute.account, 'PUT', { id: dispute.reference, status: 'won' })
  expect(await read(dispute)).toMatchObject({ status: 'needs_response' })

  const { status, body } = await dispute.workspace.post(`${dispute.path}/check`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ status: 'won', amount_held: 0 })
  await expectLedgerToMatch(dispute)
})

const crashes = (['submit', 'accept'] as const).flatMap((action) =>
  (['dispute.intended', 'dispute.answered', 'dispute.recorded'] as const).map((point) => ({ action, point })),
)

test.each(crashes)(
  '$action after a crash at $point has one effect at the provider',
  async ({ action, point }) => {
    const dispute = await openDispute()
    await addEvidence(dispute)
    crashAt(point)
    expect((await dispute.workspace.post(`${dispute.path}/${action}`)).status).toBe(500)
    watchCrashpoints(() => {})
    // The lease of the crashed process expires.
    await retry(71)

    const expected = { status: action === 'submit' ? 'under_review' : 'lost' }
    expect(await read(dispute)).toMatchObject(expected)
    expect((await responsesTo(dispute)).filter(({ answer }) => answer === '200 plain')).toHaveLength(1)
    await simulatorLedger.flush(dispute.account)
    await switchyard.settle()
    expect(await read(dispute)).toMatchObject(expected)
    await expectLedgerToMatch(dispute)
  },
)

/** Aborts the request at the first crash point of this name, as a crash would. */
function crashAt(point: Crashpoint): void {
  watchCrashpoints((name) => {
    if (name === point) throw new Error('crash')
  })
}

test('a report from before the response does not undo it', async () => {
  const dispute = await openDispute()
  await addEvidence(dispute)
  await submit(dispute)
  const { body: record } = await dispute.workspace.get(dispute.path)
  const report = (members: object) =>
    provider.sendCallback(dispute.account, {
      type: 'dispute.updated',
      dispute: {
        id: dispute.reference,
        parent_reference: dispute.charge,
        stage: 'chargeback',
        status: 'needs_response',
        amount: record.amount,
        currency: record.currency,
        reason: 'fraudulent',
        withdrawn: true,
        ...members,
      },
    })
  const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

  await report({ updated_at: minutesFromNow(-1) })
  await switchyard.settle()
  expect(await read(dispute)).toMatchObject({ status: 'under_review' })
  await report({ updated_at: minutesFromNow(1) })
  await switchyard.settle()
  expect(await read(dispute)).toMatchObject({ status: 'needs_response' })
})

test('a response to a provider that does not support responses is rejected, and nothing changes', async () => {
  const workspace = await switchyard.newWorkspace()
  const account = await createEmulatedAccount(workspace, 'mollie')
  const token = await createCardToken(account, { number: '4242424242424242', scenario: 'approve' })
  const { body: payment } = await workspace.post('/payments', { amount: 1299, currency: 'eur', token })
  const path = `/disputes/${await workspace.aDispute(payment.id)}`
  await workspace.put(path, { evidence })

  for (const action of ['submit', 'accept', 'check']) {
    const { status, body } = await workspace.post(`${path}/${action}`)
    expect([status, body.code]).toEqual([409, 'disputes_not_supported'])
  }
  expect((await workspace.get(path)).body.status).toBe('needs_response')
})

test('a dispute without evidence cannot be submitted', async () => {
  const { workspace, path } = await openDispute()
  const { status, body } = await workspace.post(`${path}/submit`)

  expect([status, body.code]).toEqual([409, 'evidence_invalid'])
})

test('two concurrent requests to respond send one response', async () => {
  const dispute = await openDispute()
  await addEvidence(dispute)
  const { post } = dispute.workspace
  const [submitted, accepted] = await Promise.all([
    post(`${dispute.path}/submit`),
    post(`${dispute.path}/accept`),
  ])

  expect([submitted.status, accepted.status].toSorted()).toEqual([200, 409])
  expect(await responsesTo(dispute)).toHaveLength(1)
  await expectLedgerToMatch(dispute)
})
