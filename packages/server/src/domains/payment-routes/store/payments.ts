/** A payment that there was, as rules see it: for those who ask what another route would have done with it. */
import { sql } from 'kysely'
import { idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { View } from '../../../platform/db/unit-of-work.ts'
import type { DrawKeys } from '../draw.ts'
import { operandsOf, type PaymentFacts } from '../facts.ts'
import type { Operands } from '../operands.ts'

type PaymentRow = {
  readonly id: string
  readonly amount: string
  readonly currency: string
  readonly purpose: string
  readonly initiator: string
  readonly capture_method: string
  readonly three_d_secure: string
  readonly card: PaymentFacts['card']
  readonly fingerprint: string | null
  readonly payment_method_id: string | null
  readonly billing_country: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly created_at: Date
  readonly customer_id: string | null
  readonly customer_country: string | null
  readonly customer_metadata: Readonly<Record<string, string>> | null
  readonly last_account: string | null
}

export type PastPayment = { readonly operands: Operands; readonly keys: DrawKeys }

/** Null if there is none of that id in this workspace. */
export async function findPastPayment(view: View, text: string): Promise<PastPayment | null> {
  const uuid = uuidFromText('payment', view.caller.mode, text)
  if (uuid === null) return null
  const { rows } = await sql<PaymentRow>`
    select payment.id, payment.amount::text, payment.currency, payment.purpose, payment.initiator,
      payment.capture_method, payment.three_d_secure, payment.card, payment.fingerprint,
      payment.payment_method_id, payment.billing_details -> 'address' ->> 'country' as billing_country,
      payment.metadata, payment.created_at, payment.customer_id,
      customer.address ->> 'country' as customer_country, customer.metadata as customer_metadata,
      method.provider_account_id as last_account
    from payments as payment
    left join customers as customer
      on customer.workspace_id = payment.workspace_id and customer.id = payment.customer_id
    left join payment_methods as method
      on method.workspace_id = payment.workspace_id and method.id = payment.payment_method_id
    where payment.workspace_id = ${uuidOf(view.caller.workspaceId)} and payment.id = ${uuid}`.execute(view.db)
  return rows[0] === undefined ? null : fromRow(view.caller.mode, rows[0])
}

function fromRow(mode: Mode, row: PaymentRow): PastPayment {
  const customerId = row.customer_id === null ? null : idFromUuid('customer', mode, row.customer_id)
  const facts: PaymentFacts = {
    amount: BigInt(row.amount),
    currency: row.currency,
    purpose: row.purpose as PaymentFacts['purpose'],
    initiator: row.initiator as PaymentFacts['initiator'],
    recurring: recurringOf(row),
    captureMethod: row.capture_method as PaymentFacts['captureMethod'],
    threeDSecure: row.three_d_secure as PaymentFacts['threeDSecure'],
    card: row.card,
    billingCountry: row.billing_country,
    customer:
      customerId === null
        ? null
        : { id: customerId, country: row.customer_country, metadata: row.customer_metadata ?? {} },
    lastProviderAccountId:
      row.last_account === null ? null : idFromUuid('provider_account', mode, row.last_account),
    metadata: row.metadata,
    createdAt: row.created_at,
  }
  const payment = idFromUuid('payment', mode, row.id)
  return { operands: operandsOf(facts), keys: { payment, customer: customerId, card: row.fingerprint } }
}

/** A method that is kept was used before; a verification is the first use of one. */
function recurringOf(row: PaymentRow): PaymentFacts['recurring'] {
  if (row.purpose === 'verification') return 'first'
  return row.payment_method_id === null ? 'none' : 'subsequent'
}
