// Computes the expected figures of payment reports from the rows of payments, refunds and attempts.

import { type Id, uuidOf } from '../../src/kernel/id.ts'
import { asOwner } from './owner.ts'

export type Figures = { readonly [counter: string]: number }

const counters = `
  (select count(*) from own) as created,
  (select count(*) from own where status = 'succeeded') as succeeded,
  (select count(*) from own where status = 'failed') as failed,
  (select count(*) from own where status = 'cancelled') as cancelled,
  (select coalesce(sum(amount_captured), 0) from own where status = 'succeeded') as volume,
  (select coalesce(sum(refunds.amount), 0) from refunds join own on own.id = refunds.payment_id
    where refunds.status = 'succeeded') as refunded,
  (select count(*) from own where status = 'succeeded' and attempts_count > 1) as recovered,
  (select coalesce(sum(amount_captured), 0) from own where status = 'succeeded' and attempts_count > 1)
    as recovered_volume,
  (select count(*) from operations join own on own.id = operations.payment_id
    where kind = 'authorize' and operations.status = 'succeeded')
  + (select count(*) from payment_attempts join own on own.id = payment_attempts.payment_id
    where payment_attempts.status in ('declined', 'failed')
      and own.status not in ('processing', 'requires_action')) as attempts,
  (select count(*) from operations join own on own.id = operations.payment_id
    where kind = 'authorize' and operations.status = 'succeeded') as approved`

/** The figures by currency. Currencies without payments are omitted. */
export async function computeFigures(
  databaseUrl: string,
  workspaceId: string,
): Promise<Record<string, Figures>> {
  const workspace = uuidOf(workspaceId as Id<'workspace'>)
  return asOwner(databaseUrl, async (client) => {
    const { rows: currencies } = await client.query(
      `select distinct currency from payments where workspace_id = $1 and purpose = 'payment'`,
      [workspace],
    )
    const figures: Record<string, Figures> = {}
    for (const { currency } of currencies) {
      const { rows } = await client.query(
        `with own as (select * from payments where workspace_id = $1 and currency = $2 and purpose = 'payment')
         select ${counters}`,
        [workspace, currency],
      )
      figures[currency] = Object.fromEntries(
        Object.entries(rows[0]).map(([name, value]) => [name, Number(value)]),
      )
    }
    return figures
  })
}

type ReportRow = { readonly start: string; readonly group: string | null; readonly currency: string }

/** The rows of a report, added up by currency. */
export function sumReportRows(rows: readonly ReportRow[]): Record<string, Figures> {
  const sums: Record<string, Record<string, number>> = {}
  for (const { start: _, group: __, currency, ...figures } of rows) {
    const sum = sums[currency] ?? {}
    sums[currency] = sum
    for (const [name, value] of Object.entries(figures)) sum[name] = (sum[name] ?? 0) + Number(value)
  }
  return sums
}
