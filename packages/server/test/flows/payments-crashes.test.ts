// A process that is killed at any named point of a payment's way charges nobody twice and loses nothing: whoever is
// started next goes on with the same payment, and a caller who repeats the request gets its answer. The ledger of
// the simulator is the judge.

import { expect, test } from 'vitest'
import { numberOfScenario } from '../../../simulator/src/cards.ts'
import type { Crashpoint } from '../../src/platform/crashpoint.ts'
import type { Sums } from '../support/ledger.ts'
import type { Workspace } from '../support/switchyard.ts'
import { ask, patiently, paymentScene, type Request, whileAsked } from './support/payment-scene.ts'

const { switchyard, ledger, start, dieAsking, dieWorking, afterKeys, afterLeases, leftOpen, onlyDue } =
  await paymentScene()

/** Where it dies, what has happened by then, and whether the provider has acted when we look into its ledger. */
type Point = readonly [name: Crashpoint | typeof whileAsked, when: string, acted: boolean]

/** Of a request that asks a provider. */
// biome-ignore format: a table.
const requestPoints: readonly Point[] = [
  ['payment.intended', 'the provider is about to be asked',                false],
  [whileAsked,   'killed from outside: the provider has the request and acts when we are dead', true],
  ['payment.answered', 'the provider has answered, and nothing of it is written', true],
  ['payment.recorded', 'what it answered is committed',                    true],
  ['reply.lost',       'our own answer is made, and not sent',             true],
]
/** Of a worker that asks what became of an operation. */
// biome-ignore format: a table.
const resolverPoints: readonly Point[] = [
  ['work.received',    'the engine has handed out the payment',            false],
  ['resolve.taken',    'the operation is taken over, under a new lease',   false],
  [whileAsked,   'killed from outside: the provider has the repeat and acts when we are dead', true],
  ['resolve.answered', 'the provider has answered, and nothing of it is written', true],
  ['resolve.recorded', 'what it answered is committed',                    true],
  ['work.handled',     'the work is done, and the engine does not know',   true],
]
/** Of a payer who comes back from the bank. */
// biome-ignore format: a table.
const payerPoints: readonly Point[] = [
  ['payer.returned',   'the return is committed, and the provider is about to be told', false],
  ['payer.answered',   'the provider has answered, and nothing of it is written', true],
]

const amount = 1299

async function aToken({ post }: Workspace, number: string): Promise<string> {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
  return (await post('/tokens', { type: 'card', card })).body.id
}

async function aPayment(workspace: Workspace, number: string, members: object = {}) {
  const token = await aToken(workspace, number)
  return (await workspace.post('/payments', { amount, currency: 'eur', token, ...members })).body
}

const good = '4242424242424242'

type Story = {
  readonly doing: string
  readonly points: readonly Point[]
  /** What is asked for, of a workspace that has what is needed for it. */
  readonly request: (workspace: Workspace) => Promise<Request>
  /** Whether the provider has done it. */
  readonly isDone: (sums: Sums) => boolean
  readonly ends: object
  /** What the repeat is answered with. */
  readonly answer: object
  /** The one event that tells of it. */
  readonly told: string
}

const taken = { status: 'succeeded', amount_captured: amount, amount_capturable: 0, review: null }

