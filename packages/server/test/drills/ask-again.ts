// What a provider did after the instant, and can be brought into the restored books by asking for it again.

import { Switchyard } from '@switchyard/sdk'
import type { Client } from 'pg'
import { compareBooks, type Fact, factsAt } from './books.ts'
import type { House } from './house.ts'

/**
 * A refund of a payment that is there carries the same reference when it is asked for again, since that is the next
 * one of the payment: the provider gives its first answer, no money moves, and both books have it.
 */
export async function askAgain(house: House, client: Client, token: string, unknownHere: readonly Fact[]) {
  const { rows } = await client.query<{ reference: string }>('select reference from operations')
  const paymentOf = (reference: string) => reference.split('-', 1)[0]
  const known = new Set(rows.map(({ reference }) => paymentOf(reference)))
  const refunds = unknownHere.filter(
    ({ fact, reference }) => fact === 'refund' && known.has(paymentOf(reference)),
  )
  const api = new Switchyard({ token, baseUrl: house.address })
  const before = (await factsAt(house.simulatorUrl, client)).length
  for (const { payment_id, amount } of refunds) await api.refunds.create({ payment_id, amount })
  const facts = await factsAt(house.simulatorUrl, client)
  const compared = await compareBooks(client, facts)
  const left = compared.unknownHere.filter((one) =>
    refunds.some(({ reference }) => reference === one.reference),
  )
  return {
    count: refunds.length,
    faults: [
      ...(facts.length === before ? [] : ['a refund that was asked for again was made twice']),
      ...left.map(({ reference }) => `${reference} was asked for again, and is still unknown`),
    ],
  }
}

/** Somebody who pays now, and gets a part of it back when asked to: before the instant and after it. */
export async function payAhead({ address }: House, token: string): Promise<() => Promise<void>> {
  const api = new Switchyard({ token, baseUrl: address })
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  const { id } = await api.tokens.create({ type: 'card', card })
  const payment = await api.payments.create({ amount: 1_000, currency: 'eur', token: id })
  return async () => {
    await api.refunds.create({ payment_id: payment.id, amount: 250 })
  }
}
