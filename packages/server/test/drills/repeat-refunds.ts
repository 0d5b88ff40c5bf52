// Repeats refunds that the provider made after the recovery target, so that the restored database contains
// them again.

import { Switchyard } from '@switchyard/sdk'
import type { Client } from 'pg'
import { idFromUuid } from '../../src/kernel/id.ts'
import { compareWithLedger, fetchLedger, type LedgerEntry } from './database-checks.ts'
import { createDrillRefund } from './drill-refund.ts'
import type { DrillInstallation } from './installation.ts'

/**
 * A repeated refund gets the reference of the lost one, because the reference is derived from its idempotency key. The
 * provider therefore returns its first response and moves no money, and the database contains the refund again.
 */
export async function repeatRefunds(
  installation: DrillInstallation,
  client: Client,
  token: string,
  missingInDatabase: readonly LedgerEntry[],
) {
  const { rows } = await client.query<{ id: string }>('select id from payments')
  const existingPayments = new Set<string>(rows.map(({ id }) => idFromUuid('payment', 'test', id)))
  const refunds = missingInDatabase.filter(
    ({ fact, payment_id }) => fact === 'refund' && existingPayments.has(payment_id),
  )
  const api = new Switchyard({ token, baseUrl: installation.address })
  const before = new Set((await fetchLedger(installation.simulatorUrl, client)).map(entryKey))
  for (const { payment_id, amount } of refunds) await createDrillRefund(api, payment_id, amount)
  const entries = await fetchLedger(installation.simulatorUrl, client)
  // Other payments continue in the meantime, such as renewals.
  const repeatedPayments = new Set(refunds.map(({ payment_id }) => payment_id))
  const added = entries.filter(
    (entry) => repeatedPayments.has(entry.payment_id) && !before.has(entryKey(entry)),
  )
  const comparison = await compareWithLedger(client, entries)
  const stillMissing = comparison.missingInDatabase.filter((entry) =>
    refunds.some(({ reference }) => reference === entry.reference),
  )
  return {
    count: refunds.length,
    violations: [
      ...added.map((entry) => `a repeated refund moved money again: ${entryKey(entry)}`),
      ...stillMissing.map(
        ({ reference }) => `${reference} was repeated, and is still missing in the database`,
      ),
    ],
  }
}

/** Includes the time, because a refund that moves money again has the same reference. */
function entryKey({ fact, reference, at }: LedgerEntry): string {
  return `${fact} ${reference} at ${at}`
}

/** Creates a payment. The returned function refunds a part of it. */
export async function createPaymentToRefund(
  { address }: DrillInstallation,
  token: string,
): Promise<() => Promise<void>> {
  const api = new Switchyard({ token, baseUrl: address })
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  const { id } = await api.tokens.create({ type: 'card', card })
  const payment = await api.payments.create({ amount: 1_000, currency: 'eur', token: id })
  return async () => {
    await createDrillRefund(api, payment.id, 250)
  }
}
