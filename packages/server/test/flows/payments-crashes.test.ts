// A process that is killed at any named crash point of a payment charges no payer twice and loses nothing:
// the next process continues the same payment, and a caller that repeats the request gets its response. The
// tests compare the payments with the ledger of the simulator.

import { expect, test } from 'vitest'
import { numberOfScenario } from '../../../simulator/src/cards.ts'
import type { Crashpoint } from '../../src/platform/crashpoint.ts'
import type { LedgerTotals } from '../support/simulator-ledger.ts'
import type { Workspace } from '../support/switchyard.ts'
import {
  duringProviderCall,
  fetchWhenReady,
  type Request,
  sendRequest,
  startPaymentInstallation,
} from './support/payment-installation.ts'

const {
  switchyard,
  ledger,
  start,
  crashDuringRequest,
  crashDuringWork,
  expireIdempotencyLeases,
  expireAllLeases,
  listOpenOperations,
  makeOnlyDue,
} = await startPaymentInstallation()

/**
 * A crash point, the state at the crash, and whether the provider's ledger contains the operation by then.
 */
type Point = readonly [name: Crashpoint | typeof duringProviderCall, state: string, isExecuted: boolean]

/** The crash points of a request that calls a provider. */
// biome-ignore format: a table.
const requestPoints: readonly Point[] = [
  ['payment.intended', 'the provider has not been called',                 false],
  [duringProviderCall,   'killed from outside: the provider executes the request after the crash', true],
  ['payment.answered', 'the provider has responded, and nothing is written', true],
  ['payment.recorded', 'the outcome is committed',                         true],
  ['reply.lost',       'the response is stored, but not sent',             true],
]
/** The crash points of a worker that looks up the outcome of an operation. */
// biome-ignore format: a table.
const resolverPoints: readonly Point[] = [
  ['work.received',    'the worker has received the message',              false],
  ['resolve.taken',    'the operation is taken over, under a new lease',   false],
  [duringProviderCall,   'killed from outside: the provider executes the repeated request after the crash', true],
  ['resolve.answered', 'the provider has responded, and nothing is written', true],
  ['resolve.recorded', 'the outcome is committed',                         true],
  ['work.handled',     'the work is handled, but not acknowledged',        true],
]
/** The crash points of a request in which a payer returns from the bank. */
// biome-ignore format: a table.
const payerPoints: readonly Point[] = [
  ['payer.returned',   'the return is committed, and the provider is not notified', false],
  ['payer.answered',   'the provider has responded, and nothing is written', true],
]

const amount = 1299

async function createToken({ post }: Workspace, number: string): Promise<string> {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
  return (await post('/tokens', { type: 'card', card })).body.id
}

async function createPayment(workspace: Workspace, number: string, members: object = {}) {
  const token = await createToken(workspace, number)
  return (await workspace.post('/payments', { amount, currency: 'eur', token, ...members })).body
}

const goodCard = '4242424242424242'

type CrashScenario = {
  readonly action: string
  readonly points: readonly Point[]
  /** The request, in a workspace that is set up for it. */
  readonly request: (workspace: Workspace) => Promise<Request>
  /** Whether the provider has executed it. */
  readonly isExecuted: (sums: LedgerTotals) => boolean
  /** The payment at the end. */
  readonly finalPayment: object
  /** The response to the repeated request. */
  readonly response: object
  /** The type of the event that reports it. */
  readonly eventType: string
}

const charged = { status: 'succeeded', amount_captured: amount, amount_capturable: 0, review: null }