const stories: readonly Story[] = [
  {
    doing: 'creating',
    points: requestPoints,
    request: async (workspace) => ({
      path: '/payments',
      key: 'order-1',
      body: { amount, currency: 'eur', token: await aToken(workspace, good) },
    }),
    isDone: ({ approvals }) => approvals === 1,
    ends: { ...taken, summary: 'EUR 12.99 was taken from visa ending in 4242.' },
    answer: { status: 201, body: { object: 'payment', status: 'succeeded' } },
    told: 'payment.succeeded',
  },
  {
    doing: 'going on with another account',
    // The first account has refused; the second attempt is committed, and its account knows nothing of it.
    points: [['payment.recorded', 'the next attempt is committed', false]],
    request: async (workspace) => ({
      path: '/payments',
      key: 'order-1',
      body: { amount, currency: 'eur', token: await aToken(workspace, numberOfScenario('5008')) },
    }),
    isDone: ({ approvals }) => approvals === 1,
    ends: { ...taken, summary: 'EUR 12.99 was taken from visa ending in 0003 after 2 attempts.' },
    answer: { status: 201, body: { object: 'payment', status: 'succeeded', attempts_count: 2 } },
    told: 'payment.succeeded',
  },
  {
    doing: 'capturing',
    points: requestPoints,
    request: async (workspace) => {
      const { id } = await aPayment(workspace, good, { capture_method: 'manual' })
      return { path: `/payments/${id}/capture`, key: 'capture-1', body: {} }
    },
    isDone: ({ captured }) => captured === amount,
    ends: { ...taken, summary: 'EUR 12.99 was taken from visa ending in 4242.' },
    answer: { status: 200, body: { object: 'payment', status: 'succeeded', amount_captured: amount } },
    told: 'payment.succeeded',
  },
  {
    doing: 'cancelling',
    points: requestPoints,
    request: async (workspace) => {
      const { id } = await aPayment(workspace, good, { capture_method: 'manual' })
      return { path: `/payments/${id}/cancel`, key: 'cancel-1', body: {} }
    },
    isDone: ({ voided }) => voided === amount,
    ends: {
      ...{ status: 'cancelled', amount_captured: 0, amount_capturable: 0, review: null },
      summary: 'It was cancelled. Nothing was taken from visa ending in 4242.',
    },
    answer: { status: 200, body: { object: 'payment', status: 'cancelled' } },
    told: 'payment.cancelled',
  },
  {
    doing: 'giving back',
    points: requestPoints,
    request: async (workspace) => {
      const { id } = await aPayment(workspace, good)
      return { path: '/refunds', key: 'refund-1', body: { payment_id: id, amount: 500 } }
    },
    isDone: ({ refunded }) => refunded === 500,
    ends: {
      ...{ ...taken, amount_refunded: 500, amount_refunding: 0 },
      summary: 'EUR 12.99 was taken from visa ending in 4242. EUR 5.00 was given back.',
    },
    answer: { status: 201, body: { object: 'refund', status: 'succeeded', amount: 500 } },
    told: 'payment.updated',
  },
]

test.each(stories)(
  'killed at every point while $doing: done once, told once, and a repeat is answered',
  {
    timeout: 180_000,
  },
  async ({ points, request, isDone, ends, answer, told }) => {
    const dead = await Promise.all(
      points.map(async ([point, , acted]) => {
        const workspace = await switchyard.newWorkspace()
        const asked = await request(workspace)
        const events = await countEvents(workspace, told)
        await dieAsking(point, workspace, asked)
        const { id } = await onlyPayment(workspace)
        expect(isDone(await ledger.sumsOf(id)), point).toBe(acted)
        return { workspace, asked, point, events }
      }),
    )

    await afterLeases()
    const healthy = await start('all')
    for (const { workspace, asked, point, events } of dead) {
      await expect.poll(() => onlyPayment(workspace), { timeout: 20_000, message: point }).toMatchObject(ends)
      const repeated = await ask(healthy, workspace, asked)
      expect({ status: repeated.status, body: await repeated.json() }, point).toMatchObject(answer)
      const payment = await onlyPayment(workspace)
      expect(isDone(await ledger.sumsOf(payment.id)), point).toBe(true)
      await ledger.agreesWith(payment)
      expect(await leftOpen(workspace), point).toEqual([])
      // A refund is told of twice by its payment: when it begins and when it has ended.
      expect((await countEvents(workspace, told)) - events, point).toBe(told === 'payment.updated' ? 2 : 1)
    }
    await healthy.kill('SIGTERM')
  },
)

/** There is never a second one. */
async function onlyPayment({ get }: Workspace) {
  const { data } = (await get('/payments')).body
  expect(data).toHaveLength(1)
  return data[0]
}

async function countEvents({ get }: Workspace, type: string): Promise<number> {
  const { data } = (await get('/events?limit=100')).body
  return data.filter((event: { data: string }) => JSON.parse(event.data).type === type).length
}

