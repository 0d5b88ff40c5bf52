// Every test card, used by a merchant that follows the protocol: it repeats requests whose outcome is
// unknown, and tries another account only with proof that nothing happened. The expected outcomes are in the
// table of cards.

import { afterAll, expect, test } from 'vitest'
import { cardNumberForScenario, scenarioOfNumber } from '../src/cards.ts'
import { startSimulator, type TestCard, testCards } from '../src/index.ts'
import type { OperationRecord } from '../src/protocol.ts'
import {
  charge,
  controlOf,
  type Members,
  type Merchant,
  newMerchant,
  operationOn,
} from './support/merchant.ts'

const simulator = await startSimulator()
afterAll(() => simulator.stop())
const control = controlOf(simulator.url)

const cardNamed = (scenario: string) => testCards.find((card) => card.scenario === scenario) as TestCard

test.each(testCards)('$number ($scenario): $behaviour', async ({ number, followUp, outcome }) => {
  const [firstMerchant, secondMerchant] = [await newMerchant(simulator.url), await newMerchant(simulator.url)]
  const isManualCapture = followUp === 'capture' || followUp === 'void'
  const request = charge(number, { capture: !isManualCapture })

  const first = await resolveOutcome(firstMerchant, request)
  const secondAttempt = { ...request, reference: `${request.reference}-2` }
  const paid =
    outcome.approvedBy === 'another_account' ? await resolveOutcome(secondMerchant, secondAttempt) : first
  const followUpResult = await runFollowUp(firstMerchant, followUp, request)

  expect(paymentOutcome(paid, followUpResult, request)).toMatchObject({
    payment: outcome.payment,
    ...(outcome.code === undefined ? {} : { code: outcome.code }),
    ...(outcome.refund === undefined ? {} : { refund: outcome.refund }),
  })
  if (outcome.approvedBy === 'another_account')
    expect(first?.status ?? 'rejected').toMatch(/rejected|declined/)
  const { sums } = (await control('GET', `sums?payment_id=${request.payment_id}`)) as {
    sums: { approvals: number }[]
  }
  expect(sums.reduce((total, { approvals }) => total + approvals, 0)).toBe(outcome.approvals)
})

/** The final outcome for the merchant. Null: a response without a record proved that nothing was processed. */
async function resolveOutcome(merchant: Merchant, request: Members): Promise<OperationRecord | null> {
  const reference = request.reference as string
  const scenario = scenarioOfNumber((request.instrument as { number: string } | null)?.number ?? '') ?? ''
  if (scenario === '5011') return putWithLateResponse(merchant, request)
  await merchant.putWithoutResponse(request)
  // The first response may have been lost, so only the response to a repeat is checked.
  const { status, body } = await merchant.put(request)
  if ((status === 429 || status === 503) && body.processed === false) return null
  if (body.status === 'action_required') await completeChallenge(merchant, body)
  if (body.status !== 'pending' && body.status !== 'action_required') return body
  await merchant.advance(30 * 60_000)
  return (await merchant.lookUp(reference)).body
}

async function putWithLateResponse(merchant: Merchant, request: Members): Promise<OperationRecord> {
  const sent = merchant.put(request)
  await merchant.waitForCalls(1, ({ answer }) => answer !== null)
  await merchant.advance(20_000)
  return (await sent).body
}

async function completeChallenge(merchant: Merchant, { reference, action }: OperationRecord): Promise<void> {
  const form = action?.type === 'form' ? { method: 'POST', body: new URLSearchParams(action.fields) } : {}
  const response = await fetch(`${action?.url}?auto`, { ...form, redirect: 'manual' })
  const location = response.headers.get('location')
  if (location === null) return
  await merchant.complete(reference, Object.fromEntries(new URL(location).searchParams))
}

async function runFollowUp(
  merchant: Merchant,
  followUp: TestCard['followUp'],
  payment: { reference: string; payment_id: string },
) {
  if (followUp !== 'capture' && followUp !== 'void' && followUp !== 'refund') return null
  return { kind: followUp, record: await resolveOutcome(merchant, operationOn(followUp, payment)) }
}

function paymentOutcome(
  paid: OperationRecord | null,
  followUpResult: { kind: string; record: OperationRecord | null } | null,
  { amount }: { amount: number },
) {
  if (paid?.status !== 'succeeded') return { payment: 'failed', code: paid?.decline?.code }
  if (paid.amount !== amount) return { payment: 'processing' }
  const hasSucceeded = followUpResult?.record?.status === 'succeeded'
  if (followUpResult?.kind === 'refund')
    return { payment: 'succeeded', refund: hasSucceeded ? 'succeeded' : 'failed' }
  if (followUpResult !== null && !hasSucceeded) return { payment: 'requires_capture' }
  return { payment: followUpResult?.kind === 'void' ? 'cancelled' : 'succeeded' }
}

