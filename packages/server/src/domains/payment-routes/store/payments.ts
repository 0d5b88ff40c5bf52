/** Payments that there were, as rules see them: for those who ask what another route would have done with them. */
import { type RawBuilder, sql } from 'kysely'
import { idFromUuid, idOrNull, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { View } from '../../../platform/db/unit-of-work.ts'
import type { DrawKeys } from '../draw.ts'
import { operandsOf, type PaymentFacts } from '../facts.ts'
import type { Operands } from '../operands.ts'

type Words = Readonly<Record<string, string>>

type PaymentRow = {
  readonly id: string
  readonly amount: string
  readonly currency: string
  readonly purpose: string
  readonly initiator: string
  readonly capture_method: string
  readonly three_d_secure: string | null
  readonly brand: string
  readonly funding: string | null
  readonly country: string | null
  readonly bin: string | null
  readonly fingerprint: string | null
  readonly payment_method_id: string | null
  readonly save_payment_method: boolean | null
  readonly payment_link_id: string | null
  readonly billing_country: string | null
  readonly metadata: Words | null
  readonly created_at: Date | null
  readonly customer_id: string | null
  readonly customer_country: string | null
  readonly customer_metadata: Words | null
  readonly last_account: string | null
}

export type PastPayment = { readonly operands: Operands; readonly keys: DrawKeys }

/** Whether rules ask for an operand. What they do not ask for is not read. */
export type Wants = (field: string) => boolean
const everything: Wants = () => true

/** What the rules of these routes ask for. Of metadata all is read, or nothing. */
export function wantedBy(fields: readonly string[]): Wants {
  const names = new Set(fields.map((field) => field.replace(/^((customer\.)?metadata)\..*$/, '$1')))
  return (field) => names.has(field)
}

const asksForCustomer = (wants: Wants) => wants('customer.country') || wants('customer.metadata')
const asksForMethod = (wants: Wants) => wants('method.last_provider_account_id')

function columnsOf(wants: Wants): RawBuilder<unknown> {
  const column = (field: string, name: string, expression: RawBuilder<unknown>) =>
    wants(field) ? sql`${expression} as ${sql.ref(name)}` : sql`null as ${sql.ref(name)}`
  return sql.join([
    ...['id', 'currency', 'purpose', 'initiator', 'capture_method', 'fingerprint', 'customer_id'].map(
      (name) => sql.ref(`payment.${name}`),
    ),
    sql`payment.amount::text`,
    sql`payment.card ->> 'brand' as brand`,
    sql`payment.card ->> 'country' as country`,
    column('card.funding', 'funding', sql`payment.card ->> 'funding'`),
    column('card.bin', 'bin', sql`payment.card ->> 'bin'`),
    column('three_d_secure', 'three_d_secure', sql`payment.three_d_secure`),
    column('recurring', 'payment_method_id', sql`payment.payment_method_id`),
    column('recurring', 'save_payment_method', sql`payment.save_payment_method`),
    column('billing.country', 'billing_country', sql`payment.billing_details -> 'address' ->> 'country'`),
    column('payment_link_id', 'payment_link_id', sql`payment.payment_link_id`),
    column('metadata', 'metadata', sql`payment.metadata`),
    wants('created.hour') || wants('created.weekday') ? sql`payment.created_at` : sql`null as created_at`,
    column('customer.country', 'customer_country', sql`customer.address ->> 'country'`),
    column('customer.metadata', 'customer_metadata', sql`customer.metadata`),
    column('method.last_provider_account_id', 'last_account', sql`method.provider_account_id`),
  ])
}

const withCustomer = sql`left join customers as customer
  on customer.workspace_id = payment.workspace_id and customer.id = payment.customer_id`
const withMethod = sql`left join payment_methods as method
  on method.workspace_id = payment.workspace_id and method.id = payment.payment_method_id`

function tablesOf(wants: Wants): RawBuilder<unknown> {
  const customer = asksForCustomer(wants) ? withCustomer : sql``
  return sql`payments as payment ${customer} ${asksForMethod(wants) ? withMethod : sql``}`
}

/** Null if there is none of that id in this workspace. */
export async function findPastPayment(view: View, text: string): Promise<PastPayment | null> {
  const uuid = uuidFromText('payment', view.caller.mode, text)
  if (uuid === null) return null
  const { rows } = await sql<PaymentRow>`
    select ${columnsOf(everything)} from ${tablesOf(everything)}
    where payment.workspace_id = ${uuidOf(view.caller.workspaceId)} and payment.id = ${uuid}`.execute(view.db)
  return rows[0] === undefined ? null : fromRow(view.caller.mode, rows[0])
}

/** A stretch of history: uuids, the first of which is behind us. */
export type Stretch = { readonly after: string; readonly before: string; readonly limit: number }

/** Beside what rules see: where it went at first and what became of that. */
export type HistoricPayment = PastPayment & {
  readonly uuid: string
  readonly routeUuid: string | null
  /** Whether its number was known to us. A card that a provider holds can go nowhere else. */
  readonly hasNumber: boolean
  readonly first: { readonly accountUuid: string; readonly status: string } | null
}

/** The next payments, the oldest first. One page of each table, by the same bounds: no row is looked up by itself. */
export async function listHistory(view: View, stretch: Stretch, wants: Wants): Promise<HistoricPayment[]> {
  const workspace = uuidOf(view.caller.workspaceId)
  const { rows } = await sql<PaymentRow & { payment_route_id: string | null }>`
    select ${columnsOf(wants)}, payment.payment_route_id from ${tablesOf(wants)}
    where payment.workspace_id = ${workspace} and payment.id > ${stretch.after} and payment.id < ${stretch.before}
    order by payment.id limit ${stretch.limit}`.execute(view.db)
  const last = rows.at(-1)
  if (last === undefined) return []
  const { rows: attempts } = await sql<{ payment_id: string; account: string; status: string }>`
    select payment_id, provider_account_id as account, status from payment_attempts
    where workspace_id = ${workspace} and payment_id > ${stretch.after} and payment_id <= ${last.id}
      and number = 1`.execute(view.db)
  const firsts = new Map(attempts.map((attempt) => [attempt.payment_id, attempt]))
  return rows.map((row) => {
    const first = firsts.get(row.id)
    return {
      ...fromRow(view.caller.mode, row),
      uuid: row.id,
      routeUuid: row.payment_route_id,
      hasNumber: row.fingerprint !== null,
      first: first === undefined ? null : { accountUuid: first.account, status: first.status },
    }
  })
}

/** How many there are in the next piece of the stretch, and where it ends; null if there are none. */
export async function countHistory(
  view: View,
  { after, before, limit }: Stretch,
): Promise<{ readonly last: string; readonly counted: number } | null> {
  const { rows } = await sql<{ last: string; counted: number }>`
    select id as last, number::int as counted from (
      select id, row_number() over (order by id) as number from payments
      where workspace_id = ${uuidOf(view.caller.workspaceId)} and id > ${after} and id < ${before}
      order by id limit ${limit}) as piece
    order by number desc limit 1`.execute(view.db)
  return rows[0] ?? null
}

function fromRow(mode: Mode, row: PaymentRow): PastPayment {
  const customerId = idOrNull('customer', mode, row.customer_id)
  return {
    operands: operandsOf(factsOf(mode, row, customerId)),
    keys: {
      // Most routes draw no lots.
      get payment() {
        return idFromUuid('payment', mode, row.id)
      },
      customer: customerId,
      card: row.fingerprint,
    },
  }
}

/** What was not asked for is as usual: no rule looks at it. */
function factsOf(mode: Mode, row: PaymentRow, customerId: string | null): PaymentFacts {
  const { brand, funding, country, bin } = row
  return {
    amount: BigInt(row.amount),
    currency: row.currency,
    purpose: row.purpose as PaymentFacts['purpose'],
    initiator: row.initiator as PaymentFacts['initiator'],
    recurring: recurringOf(row),
    captureMethod: row.capture_method as PaymentFacts['captureMethod'],
    threeDSecure: (row.three_d_secure ?? 'auto') as PaymentFacts['threeDSecure'],
    card: { brand, funding, country, bin },
    billingCountry: row.billing_country,
    paymentLinkId: idOrNull('payment_link', mode, row.payment_link_id),
    customer:
      customerId === null
        ? null
        : { id: customerId, country: row.customer_country, metadata: row.customer_metadata ?? {} },
    lastProviderAccountId: idOrNull('provider_account', mode, row.last_account),
    metadata: row.metadata ?? {},
    createdAt: row.created_at ?? beginning,
  }
}

const beginning = new Date(0)

/** Whether the card was kept by this payment, or before. One that was kept by it has a method now. */
function recurringOf(row: PaymentRow): PaymentFacts['recurring'] {
  if (row.purpose === 'verification' || row.save_payment_method) return 'first'
  return row.payment_method_id === null ? 'none' : 'subsequent'
}
