/**
 * The API client of the page. Responses only contain what a payer may see. Amounts are integers in minor units, and come
 * with the number of decimal places of the currency.
 */

export type Mode = 'live' | 'test'
export type CollectedField = 'name' | 'email' | 'phone' | 'billing_address' | 'shipping_address'

export type Seller = {
  readonly name: string
  readonly logo_url: string | null
  readonly accent_color: string | null
  /** A text colour that is readable on the accent colour. */
  readonly accent_text_color: string | null
}
export type Item = {
  readonly name: string
  readonly description: string | null
  /** Null if units have different prices. */
  readonly unit_amount: number | null
  readonly amount: number
  /** The amount for each quantity that the payer can choose. Omitted if it is the unit amount times the quantity. */
  readonly quantity_amounts?: readonly number[]
  readonly quantity: number
  readonly adjustable_quantity: boolean
  /** Only for subscriptions. */
  readonly quantity_limits?: { readonly min: number; readonly max: number }
  readonly recurring?: object
}
/** What a payer who buys a subscription is charged now and later. */
export type Offer = {
  readonly due_now: number
  /** Tax that is added to the prices of the items. */
  readonly taxes: readonly { readonly percentage: string; readonly amount: number }[]
  /** The amount of each full billing interval, with tax. */
  readonly amount: number
  readonly interval: 'day' | 'week' | 'month' | 'year'
  readonly interval_count: number
  readonly trial_end_at: string | null
  readonly next_charge_at: string
}
export type OpenAmount = {
  readonly min: number
  readonly max: number
  readonly suggested: number | null
}
export type CustomField = {
  readonly key: string
  readonly label: string
  readonly type: 'text' | 'numeric' | 'dropdown'
  readonly required: boolean
  readonly options: readonly string[]
}
export type TestCard = { readonly number: string; readonly outcome: string }

/** How the payer enters a card: in the form of this page (`card_form`), or in fields of a provider or vault. */
export type CardEntry = {
  readonly component: string
  readonly provider_account_id: string | null
  readonly config: Readonly<Record<string, string>>
}

export type SavedCard = {
  readonly payment_method_id: string
  readonly brand: string
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
}

export type ShownDiscount = { readonly name: string; readonly amount: number }

/** The members that payment links and checkout sessions have in common. */
export type Sale = {
  readonly object: 'public_link' | 'public_session'
  readonly mode: Mode
  readonly checkout_mode: 'payment' | 'subscription' | 'setup'
  /** Null unless a subscription is sold. */
  readonly subscription: Offer | null
  readonly seller: Seller
  readonly amount: number | null
  readonly open_amount: OpenAmount | null
  readonly currency: string
  readonly exponent: number
  readonly items: readonly Item[]
  readonly description: string | null
  readonly collect: readonly CollectedField[]
  readonly custom_fields: readonly CustomField[]
  /** `code`: the payer enters a code from an e-mail before saved cards are shown. */
  readonly saved_methods: {
    readonly access: 'none' | 'listed' | 'code'
    readonly save: 'off' | 'ask' | 'required'
    readonly cards: readonly SavedCard[]
  }
  readonly allow_promotion_codes: boolean
  readonly discounts: readonly ShownDiscount[]
  readonly locale: string | null
  /** Null if the seller cannot take cards on this page, or the session is not open. */
  readonly card_entry: CardEntry | null
  /** The other methods that the page offers, such as `ideal`. */
  readonly other_methods: readonly string[]
  readonly test_cards?: readonly TestCard[]
}
export type PublicLink = Sale & {
  readonly object: 'public_link'
  readonly status: 'active' | 'inactive' | 'completed' | 'expired'
}
export type PublicPayment = {
  readonly status: string
  readonly amount: number
  readonly currency: string
  readonly next_action: { readonly url: string } | null
  readonly failure: { readonly advice_code: string } | null
  readonly unknown: boolean
  readonly payment_method_type: string
  readonly card: { readonly brand: string; readonly last4: string } | null
  readonly paid_at: string | null
  readonly reference: string
  readonly statement_descriptor: string | null
}
export type PublicSession = Sale & {
  readonly object: 'public_session'
  readonly id: string
  readonly status: 'open' | 'processing' | 'completed' | 'expired'
  readonly tries_left: number
  readonly payment: PublicPayment | null
  readonly success_url: string | null
  readonly success_message: string | null
  readonly cancel_url: string | null
  readonly receipt_email: string | null
}

