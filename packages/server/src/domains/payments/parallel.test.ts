// Fifty at once on one payment, over two servers that know nothing of each other: whatever wins, what is taken stays
// within what was asked for and what is given back within what was taken. The ledger of the provider is the judge.

import { expect, test, vi } from 'vitest'
import { numberOfScenario } from '../../../../simulator/src/cards.ts'
import { ledgerOf } from '../../../test/support/ledger.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { type Answer, switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

vi.setConfig({ testTimeout: 60_000 })

const simulator = await simulatorForThisFile()
const ledger = ledgerOf(simulator.url)
const overrides = { limits: { providerMs: 3_000, requestMs: 30_000 } }
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url }, overrides })
/** A second server before the same database. */
const other = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url, DATABASE_URL: switchyard.databaseUrl },
  overrides,
})

const many = 50
const good = '4242424242424242'

async function aPayment({ post }: Workspace, members: object = {}, number = good) {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const { status, body } = await post('/payments', {
    ...{ amount: 1000, currency: 'eur', token: token.id, ...members },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

/** All at once, every second one at the other server. */
function atOnce(
  { token }: Workspace,
  call: (nth: number) => [path: string, body: object],
): Promise<Answer[]> {
  const servers = [switchyard, other]
  return Promise.all(
    Array.from({ length: many }, (_, nth) => {
      const [path, body] = call(nth)
      const server = servers[nth % servers.length] ?? switchyard
      return server.call('test', 'POST', path, body, { token })
    }),
  )
}

const statusesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))].sort()
const wonBy = (answers: readonly Answer[]) => answers.filter(({ status }) => status < 300)

/** As it stands when nothing is under way any more, and the books of both sides agree. */
async function settled({ get }: Workspace, id: string) {
  // Whoever was not asked in time, since so many were at once, is asked again later.
  for (const seconds of [3, 12, 65, 305, 905, 3605]) {
    switchyard.clock.advance({ seconds })
    await switchyard.settle()
  }
  const { body } = await get(`/payments/${id}`)
  await ledger.agreesWith(body)
  return body
}

test('fifty captures of everything at once: one takes it, the others are told that there is nothing to take', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await aPayment(workspace, { capture_method: 'manual' })

  const answers = await atOnce(workspace, () => [`/payments/${id}/capture`, {}])

  expect(wonBy(answers)).toHaveLength(1)
  expect(statusesOf(answers)).toEqual([200, 409])
  expect(await settled(workspace, id)).toMatchObject({
    ...{ status: 'succeeded', amount_captured: 1000, amount_capturable: 0 },
    summary: 'EUR 10.00 was taken from visa ending in 4242.',
  })
})

test('fifty captures of a part at once never take more than was held', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await aPayment(workspace, { capture_method: 'manual' })

  const answers = await atOnce(workspace, () => [`/payments/${id}/capture`, { amount: 300, final: false }])

  const won = wonBy(answers).length
  expect(won).toBeGreaterThanOrEqual(1)
  expect(won).toBeLessThanOrEqual(3)
  const payment = await settled(workspace, id)
  expect(payment).toMatchObject({ amount_captured: won * 300, amount_capturable: 1000 - won * 300 })
})

test('fifty refunds at once give back what was taken, and not a cent more', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await aPayment(workspace)

  const answers = await atOnce(workspace, () => ['/refunds', { payment_id: id, amount: 30 }])

  expect(wonBy(answers)).toHaveLength(33)
  expect(statusesOf(answers)).toEqual([201, 400])
  expect(await settled(workspace, id)).toMatchObject({
    ...{ status: 'succeeded', amount_refunded: 990, amount_refunding: 0 },
    summary: 'EUR 10.00 was taken from visa ending in 4242. EUR 9.90 was given back.',
  })
})

test('refunds that nobody answered count as given back: fifty at once stay within what was taken', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await aPayment(workspace, {}, numberOfScenario('6006'))

  const answers = await atOnce(workspace, () => ['/refunds', { payment_id: id, amount: 400 }])

  expect(wonBy(answers).map(({ body }) => body.status)).toEqual(['pending', 'pending'])
  expect((await workspace.get(`/payments/${id}`)).body).toMatchObject({ amount_refunding: 800 })
  expect(await settled(workspace, id)).toMatchObject({ amount_refunded: 800, amount_refunding: 0 })
})

test('captures and cancellations at once: one of them happens, and not the other', async () => {
  for (const capturesFirst of [0, 1]) {
    const workspace = await switchyard.newWorkspace()
    const { id } = await aPayment(workspace, { capture_method: 'manual' })

    await atOnce(workspace, (nth) => [
      `/payments/${id}/${nth % 2 === capturesFirst ? 'capture' : 'cancel'}`,
      {},
    ])

    const payment = await settled(workspace, id)
    const { voided } = await ledger.sumsOf(id)
    expect([
      { status: 'succeeded', amount_captured: 1000, voided: 0 },
      { status: 'cancelled', amount_captured: 0, voided: 1000 },
    ]).toContainEqual({ status: payment.status, amount_captured: payment.amount_captured, voided })
    expect(payment.amount_capturable).toBe(0)
  }
})

test('captures, refunds and cancellations at once: never more given back than taken, nor taken than held', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await aPayment(workspace, { capture_method: 'manual' })
  const calls = [
    [`/payments/${id}/capture`, { amount: 200, final: false }],
    ['/refunds', { payment_id: id, amount: 150 }],
    [`/payments/${id}/capture`, { amount: 200, final: false }],
    ['/refunds', { payment_id: id, amount: 90 }],
    [`/payments/${id}/cancel`, {}],
  ] as const

  // The first round takes something, so that there is something to give back in the next ones.
  await workspace.post(`/payments/${id}/capture`, { amount: 200, final: false })
  for (let round = 0; round < 3; round += 1) {
    const answers = await atOnce(workspace, (nth) => {
      const [path, body] = calls[(nth + round) % calls.length] ?? calls[0]
      return [path, body]
    })
    expect(statusesOf(answers).filter((status) => status >= 500)).toEqual([])
  }

  const payment = await settled(workspace, id)
  expect(['succeeded', 'requires_capture', 'cancelled']).toContain(payment.status)
  expect(payment.amount_captured).toBeGreaterThanOrEqual(200)
  expect(payment.amount_captured + payment.amount_capturable).toBeLessThanOrEqual(1000)
  expect(payment.amount_refunding).toBe(0)

  // What was taken can be given back, also after the rest was let go.
  const left = payment.amount_captured - payment.amount_refunded
  const rest = await workspace.post('/refunds', { payment_id: id })
  expect(rest.body).toMatchObject({ amount: left, status: 'succeeded' })
  const after = await settled(workspace, id)
  expect(after.amount_refunded).toBe(payment.amount_captured)
})
