// Fifty concurrent requests on one payment, to two servers. Captures never exceed the authorized amount and
// refunds never exceed the captured amount. The ledger of the simulator confirms it.

import { expect, test, vi } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import {
  type ApiResponse,
  switchyardForThisFile,
  type Workspace,
} from '../../../../test/support/switchyard.ts'

vi.setConfig({ testTimeout: 60_000 })

const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
const ledger = openLedger(simulator.url)
const overrides = { limits: { providerMs: 3_000, requestMs: 30_000 } }
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url }, overrides })
/** A second server on the same database. */
const otherServer = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url, DATABASE_URL: switchyard.databaseUrl },
  overrides,
})

const requestCount = 50
const approvedCard = '4242424242424242'

async function createPayment({ post }: Workspace, members: object = {}, number = approvedCard) {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const { status, body } = await post('/payments', {
    amount: 1000,
    currency: 'eur',
    token: token.id,
    ...members,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

/** Sends all requests concurrently, alternating between the two servers. */
function sendConcurrently(
  { token }: Workspace,
  call: (nth: number) => [path: string, body: object],
): Promise<ApiResponse[]> {
  const servers = [switchyard, otherServer]
  return Promise.all(
    Array.from({ length: requestCount }, (_, nth) => {
      const [path, body] = call(nth)
      const server = servers[nth % servers.length] ?? switchyard
      return server.call('test', 'POST', path, body, { token })
    }),
  )
}

const statusesOf = (responses: readonly ApiResponse[]) =>
  [...new Set(responses.map(({ status }) => status))].sort()
const successful = (responses: readonly ApiResponse[]) => responses.filter(({ status }) => status < 300)

/** Waits until no operation is in progress, and expects that the amounts match the ledger. */
async function waitForOutcomes({ get }: Workspace, id: string) {
  // Operations that timed out because of the load are checked again later.
  for (const seconds of [3, 12, 65, 305, 905, 3605]) {
    switchyard.clock.advance({ seconds })
    await switchyard.settle()
  }
  const { body } = await get(`/payments/${id}`)
  await ledger.expectMatch(body)
  return body
}

test('of fifty concurrent full captures one succeeds, and the others are rejected', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await createPayment(workspace, { capture_method: 'manual' })

  const responses = await sendConcurrently(workspace, () => [`/payments/${id}/capture`, {}])

  expect(successful(responses)).toHaveLength(1)
  expect(statusesOf(responses)).toEqual([200, 409])
  expect(await waitForOutcomes(workspace, id)).toMatchObject({
    status: 'succeeded',
    amount_captured: 1000,
    amount_capturable: 0,
    summary: '€10.00 charged to Visa •••• 4242.',
  })
})

test('fifty concurrent partial captures never exceed the authorized amount', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await createPayment(workspace, { capture_method: 'manual' })

  const responses = await sendConcurrently(workspace, () => [
    `/payments/${id}/capture`,
    { amount: 300, final: false },
  ])

  const captures = successful(responses).length
  expect(captures).toBeGreaterThanOrEqual(1)
  expect(captures).toBeLessThanOrEqual(3)
  const payment = await waitForOutcomes(workspace, id)
  expect(payment).toMatchObject({ amount_captured: captures * 300, amount_capturable: 1000 - captures * 300 })
})

test('fifty concurrent refunds never exceed the captured amount', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await createPayment(workspace)

  const responses = await sendConcurrently(workspace, () => ['/refunds', { payment_id: id, amount: 30 }])

  expect(successful(responses)).toHaveLength(33)
  expect(statusesOf(responses)).toEqual([201, 400])
  expect(await waitForOutcomes(workspace, id)).toMatchObject({
    status: 'succeeded',
    amount_refunded: 990,
    amount_refunding: 0,
    summary: '€10.00 charged to Visa •••• 4242. €9.90 refunded.',
  })
  const { body: refunds } = await workspace.get(`/refunds?payment_id=${id}&limit=100`)
  expect(refunds.data).toHaveLength(33)
})

test('fifty concurrent refunds with unknown outcomes never exceed the captured amount', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await createPayment(workspace, {}, cardNumberForScenario('6006'))

  const responses = await sendConcurrently(workspace, () => ['/refunds', { payment_id: id, amount: 400 }])

  expect(successful(responses).map(({ body }) => body.status)).toEqual(['pending', 'pending'])
  expect((await workspace.get(`/payments/${id}`)).body).toMatchObject({ amount_refunding: 800 })
  expect(await waitForOutcomes(workspace, id)).toMatchObject({ amount_refunded: 800, amount_refunding: 0 })
})

test('with concurrent captures and cancellations, either one capture or one cancellation succeeds', async () => {
  for (const capturesFirst of [0, 1]) {
    const workspace = await switchyard.newWorkspace()
    const { id } = await createPayment(workspace, { capture_method: 'manual' })

    await sendConcurrently(workspace, (nth) => [
      `/payments/${id}/${nth % 2 === capturesFirst ? 'capture' : 'cancel'}`,
      {},
    ])

    const payment = await waitForOutcomes(workspace, id)
    const { voided } = await ledger.fetchTotals(id)
    expect([
      { status: 'succeeded', amount_captured: 1000, voided: 0 },
      { status: 'cancelled', amount_captured: 0, voided: 1000 },
    ]).toContainEqual({ status: payment.status, amount_captured: payment.amount_captured, voided })
    expect(payment.amount_capturable).toBe(0)
  }
})

test('with concurrent captures, refunds and cancellations, refunds never exceed captures, and captures never exceed the authorization', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await createPayment(workspace, { capture_method: 'manual' })
  const calls = [
    [`/payments/${id}/capture`, { amount: 200, final: false }],
    ['/refunds', { payment_id: id, amount: 150 }],
    [`/payments/${id}/capture`, { amount: 200, final: false }],
    ['/refunds', { payment_id: id, amount: 90 }],
    [`/payments/${id}/cancel`, {}],
  ] as const

  // Capture a part first, so that the following rounds have something to refund.
  await workspace.post(`/payments/${id}/capture`, { amount: 200, final: false })
  for (let round = 0; round < 3; round += 1) {
    const responses = await sendConcurrently(workspace, (nth) => {
      const [path, body] = calls[(nth + round) % calls.length] ?? calls[0]
      return [path, body]
    })
    expect(statusesOf(responses).filter((status) => status >= 500)).toEqual([])
  }

  const payment = await waitForOutcomes(workspace, id)
  expect(['succeeded', 'requires_capture', 'cancelled']).toContain(payment.status)
  expect(payment.amount_captured).toBeGreaterThanOrEqual(200)
  expect(payment.amount_captured + payment.amount_capturable).toBeLessThanOrEqual(1000)
  expect(payment.amount_refunding).toBe(0)

  // Captured amounts can be refunded after the remaining authorization was voided.
  const refundable = payment.amount_captured - payment.amount_refunded
  const rest = await workspace.post('/refunds', { payment_id: id })
  expect(rest.body).toMatchObject({ amount: refundable, status: 'succeeded' })
  const after = await waitForOutcomes(workspace, id)
  expect(after.amount_refunded).toBe(payment.amount_captured)
})