// biome-ignore format: a table.
test.each([
  ['decline:51', '4000000000510000'],
  ['5004',       '4000000050040007'],
  ['advice:03',  '5200000000030004'],
])('the number of %s is %s', (scenario, number) => {
  expect(cardNamed(scenario).number).toBe(number)
  expect(scenarioOfNumber(number)).toBe(scenario)
})

test('the table contains every scenario, and each number only once', () => {
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `${from + at}`)
  const scenarios = testCards.map(({ scenario }) => scenario)

  expect(scenarios).toEqual(
    expect.arrayContaining([
      ...range(3000, 3005),
      ...range(5001, 5021),
      ...range(6001, 6009),
      ...range(7001, 7003),
    ]),
  )
  expect(new Set(testCards.map(({ number }) => number)).size).toBe(testCards.length)
})

test.each(['4111111111111111', '4000000050040008', '4000000077770000', '4000000000000002', 'abc', ''])(
  '%j is not a test card',
  async (number) => {
    const merchant = await newMerchant(simulator.url)

    expect(scenarioOfNumber(number)).toBeNull()
    expect((await merchant.put(charge(number))).body).toMatchObject({
      status: 'declined',
      decline: { code: 'invalid_number' },
    })
  },
)

test('a decline has a network code and advice', async () => {
  const merchant = await newMerchant(simulator.url)
  const declineOf = async (scenario: string) =>
    (await merchant.put(charge(cardNamed(scenario).number))).body.decline

  expect(await declineOf('decline:51')).toMatchObject({ code: 'insufficient_funds', network_code: '51' })
  expect(await declineOf('advice:21')).toMatchObject({ code: 'recurring_stopped', advice_code: '21' })
  expect(await declineOf('advice:24')).toMatchObject({
    code: 'insufficient_funds',
    network_code: '51',
    advice_code: '24',
  })
})

test('an unknown network code is a generic decline', async () => {
  const merchant = await newMerchant(simulator.url)
  const { body } = await merchant.put(charge(cardNumberForScenario('0077')))
  expect(body.decline).toMatchObject({ code: 'generic_decline', network_code: '77' })
})

test('a token keeps the scenario of its card', async () => {
  const merchant = await newMerchant(simulator.url)
  const stored = charge(cardNumberForScenario('6004'), { stored_credential: { use: 'first' } })
  const { token } = (await merchant.put(stored)).body
  const payment = charge('', { instrument: { type: 'token', token } })
  await merchant.put(payment)

  expect((await merchant.put(operationOn('refund', payment))).body).toMatchObject({ status: 'declined' })
})

test('a merchant-initiated payment succeeds without authentication', async () => {
  const merchant = await newMerchant(simulator.url)
  const { body } = await merchant.put(charge(cardNumberForScenario('3000'), { initiator: 'merchant' }))
  expect(body.status).toBe('succeeded')
})

test('a card that would be approved is authenticated if the merchant requires it', async () => {
  const merchant = await newMerchant(simulator.url)
  const { body } = await merchant.put(charge(undefined, { three_d_secure: 'required' }))
  expect(body.status).toBe('action_required')
})

test('a script runs step by step for one customer, at any account, and its last step repeats', async () => {
  const [firstMerchant, secondMerchant] = [await newMerchant(simulator.url), await newMerchant(simulator.url)]
  const scripted = (id: string) =>
    charge(undefined, { metadata: { simulate: 'decline:51 x2, decline:R0,approve' }, customer: { id } })
  const statusOf = async (merchant: Merchant, request: Members) => {
    const { body } = await merchant.put(request)
    return body.decline?.network_code ?? body.status
  }
  const repeated = scripted('ada')

  expect(await statusOf(firstMerchant, repeated)).toBe('51')
  expect(await statusOf(firstMerchant, repeated)).toBe('51')
  expect(await statusOf(secondMerchant, scripted('ada'))).toBe('51')
  expect(await statusOf(firstMerchant, scripted('ada'))).toBe('R0')
  expect(await statusOf(firstMerchant, scripted('ben'))).toBe('51')
  expect(await statusOf(firstMerchant, scripted('ada'))).toBe('succeeded')
  expect(await statusOf(secondMerchant, scripted('ada'))).toBe('succeeded')
})