const crashScenarios: readonly CrashScenario[] = [
  {
    action: 'creating',
    points: requestPoints,
    request: async (workspace) => ({
      path: '/payments',
      key: 'order-1',
      body: { amount, currency: 'eur', token: await createToken(workspace, goodCard) },
    }),
    isExecuted: ({ approvals }) => approvals === 1,
    finalPayment: { ...charged, summary: '€12.99 charged to Visa •••• 4242.' },
    response: { status: 201, body: { object: 'payment', status: 'succeeded' } },
    eventType: 'payment.succeeded',
  },
  {
    action: 'failing over to another account',
    // The first account has declined; the second attempt is committed, and its account has not received it.
    points: [['payment.recorded', 'the next attempt is committed', false]],
    request: async (workspace) => ({
      path: '/payments',
      key: 'order-1',
      body: { amount, currency: 'eur', token: await createToken(workspace, numberOfScenario('5008')) },
    }),
    isExecuted: ({ approvals }) => approvals === 1,
    finalPayment: { ...charged, summary: '€12.99 charged to Visa •••• 0003 after 2 attempts.' },
    response: { status: 201, body: { object: 'payment', status: 'succeeded', attempts_count: 2 } },
    eventType: 'payment.succeeded',
  },
  {
    action: 'capturing',
    points: requestPoints,
    request: async (workspace) => {
      const { id } = await createPayment(workspace, goodCard, { capture_method: 'manual' })
      return { path: `/payments/${id}/capture`, key: 'capture-1', body: {} }
    },
    isExecuted: ({ captured }) => captured === amount,
    finalPayment: { ...charged, summary: '€12.99 charged to Visa •••• 4242.' },
    response: { status: 200, body: { object: 'payment', status: 'succeeded', amount_captured: amount } },
    eventType: 'payment.succeeded',
  },
  {
    action: 'cancelling',
    points: requestPoints,
    request: async (workspace) => {
      const { id } = await createPayment(workspace, goodCard, { capture_method: 'manual' })
      return { path: `/payments/${id}/cancel`, key: 'cancel-1', body: {} }
    },
    isExecuted: ({ voided }) => voided === amount,
    finalPayment: {
      status: 'cancelled',
      amount_captured: 0,
      amount_capturable: 0,
      review: null,
      summary: 'Payment cancelled. Nothing was charged to Visa •••• 4242.',
    },
    response: { status: 200, body: { object: 'payment', status: 'cancelled' } },
    eventType: 'payment.cancelled',
  },
  {
    action: 'refunding',
    points: requestPoints,
    request: async (workspace) => {
      const { id } = await createPayment(workspace, goodCard)
      return { path: '/refunds', key: 'refund-1', body: { payment_id: id, amount: 500 } }
    },
    isExecuted: ({ refunded }) => refunded === 500,
    finalPayment: {
      ...charged,
      amount_refunded: 500,
      amount_refunding: 0,
      summary: '€12.99 charged to Visa •••• 4242. €5.00 refunded.',
    },
    response: { status: 201, body: { object: 'refund', status: 'succeeded', amount: 500 } },
    eventType: 'payment.updated',
  },
]

test.each(crashScenarios)(
  'killed at every point while $action: executed once, one event, and a repeat gets the response',
  {
    timeout: 180_000,
  },
  async ({ points, request, isExecuted, finalPayment, response, eventType }) => {
    const crashes = await Promise.all(
      points.map(async ([point, , isExecutedBefore]) => {
        const workspace = await switchyard.newWorkspace()
        const sent = await request(workspace)
        const events = await countEvents(workspace, eventType)
        await crashDuringRequest(point, workspace, sent)
        const { id } = await onlyPayment(workspace)
        expect(isExecuted(await ledger.fetchTotals(id)), point).toBe(isExecutedBefore)
        return { workspace, sent, point, events }
      }),
    )

    await expireAllLeases()
    const healthy = await start('all')
    for (const { workspace, sent, point, events } of crashes) {
      await expect
        .poll(() => onlyPayment(workspace), { timeout: 20_000, message: point })
        .toMatchObject(finalPayment)
      const repeated = await sendRequest(healthy, workspace, sent)
      expect({ status: repeated.status, body: await repeated.json() }, point).toMatchObject(response)
      const payment = await onlyPayment(workspace)
      expect(isExecuted(await ledger.fetchTotals(payment.id)), point).toBe(true)
      await ledger.expectMatch(payment)
      expect(await listOpenOperations(workspace), point).toEqual([])
      // A refund updates its payment twice: when it starts and when it ends.
      expect((await countEvents(workspace, eventType)) - events, point).toBe(
        eventType === 'payment.updated' ? 2 : 1,
      )
    }
    await healthy.kill('SIGTERM')
  },
)

/** There must be exactly one payment. */
async function onlyPayment({ get }: Workspace) {
  const { data } = (await get('/payments')).body
  expect(data).toHaveLength(1)
  return data[0]
}

async function countEvents({ get }: Workspace, type: string): Promise<number> {
  const { data } = (await get('/events?limit=100')).body
  return data.filter((event: { data: string }) => JSON.parse(event.data).type === type).length
}

