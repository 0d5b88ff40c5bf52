/** Reads historical payments as operands of rules, to simulate other routes. */
import { type RawBuilder, sql } from 'kysely'
import { type Id, idFromUuid, idOrNull, type Mode, uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { MethodType } from '../../../../providers/contract.ts'
import { operandsOf, type PaymentFacts } from '../engine/facts.ts'
import type { Operands } from '../engine/operands.ts'
import type { DrawKeys } from '../engine/split-draw.ts'

type Metadata = Readonly<Record<string, string>>

type PaymentRow = {
  readonly id: string
  readonly amount: string
  readonly currency: string
  readonly purpose: string
  readonly initiator: string
  readonly capture_method: string
  readonly three_d_secure: string | null
  readonly method_type: string
  readonly brand: string
  readonly funding: string | null
  readonly country: string | null
  readonly issuer: string | null
  readonly bin: string | null
  readonly fingerprint: string | null
  readonly payment_method_id: string | null
  readonly save_payment_method: boolean | null
  readonly payment_link_id: string | null
  readonly checkout_session_id: string | null
  readonly invoice_id: string | null
  readonly price_id: string | null
  readonly billing_country: string | null
  readonly metadata: Metadata | null
  readonly created_at: Date | null
  readonly customer_id: string | null
  readonly customer_country: string | null
  readonly customer_metadata: Metadata | null
  readonly last_account: string | null
}

export type PastPayment = { readonly operands: Operands; readonly keys: DrawKeys }

/** Whether any rule uses an operand. Unused operands are not read. */
export type OperandTest = (field: string) => boolean
const allOperands: OperandTest = () => true

/** Tests for the operands that these routes use. Metadata is read completely or not at all. */
export function operandTestFor(fields: readonly string[]): OperandTest {
  const names = new Set(fields.map((field) => field.replace(/^((customer\.)?metadata)\..*$/, '$1')))
  return (field) => names.has(field)
}

const usesCustomer = (isUsed: OperandTest) => isUsed('customer.country') || isUsed('customer.metadata')
const usesMethod = (isUsed: OperandTest) => isUsed('method.last_provider_account_id')

/** The price of the invoice lines, if all lines with a price have the same one. */
function priceOf(workspace: RawBuilder<unknown>, invoice: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select case when min(line.price_id::text) = max(line.price_id::text) then min(line.price_id::text) end
    from invoice_lines as line where line.workspace_id = ${workspace} and line.invoice_id = ${invoice}`
}

/** The price an invoice is for; null if there are several or none. */
export async function findPriceOfInvoice(view: View, id: Id<'invoice'>): Promise<Id<'price'> | null> {
  const { caller, db } = view
  const { rows } = await sql<{ price: string | null }>`
    select (${priceOf(sql`${uuidOf(caller.workspaceId)}::uuid`, sql`${uuidOf(id)}::uuid`)}) as price`.execute(
    db,
  )
  return idOrNull('price', caller.mode, rows[0]?.price ?? null)
}

function columnsOf(isUsed: OperandTest): RawBuilder<unknown> {
  const column = (field: string, name: string, expression: RawBuilder<unknown>) =>
    isUsed(field) ? sql`${expression} as ${sql.ref(name)}` : sql`null as ${sql.ref(name)}`
  return sql.join([
    ...['id', 'currency', 'purpose', 'initiator', 'capture_method', 'fingerprint', 'customer_id'].map(
      (name) => sql.ref(`payment.${name}`),
    ),
    sql`payment.amount::text`,
    sql`payment.method_type`,
    sql`payment.card ->> 'brand' as brand`,
    sql`payment.card ->> 'country' as country`,
    column('card.funding', 'funding', sql`payment.card ->> 'funding'`),
    column('card.issuer', 'issuer', sql`payment.card ->> 'issuer'`),
    column('card.bin', 'bin', sql`payment.card ->> 'bin'`),
    column('three_d_secure', 'three_d_secure', sql`payment.three_d_secure`),
    column('recurring', 'payment_method_id', sql`payment.payment_method_id`),
    column('recurring', 'save_payment_method', sql`payment.save_payment_method`),
    column('billing.country', 'billing_country', sql`payment.billing_details -> 'address' ->> 'country'`),
    ...['payment_link_id', 'checkout_session_id', 'invoice_id'].map((name) => sql.ref(`payment.${name}`)),
    column('price_id', 'price_id', sql`(${priceOf(sql`payment.workspace_id`, sql`payment.invoice_id`)})`),
    column('metadata', 'metadata', sql`payment.metadata`),
    isUsed('created.hour') || isUsed('created.weekday') ? sql`payment.created_at` : sql`null as created_at`,
    column('customer.country', 'customer_country', sql`customer.address ->> 'country'`),
    column('customer.metadata', 'customer_metadata', sql`customer.metadata`),
    column('method.last_provider_account_id', 'last_account', sql`method.provider_account_id`),
  ])
}

const withCustomer = sql`left join customers as customer
  on customer.workspace_id = payment.workspace_id and customer.id = payment.customer_id`
const withMethod = sql`left join payment_methods as method
  on method.workspace_id = payment.workspace_id and method.id = payment.payment_method_id`

function tablesOf(isUsed: OperandTest): RawBuilder<unknown> {
  const customer = usesCustomer(isUsed) ? withCustomer : sql``
  return sql`payments as payment ${customer} ${usesMethod(isUsed) ? withMethod : sql``}`
}

/** Null if the workspace has no such payment. */
export async function findPastPayment(view: View, text: string): Promise<PastPayment | null> {
  const uuid = uuidFromText('payment', view.caller.mode, text)
  if (uuid === null) return null
  const { rows } = await sql<PaymentRow>`
    select ${columnsOf(allOperands)} from ${tablesOf(allOperands)}
    where payment.workspace_id = ${uuidOf(view.caller.workspaceId)} and payment.id = ${uuid}`.execute(view.db)
  return rows[0] === undefined ? null : fromRow(view.caller.mode, rows[0])
}

/** A range of payment uuids. `after` is exclusive. */
export type UuidRange = { readonly after: string; readonly before: string; readonly limit: number }

/** A payment with the account and status of its first attempt. */
export type HistoricalPayment = PastPayment & {
  readonly uuid: string
  readonly routeUuid: string | null
  /** Whether Switchyard had the card number. A card stored at a provider can be used only there. */
  readonly hasCardNumber: boolean
  readonly first: { readonly accountUuid: string; readonly status: string } | null
  /** What the settlement line of the payment states about its card. Null if it was not read, or if there is no line. */
  readonly settledCard: SettledCard | null
}

type SettledCard = { readonly country: string | null; readonly funding: string | null }

type HistoryOptions = { readonly isUsed: OperandTest; readonly withSettledCards: boolean }

/** The next payments, oldest first. Reads one range of each table instead of single rows. */
export async function listHistory(
  view: View,
  range: UuidRange,
  { isUsed, withSettledCards }: HistoryOptions,
): Promise<HistoricalPayment[]> {
  const workspace = uuidOf(view.caller.workspaceId)
  const { rows } = await sql<PaymentRow & { payment_route_id: string | null }>`
    select ${columnsOf(isUsed)}, payment.payment_route_id from ${tablesOf(isUsed)}
    where payment.workspace_id = ${workspace} and payment.id > ${range.after} and payment.id < ${range.before}
    order by payment.id limit ${range.limit}`.execute(view.db)
  const last = rows.at(-1)
  if (last === undefined) return []
  const { rows: attempts } = await sql<{ payment_id: string; account: string; status: string }>`
    select payment_id, provider_account_id as account, status from payment_attempts
    where workspace_id = ${workspace} and payment_id > ${range.after} and payment_id <= ${last.id}
      and number = 1`.execute(view.db)
  const firsts = new Map(attempts.map((attempt) => [attempt.payment_id, attempt]))
  const settledCards = withSettledCards
    ? await readSettledCards(view, { after: range.after, last: last.id })
    : noCards
  return rows.map((row) => {
    const first = firsts.get(row.id)
    return {
      ...fromRow(view.caller.mode, row),
      uuid: row.id,
      routeUuid: row.payment_route_id,
      hasCardNumber: row.fingerprint !== null,
      first: first === undefined ? null : { accountUuid: first.account, status: first.status },
      settledCard: settledCards.get(row.id) ?? null,
    }
  })
}

type SettledCards = ReadonlyMap<string, SettledCard>
const noCards: SettledCards = new Map()

/** By payment uuid, from the lines that were matched with the captures of the payments. */
async function readSettledCards(
  view: View,
  { after, last }: { readonly after: string; readonly last: string },
): Promise<SettledCards> {
  const workspace = sql`${uuidOf(view.caller.workspaceId)}::uuid`
  const { rows } = await sql<SettledCard & { payment_id: string }>`
    select operation.payment_id, line.card_country as country, line.card_funding as funding
    from operations as operation cross join lateral (
      select card_country, card_funding from settlement_lines
      where workspace_id = ${workspace} and cause_id = operation.id and act = 'payment_captured'
        and import_id is not null limit 1) as line
    where operation.workspace_id = ${workspace} and operation.payment_id > ${after} and operation.payment_id <= ${last}
      and operation.kind in ('authorize', 'capture') and operation.status = 'succeeded'`.execute(view.db)
  return new Map(rows.map((row) => [row.payment_id, row]))
}

/** The number of payments in the next part of the range, and its end; null if there are none. */
export async function countHistory(
  view: View,
  { after, before, limit }: UuidRange,
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
      // Computed lazily, because most routes draw nothing.
      get payment() {
        return idFromUuid('payment', mode, row.id)
      },
      customer: customerId,
      card: row.fingerprint,
    },
  }
}

/** Operands that were not read have default values: no rule uses them. */
function factsOf(mode: Mode, row: PaymentRow, customerId: string | null): PaymentFacts {
  const { brand, funding, country, issuer, bin } = row
  return {
    amount: BigInt(row.amount),
    currency: row.currency,
    purpose: row.purpose as PaymentFacts['purpose'],
    initiator: row.initiator as PaymentFacts['initiator'],
    recurring: recurringOf(row),
    captureMethod: row.capture_method as PaymentFacts['captureMethod'],
    threeDSecure: (row.three_d_secure ?? 'auto') as PaymentFacts['threeDSecure'],
    methodType: row.method_type as MethodType,
    card: { brand, funding, country, issuer, bin },
    billingCountry: row.billing_country,
    paymentLinkId: idOrNull('payment_link', mode, row.payment_link_id),
    checkoutSessionId: row.checkout_session_id,
    invoiceId: row.invoice_id,
    priceId: idOrNull('price', mode, row.price_id),
    customer:
      customerId === null
        ? null
        : { id: customerId, country: row.customer_country, metadata: row.customer_metadata ?? {} },
    lastProviderAccountId: idOrNull('provider_account', mode, row.last_account),
    metadata: row.metadata ?? {},
    createdAt: row.created_at ?? epoch,
  }
}

const epoch = new Date(0)

/**
 * Whether this payment saved the card, or used a saved one. A payment that saved its card also has a payment
 * method afterwards, so `save_payment_method` is checked first.
 */
function recurringOf(row: PaymentRow): PaymentFacts['recurring'] {
  if (row.purpose === 'verification' || row.save_payment_method) return 'first'
  return row.payment_method_id === null ? 'none' : 'subsequent'
}
