// Every test card has the result that its row states, and the amounts of the payment match the simulator's
// ledger.

import { expect, test } from 'vitest'
import { type TestCard, testCards } from '../../../../../simulator/src/index.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  // A short timeout for providers that do not respond.
  overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
})
const workspace = await switchyard.newWorkspace()

/** Cards that require the payer to act, or that rely on webhooks the provider sends later. Other tests cover them. */
const excluded = ['return', 'wait']
const cards = testCards.filter(({ followUp }) => followUp === undefined || !excluded.includes(followUp))

const sumsOf = async (paymentId: string) => {
  const response = await fetch(`${simulator.url}/control/sums?payment_id=${paymentId}`)
  const { sums } = (await response.json()) as {
    sums: { approvals: number; captured: number; refunded: number }[]
  }
  return sums[0] ?? { approvals: 0, captured: 0, refunded: 0 }
}

async function pay({ number, followUp }: TestCard): Promise<string> {
  const cvc = number.startsWith('37') ? '1234' : '123'
  const card = { number, exp_month: 12, exp_year: 2030, cvc }
  const { body: token } = await workspace.post('/tokens', { type: 'card', card })
  const capture_method = followUp === 'capture' || followUp === 'void' ? 'manual' : 'automatic'
  const { body } = await workspace.post('/payments', {
    amount: 1299,
    currency: 'eur',
    token: token.id,
    capture_method,
  })
  return body.resource_id ?? body.id
}

/** Advances time by ten minutes, so that the resolver runs and the delays of the simulator elapse. */
async function letTimePass(): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    switchyard.clock.advance({ seconds: 75 })
    await fetch(`${simulator.url}/control/time`, {
      method: 'POST',
      body: JSON.stringify({ advance_ms: 75_000 }),
    })
    await switchyard.settle()
  }
}

test.each(cards)('$number ($scenario): $behaviour', { timeout: 60_000 }, async (card) => {
  const id = await pay(card)
  if (card.outcome.payment !== 'failed' || card.scenario.startsWith('5')) await letTimePass()
  if (card.followUp === 'capture') await workspace.post(`/payments/${id}/capture`, {})
  if (card.followUp === 'void') await workspace.post(`/payments/${id}/cancel`, {})
  const refund = card.followUp === 'refund' ? await workspace.post('/refunds', { payment_id: id }) : null
  if (card.followUp !== undefined) await letTimePass()

  const { body: payment } = await workspace.get(`/payments/${id}`)
  expect(payment, payment.summary).toMatchObject({
    status: card.outcome.payment,
    review: card.outcome.review ?? null,
    ...(card.outcome.code === undefined ? {} : { failure: { code: card.outcome.code } }),
  })
  const sums = await sumsOf(id)
  expect(sums.approvals).toBe(card.outcome.approvals)
  if (card.outcome.review === undefined) expect(payment.amount_captured).toBe(sums.captured)
  expect(payment.amount_refunded).toBe(sums.refunded)
  if (refund !== null)
    expect((await workspace.get(`/refunds/${refund.body.id}`)).body.status).toBe(card.outcome.refund)
  if (card.outcome.approvedBy === 'another_account') expect(payment.attempts_count).toBe(2)
})