test('killed at every point of resolving an unknown outcome: charged once', {
  timeout: 180_000,
}, async () => {
  const crashes: { workspace: Workspace; id: string; point: string }[] = []
  for (const [point, , isExecuted] of resolverPoints) {
    const workspace = await switchyard.newWorkspace()
    // The provider did nothing, and its response was unusable: only the repeat may charge.
    const { id, summary } = await createPayment(workspace, numberOfScenario('5002'))
    expect(summary).toMatch(/^Outcome unknown: checking with the provider whether €12.99 was charged/)
    await makeOnlyDue(id)
    await crashDuringWork(point, workspace)
    expect((await ledger.fetchTotals(id)).approvals, point).toBe(isExecuted ? 1 : 0)
    crashes.push({ workspace, id, point })
  }

  await expireAllLeases()
  const healthy = await start('worker')
  for (const { workspace, id, point } of crashes) {
    await expect
      .poll(() => onlyPayment(workspace), { timeout: 20_000, message: point })
      .toMatchObject({ ...charged, id, summary: '€12.99 charged to Visa •••• 0009.' })
    await ledger.expectMatch(await onlyPayment(workspace))
    expect(await listOpenOperations(workspace), point).toEqual([])
    expect(await countEvents(workspace, 'payment.succeeded'), point).toBe(1)
  }
  await healthy.kill('SIGTERM')
})

test('killed at every point of a payer’s return: charged once, at the latest when the page is reloaded', {
  timeout: 120_000,
}, async () => {
  const crashes: { workspace: Workspace; point: string; returnUrl: string; isExecuted: boolean }[] = []
  for (const [point, , isExecuted] of payerPoints) {
    const workspace = await switchyard.newWorkspace()
    const { id, next_action } = await createPayment(workspace, numberOfScenario('3000'))
    const returnUrl = await fetchRedirect(`${await fetchRedirect(next_action.url)}?auto`)
    const doomed = await start('api', point)
    const urlAtDoomed = returnUrl.replace(switchyard.addresses.test, doomed.addresses.test)
    await expect(fetchWhenReady(urlAtDoomed, { redirect: 'manual' })).rejects.toThrow()
    expect(await doomed.exited).toBe('SIGKILL')
    expect((await ledger.fetchTotals(id)).approvals, point).toBe(isExecuted ? 1 : 0)
    crashes.push({ workspace, point, returnUrl, isExecuted })
  }

  await expireAllLeases()
  const healthy = await start('worker')
  for (const { workspace, point, returnUrl, isExecuted } of crashes) {
    // Depending on the crash point, the parameters of the return were lost with the process, or the provider
    // has received them.
    const expected = { status: isExecuted ? 'succeeded' : 'requires_action' }
    await expect
      .poll(() => onlyPayment(workspace), { timeout: 20_000, message: point })
      .toMatchObject(expected)
    await fetchRedirect(returnUrl)
    const payment = await onlyPayment(workspace)
    expect(payment, point).toMatchObject({
      ...charged,
      summary: '€12.99 charged to Visa •••• 0006.',
    })
    await ledger.expectMatch(payment)
    expect(await listOpenOperations(workspace), point).toEqual([])
  }
  await healthy.kill('SIGTERM')
})

async function fetchRedirect(url: string): Promise<string> {
  return (await fetchWhenReady(url, { redirect: 'manual' })).headers.get('location') ?? ''
}

test('a request that is repeated before the outcome is known waits for the outcome and returns it', {
  timeout: 120_000,
}, async () => {
  const workspace = await switchyard.newWorkspace()
  const body = { amount, currency: 'eur', token: await createToken(workspace, goodCard) }
  const request = { path: '/payments', key: 'order-1', body }
  await crashDuringRequest('payment.answered', workspace, request)
  const { id } = await onlyPayment(workspace)
  const healthy = await start('all')
  await expireIdempotencyLeases()
  const repeatedRequest = sendRequest(healthy, workspace, request)
  // From now on the worker may resolve the outcome.
  await makeOnlyDue(id)

  const response = await repeatedRequest
  expect(response.status).toBe(201)
  expect(await response.json()).toMatchObject({ id, status: 'succeeded', amount_captured: amount })
  const replayed = await sendRequest(healthy, workspace, request)
  expect(replayed.headers.get('idempotent-replayed')).toBe('true')
  expect(await replayed.json()).toMatchObject({ id, status: 'succeeded' })
  await healthy.kill('SIGTERM')
})
