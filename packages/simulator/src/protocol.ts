/**
 * The words of the `custom` protocol: what a request may ask, and the record that answers it. Pure. A request
 * is read strictly, as a stranger would: what is missing or odd is refused, not guessed.
 */
export const kinds = ['verify', 'authorize', 'capture', 'void', 'refund'] as const
export type Kind = (typeof kinds)[number]

export type Decline = {
  readonly code: string
  readonly network_code?: string
  readonly advice_code?: string
  readonly message: string
}

export type Fault = { readonly code: string; readonly message: string }

export type Status = 'succeeded' | 'pending' | 'action_required' | 'declined' | 'rejected' | 'closed'

/** Null where there is nothing to tell: one that was closed before it came has no amount. */
export type OperationRecord = {
  readonly reference: string
  readonly kind: Kind | null
  readonly status: Status
  /** Of a refund that was made here, so that the merchant knows what it is about. */
  readonly parent_reference?: string
  readonly provider_reference: string | null
  readonly amount: number | null
  readonly currency: string | null
  readonly decline?: Decline
  readonly action?: { readonly type: 'redirect'; readonly url: string; readonly expires_at: string }
  readonly error?: Fault
  readonly token?: string
  readonly network_transaction_id?: string
  readonly capture_before_at?: string
  readonly check_after_ms?: number
}

export type Instrument =
  | { readonly type: 'card'; readonly number: string }
  | { readonly type: 'token'; readonly token: string }

/** What the simulator reads of a request. The rest is for people, and changes nothing here. */
export type OperationRequest = {
  readonly reference: string
  readonly kind: Kind
  readonly parent_reference: string | null
  readonly amount: number
  readonly currency: string
  readonly capture: boolean
  readonly initiator: 'customer' | 'merchant'
  /** Whether the card is to be kept for later. */
  readonly stores: boolean
  readonly instrument: Instrument | null
  readonly payment_id: string
  readonly return_url: string | null
  readonly three_d_secure: 'auto' | 'required'
  readonly customer_id: string | null
  readonly simulate: string | null
}

type Members = { readonly [name: string]: unknown }

/** The request, or a sentence about what is wrong with it. */
export function readRequest(body: unknown, reference: string): OperationRequest | string {
  if (!isObject(body)) return 'The body is not a JSON object.'
  const wrong = problemOf(body, reference)
  if (wrong !== null) return wrong
  const kind = body.kind as Kind
  const stored = isObject(body.stored_credential) ? body.stored_credential : {}
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
    stores: kind === 'verify' || stored.use === 'first',
    instrument: instrumentOf(body.instrument),
    payment_id: body.payment_id as string,
    return_url: textOrNull(body.return_url),
    three_d_secure: body.three_d_secure === 'required' ? 'required' : 'auto',
    customer_id: textOrNull(customer.id),
    simulate: textOrNull(metadata.simulate),
  }
}

/** Whether it uses a card; the other kinds are about an earlier operation. */
export function usesCard(kind: Kind): boolean {
  return kind === 'authorize' || kind === 'verify'
}

function problemOf(body: Members, reference: string): string | null {
  const kind = kinds.find((one) => one === body.kind)
  if (kind === undefined) return `kind is none of ${kinds.join(', ')}.`
  if (body.reference !== reference) return 'reference is not the one of the address.'
  if (body.mode !== 'test') return 'mode is not test: the simulator moves no money.'
  if (typeof body.payment_id !== 'string' || body.payment_id === '') return 'payment_id is missing.'
  return moneyProblemOf(body, kind) ?? (usesCard(kind) ? cardProblemOf(body) : parentProblemOf(body))
}

function moneyProblemOf({ amount, currency }: Members, kind: Kind): string | null {
  if (!Number.isSafeInteger(amount)) return 'amount is not an integer of minor units.'
  if (kind === 'verify' && amount !== 0) return 'amount of a verification is not 0.'
  if (kind !== 'verify' && (amount as number) <= 0) return 'amount is not above 0.'
  if (typeof currency !== 'string' || !/^[a-z]{3}$/.test(currency))
    return 'currency is not three small letters.'
  return null
}

function cardProblemOf(body: Members): string | null {
  if (instrumentOf(body.instrument) === null) return 'instrument is neither a card nor a token.'
  if (body.kind === 'authorize' && typeof body.capture !== 'boolean') return 'capture is not true or false.'
  return null
}

function parentProblemOf(body: Members): string | null {
  return textOrNull(body.parent_reference) === null ? 'parent_reference is missing.' : null
}

function instrumentOf(given: unknown): Instrument | null {
  if (!isObject(given)) return null
  if (given.type === 'card' && typeof given.number === 'string') return { type: 'card', number: given.number }
  if (given.type === 'token' && typeof given.token === 'string') return { type: 'token', token: given.token }
  return null
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