export type Address = Readonly<Record<string, string>>
export type Confirmation = {
  readonly payment_method_id?: string
  readonly payer_secret?: string
  readonly save_card?: true
  readonly promotion_code?: string | undefined
  /** Omitted for a saved card, and for a card entered in the card fields of a provider or vault. */
  readonly card?: {
    readonly number: string
    readonly exp_month: number
    readonly exp_year: number
    readonly cvc: string
    readonly name: string
  }
  readonly email?: string
  readonly amount?: number
  readonly quantities?: readonly number[]
  readonly name?: string
  readonly phone?: string
  readonly billing_address?: Address
  readonly shipping_address?: Address
  readonly custom_fields?: Readonly<Record<string, string>>
  readonly browser: {
    readonly language?: string
    readonly color_depth?: number
    readonly screen_width?: number
    readonly screen_height?: number
    readonly time_zone_offset_minutes: number
  }
}

export type ValidationError = { readonly pointer: string; readonly code: string }
export type Problem = {
  readonly code: string
  readonly errors?: readonly ValidationError[]
  readonly advice_code?: string
}

/** The result of a request. `no_response`: the server may or may not have received the request. */
export type ApiResult<Body> =
  | { readonly kind: 'success'; readonly body: Body }
  | {
      readonly kind: 'problem'
      readonly status: number
      readonly problem: Problem
      /** From `Retry-After`; null without that header. */
      readonly retryAfterSeconds: number | null
    }
  | { readonly kind: 'no_response' }

/** What the payer chooses before the session is created: nothing, an amount, or a quantity. */
export type Choice = { readonly amount?: number; readonly quantity?: number }

export type SessionKey = { readonly id: string; readonly client_secret: string }

/** A read that takes longer is retried. */
export const readTimeoutMs = 10_000
/** The server waits up to 30 seconds for the bank before it responds with an unknown outcome. */
const confirmTimeoutMs = 45_000

type LinkBody = Omit<PublicLink, 'items'> & { readonly line_items: readonly Item[] | null }

/** `query`: the accounts whose card fields do not work, and the one that the page shows. */
export async function readLink(slug: string, query: string): Promise<ApiResult<PublicLink>> {
  const path = `/checkout/links/${encodeURIComponent(slug)}${query}`
  const result = await call<LinkBody>(path, {}, readTimeoutMs)
  if (result.kind !== 'success') return result
  return { kind: 'success', body: { ...result.body, items: result.body.line_items ?? [] } }
}

export function openSession(slug: string, choice: Choice): Promise<ApiResult<PublicSession & SessionKey>> {
  const body = JSON.stringify(choice)
  return call(`/checkout/links/${encodeURIComponent(slug)}/sessions`, { method: 'POST', body }, readTimeoutMs)
}

export function readSession(key: SessionKey, query: string): Promise<ApiResult<PublicSession>> {
  return call(sessionPath(key) + query, { headers: secretHeader(key) }, readTimeoutMs)
}

/** `text` is the request body. A retry must send exactly the same text with the same idempotency key. */
export function confirmSession(
  key: SessionKey,
  idempotencyKey: string,
  text: string,
): Promise<ApiResult<PublicSession>> {
  const headers = { ...secretHeader(key), 'Idempotency-Key': idempotencyKey }
  return call(`${sessionPath(key)}/confirm`, { method: 'POST', headers, body: text }, confirmTimeoutMs)
}

/** Cancels the payment that redirected the payer, so that the payer can choose another payment method. */
export function changeMethod(key: SessionKey): Promise<ApiResult<PublicSession>> {
  const path = `${sessionPath(key)}/change-method`
  return call(path, { method: 'POST', headers: secretHeader(key) }, confirmTimeoutMs)
}

export function sessionPath({ id }: SessionKey): string {
  return `/checkout/sessions/${encodeURIComponent(id)}`
}

export function secretHeader({ client_secret }: SessionKey): Record<string, string> {
  return { 'Checkout-Secret': client_secret }
}

export async function call<Body>(
  path: string,
  request: RequestInit,
  timeoutMs: number,
): Promise<ApiResult<Body>> {
  const type = request.body === undefined ? {} : { 'Content-Type': 'application/json' }
  try {
    const response = await fetch(path, {
      ...request,
      headers: { ...type, ...request.headers },
      cache: 'no-store',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.ok) return { kind: 'success', body: await response.json() }
    // A 5xx from the server or a proxy says nothing about the outcome of the payment.
    if (response.status >= 500) return { kind: 'no_response' }
    // A rate-limited read also says nothing about the payment.
    if (response.status === 429 && request.method === undefined) return { kind: 'no_response' }
    const retryAfterSeconds = Number(response.headers.get('Retry-After')) || null
    return { kind: 'problem', status: response.status, problem: await response.json(), retryAfterSeconds }
  } catch {
    return { kind: 'no_response' }
  }
}
