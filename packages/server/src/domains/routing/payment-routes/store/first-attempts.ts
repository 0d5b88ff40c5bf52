/** Reads the stored first attempts of a route, to evaluate other orders. */
import { sql } from 'kysely'
import { type Id, idFromUuid, uuidOf } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { StoredAttempt } from '../adaptive/recorded-attempt.ts'

/**
 * With `limit 1` Postgres expects one row per payment and uses the primary key. Without it, Postgres cannot
 * estimate the number of recent payments, and would compare all rows with all rows.
 */
export const withFirstAttempt = sql`cross join lateral (
  select first.provider_account_id, first.status, first.decline, first.trace from payment_attempts as first
  where first.workspace_id = payment.workspace_id and first.payment_id = payment.id and first.number = 1
  limit 1) as attempt`

type AttemptRow = {
  readonly id: string
  readonly at_ms: number
  readonly account: string
  readonly status: string
  readonly decline_code: string | null
  readonly trace: StoredAttempt['trace']
  readonly revision: number
  readonly currency: string
  readonly card_brand: string
  readonly card_country: string | null
  readonly customer_id: string | null
  readonly fingerprint: string | null
}

/** The uuid bounds of payments from the last `days` days that are old enough to have ended. */
export async function boundsOf(
  view: View,
  { days, outcomeDelayMinutes }: { readonly days: number; readonly outcomeDelayMinutes: number },
): Promise<{ readonly after: string; readonly before: string }> {
  const { rows } = await sql<{ after: string; before: string }>`
    select uuid_floor(transaction_timestamp() - make_interval(days => ${days})) as after,
      uuid_floor(transaction_timestamp() - make_interval(mins => ${outcomeDelayMinutes})) as before`.execute(
    view.db,
  )
  return rows[0] as { after: string; before: string }
}

export type AttemptPage = { readonly attempts: readonly StoredAttempt[]; readonly last: string | null }

/** The next attempts, oldest first. `last` is null at the end. */
export async function listFirstAttempts(
  view: View,
  route: Id<'payment_route'>,
  { after, before, limit }: { readonly after: string; readonly before: string; readonly limit: number },
): Promise<AttemptPage> {
  const { mode, workspaceId } = view.caller
  const { rows } = await sql<AttemptRow>`
    select payment.id, (extract(epoch from uuid_extract_timestamp(payment.id)) * 1000)::float8 as at_ms,
      attempt.provider_account_id as account, attempt.status, attempt.decline ->> 'code' as decline_code, attempt.trace,
      payment.route_revision as revision, payment.currency, payment.card ->> 'brand' as card_brand,
      payment.card ->> 'country' as card_country, payment.customer_id, payment.fingerprint
    from payments as payment ${withFirstAttempt}
    where payment.workspace_id = ${uuidOf(workspaceId)} and payment.payment_route_id = ${uuidOf(route)}
      and payment.id > ${after} and payment.id < ${before} and payment.purpose = 'payment'
    order by payment.id limit ${limit}`.execute(view.db)
  return {
    attempts: rows.map((row) => ({
      atMs: row.at_ms,
      accountId: idFromUuid('provider_account', mode, row.account),
      trace: row.trace,
      status: row.status,
      declineCode: row.decline_code,
      revision: row.revision,
      currency: row.currency,
      cardBrand: row.card_brand,
      cardCountry: row.card_country,
      customerId: row.customer_id,
      fingerprint: row.fingerprint,
    })),
    last: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
  }
}
