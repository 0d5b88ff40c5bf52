// Every test card ends as its row says, and the ledgers of the providers agree with our books.

import { expect, test } from 'vitest'
import { type TestCard, testCards } from '../../../../simulator/src/index.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  // A provider that is silent is waited for a moment, not for a minute.
  overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
})
const workspace = await switchyard.newWorkspace()

/** What needs the payer, or words of the provider that it sends by itself. */
const elsewhere = ['return', 'wait']
const cards = testCards.filter(({ ask }) => ask === undefined || !elsewhere.includes(ask))

const sumsOf = async (paymentId: string) => {
  const answer = await fetch(`${simulator.url}/control/sums?payment_id=${paymentId}`)
  const { sums } = (await answer.json()) as {
    sums: { approvals: number; captured: number; refunded: number }[]
  }
  return sums[0] ?? { approvals: 0, captured: 0, refunded: 0 }
}

async function pay({ number, ask }: TestCard): Promise<string> {
  const cvc = number.startsWith('37') ? '1234' : '123'
  const card = { number, exp_month: 12, exp_year: 2030, cvc }
  const { body: token } = await workspace.post('/tokens', { type: 'card', card })
  const capture_method = ask === 'capture' || ask === 'void' ? 'manual' : 'automatic'
  const { body } = await workspace.post('/payments', {
    ...{ amount: 1299, currency: 'eur', token: token.id, capture_method },
  })
  return body.resource_id ?? body.id
}

/** The world goes on for ten minutes: the resolver asks, and the simulator's own delays run out. */
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

test.each(cards)('$number ($scenario): $does', { timeout: 60_000 }, async (card) => {
  const id = await pay(card)
  if (card.ends.payment !== 'failed' || card.scenario.startsWith('5')) await letTimePass()
  if (card.ask === 'capture') await workspace.post(`/payments/${id}/capture`, {})
  if (card.ask === 'void') await workspace.post(`/payments/${id}/cancel`, {})
  const refund = card.ask === 'refund' ? await workspace.post('/refunds', { payment_id: id }) : null
  if (card.ask !== undefined) await letTimePass()

  const { body: payment } = await workspace.get(`/payments/${id}`)
  expect(payment, payment.summary).toMatchObject({
    status: card.ends.payment,
    review: card.ends.review ?? null,
    ...(card.ends.code === undefined ? {} : { failure: { code: card.ends.code } }),
  })
  const sums = await sumsOf(id)
  expect(sums.approvals).toBe(card.ends.approvals)
  if (card.ends.review === undefined) expect(payment.amount_captured).toBe(sums.captured)
  expect(payment.amount_refunded).toBe(sums.refunded)
  if (refund !== null)
    expect((await workspace.get(`/refunds/${refund.body.id}`)).body.status).toBe(card.ends.refund)
  if (card.ends.at === 'another_account') expect(payment.attempts_count).toBe(2)
})