test('killed at every point of asking what became of it: charged once', { timeout: 180_000 }, async () => {
  const dead: { workspace: Workspace; id: string; point: string }[] = []
  for (const [point, , acted] of resolverPoints) {
    const workspace = await switchyard.newWorkspace()
    // Nothing was done, and nothing was said of use: the charge is made by the repeat, or by none.
    const { id, summary } = await aPayment(workspace, numberOfScenario('5002'))
    expect(summary).toMatch(/^It is not known yet whether EUR 12.99 was taken/)
    await onlyDue(id)
    await dieWorking(point, workspace)
    expect((await ledger.sumsOf(id)).approvals, point).toBe(acted ? 1 : 0)
    dead.push({ workspace, id, point })
  }

  await afterLeases()
  const healthy = await start('worker')
  for (const { workspace, id, point } of dead) {
    await expect
      .poll(() => onlyPayment(workspace), { timeout: 20_000, message: point })
      .toMatchObject({ ...taken, id, summary: 'EUR 12.99 was taken from visa ending in 0009.' })
    await ledger.agreesWith(await onlyPayment(workspace))
    expect(await leftOpen(workspace), point).toEqual([])
    expect(await countEvents(workspace, 'payment.succeeded'), point).toBe(1)
  }
  await healthy.kill('SIGTERM')
})

test('killed at every point of a payer’s return: charged once, at the latest when the page is loaded again', {
  timeout: 120_000,
}, async () => {
  const dead: { workspace: Workspace; point: string; back: string; acted: boolean }[] = []
  for (const [point, , acted] of payerPoints) {
    const workspace = await switchyard.newWorkspace()
    const { id, next_action } = await aPayment(workspace, numberOfScenario('3000'))
    const back = await whereTo(`${await whereTo(next_action.url)}?auto`)
    const doomed = await start('api', point)
    const there = back.replace(switchyard.addresses.test, doomed.addresses.test)
    await expect(patiently(there, { redirect: 'manual' })).rejects.toThrow()
    expect(await doomed.exited).toBe('SIGKILL')
    expect((await ledger.sumsOf(id)).approvals, point).toBe(acted ? 1 : 0)
    dead.push({ workspace, point, back, acted })
  }

  await afterLeases()
  const healthy = await start('worker')
  for (const { workspace, point, back, acted } of dead) {
    // What the payer brought back was lost with the process, and the bank waits for it; or it has it.
    const known = { status: acted ? 'succeeded' : 'requires_action' }
    await expect.poll(() => onlyPayment(workspace), { timeout: 20_000, message: point }).toMatchObject(known)
    await whereTo(back)
    const payment = await onlyPayment(workspace)
    expect(payment, point).toMatchObject({
      ...taken,
      summary: 'EUR 12.99 was taken from visa ending in 0006.',
    })
    await ledger.agreesWith(payment)
    expect(await leftOpen(workspace), point).toEqual([])
  }
  await healthy.kill('SIGTERM')
})

async function whereTo(url: string): Promise<string> {
  return (await patiently(url, { redirect: 'manual' })).headers.get('location') ?? ''
}

test('a repeat that comes before it is known waits for the end, and that is its answer', {
  timeout: 120_000,
}, async () => {
  const workspace = await switchyard.newWorkspace()
  const body = { amount, currency: 'eur', token: await aToken(workspace, good) }
  const request = { path: '/payments', key: 'order-1', body }
  await dieAsking('payment.answered', workspace, request)
  const { id } = await onlyPayment(workspace)
  const healthy = await start('all')
  await afterKeys()
  const repeat = ask(healthy, workspace, request)
  // Only now anybody may ask what became of it.
  await onlyDue(id)

  const answer = await repeat
  expect(answer.status).toBe(201)
  expect(await answer.json()).toMatchObject({ id, status: 'succeeded', amount_captured: amount })
  const again = await ask(healthy, workspace, request)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await again.json()).toMatchObject({ id, status: 'succeeded' })
  await healthy.kill('SIGTERM')
})
