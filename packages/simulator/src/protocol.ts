/**
 * The types of the `custom` protocol, and the validation of requests. Validation is strict: missing or invalid members
 * are rejected. No side effects.
 */
import { type BankAccount, bankAccountIn } from './bank-accounts.ts'

export const kinds = ['verify', 'authorize', 'capture', 'void', 'refund'] as const
export type Kind = (typeof kinds)[number]

export type Decline = {
  readonly code: string
  readonly network_code?: string
  readonly advice_code?: string
  readonly message: string
}

export type ErrorDetails = { readonly code: string; readonly message: string }

export type Status = 'succeeded' | 'pending' | 'action_required' | 'declined' | 'rejected' | 'closed'

/** Members are null if unknown: an operation that was closed before it was received has no amount. */
export type OperationRecord = {
  readonly reference: string
  readonly kind: Kind | null
  readonly status: Status
  /** Set for a refund made at the provider, so that the merchant can match it. */
  readonly parent_reference?: string
  readonly provider_reference: string | null
  readonly amount: number | null
  readonly currency: string | null
  readonly decline?: Decline
  readonly action?: {
    readonly type: 'redirect' | 'form'
    readonly url: string
    readonly fields?: { readonly [name: string]: string }
    readonly expires_at: string
  }
  readonly error?: ErrorDetails
  readonly token?: string
  readonly network_transaction_id?: string
  readonly capture_before_at?: string
  readonly check_after_ms?: number
  /** For a debit: when the bank confirms it. */
  readonly settles_at?: string
}

/** The methods that the payer approves on a page of the provider. */
export const redirectTypes = ['ideal', 'bancontact', 'paypal'] as const
export type RedirectType = (typeof redirectTypes)[number]

/** The method, if the payer approves the payment on the page of the provider; otherwise null. */
function redirectTypeOf(instrument: Instrument | null): RedirectType | null {
  return redirectTypes.find((type) => type === instrument?.type) ?? null
}

export type Instrument =
  | { readonly type: 'card'; readonly number: string }
  | { readonly type: 'token'; readonly token: string }
  | BankAccount
  | { readonly type: RedirectType }

/** The members of a request that the simulator uses. */
export type OperationRequest = {
  readonly reference: string
  readonly kind: Kind
  readonly parent_reference: string | null
  readonly amount: number
  readonly currency: string
  readonly capture: boolean
  readonly initiator: 'customer' | 'merchant'
  /** Whether to store the card for later use. */
  readonly storesCard: boolean
  readonly instrument: Instrument | null
  /** The method, if the payer approves the payment on the page of the provider. */
  readonly redirect: RedirectType | null
  readonly payment_id: string
  readonly return_url: string | null
  readonly three_d_secure: 'auto' | 'required'
  readonly customer_id: string | null
  readonly simulate: string | null
}

type Members = { readonly [name: string]: unknown }

/** The request, or an error message. */
export function readRequest(body: unknown, reference: string): OperationRequest | string {
  if (!isObject(body)) return 'The body is not a JSON object.'
  const problem = problemOf(body, reference)
  if (problem !== null) return problem
  const kind = body.kind as Kind
  const storedCredential = isObject(body.stored_credential) ? body.stored_credential : {}
  const customer = isObject(body.customer) ? body.customer : {}
  const metadata = isObject(body.metadata) ? body.metadata : {}
  return {
    reference,
    kind,
    parent_reference: usesCard(kind) ? null : textOrNull(body.parent_reference),
    amount: body.amount as number,
    currency: body.currency as string,
    capture: body.capture === true,
    initiator: body.initiator === 'merchant' ? 'merchant' : 'customer',
    storesCard: kind === 'verify' || storedCredential.use === 'first',
    instrument: instrumentOf(body.instrument),
    redirect: redirectTypeOf(instrumentOf(body.instrument)),
    payment_id: body.payment_id as string,
    return_url: textOrNull(body.return_url),
    three_d_secure: body.three_d_secure === 'required' ? 'required' : 'auto',
    customer_id: textOrNull(customer.id),
    simulate: textOrNull(metadata.simulate),
  }
}

/** Whether the kind uses a card. The other kinds refer to an earlier operation. */
export function usesCard(kind: Kind): boolean {
  return kind === 'authorize' || kind === 'verify'
}

function problemOf(body: Members, reference: string): string | null {
  const kind = kinds.find((known) => known === body.kind)
  if (kind === undefined) return `kind must be one of ${kinds.join(', ')}.`
  if (body.reference !== reference) return 'reference must equal the reference in the URL.'
  if (body.mode !== 'test') return 'mode must be test: the simulator moves no money.'
  if (typeof body.payment_id !== 'string' || body.payment_id === '') return 'payment_id is missing.'
  return moneyProblemOf(body, kind) ?? (usesCard(kind) ? cardProblemOf(body) : parentProblemOf(body))
}

function moneyProblemOf({ amount, currency }: Members, kind: Kind): string | null {
  if (!Number.isSafeInteger(amount)) return 'amount must be an integer in minor units.'
  if (kind === 'verify' && amount !== 0) return 'amount of a verification must be 0.'
  if (kind !== 'verify' && (amount as number) <= 0) return 'amount must be greater than 0.'
  if (typeof currency !== 'string' || !/^[a-z]{3}$/.test(currency))
    return 'currency must be three lowercase letters.'
  return null
}

function cardProblemOf(body: Members): string | null {
  if (instrumentOf(body.instrument) === null)
    return 'instrument must be a card, a bank account, a token or a redirect method.'
  if (body.kind === 'authorize' && typeof body.capture !== 'boolean') return 'capture must be true or false.'
  return null
}

function parentProblemOf(body: Members): string | null {
  return textOrNull(body.parent_reference) === null ? 'parent_reference is missing.' : null
}

function instrumentOf(value: unknown): Instrument | null {
  if (!isObject(value)) return null
  if (value.type === 'card' && typeof value.number === 'string') return { type: 'card', number: value.number }
  const redirect = redirectTypes.find((type) => type === value.type)
  if (redirect !== undefined) return { type: redirect }
  if (value.type === 'token' && typeof value.token === 'string') return { type: 'token', token: value.token }
  return bankAccountIn(value)
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
