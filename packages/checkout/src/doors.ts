/**
 * What the page says to the server it came from, and what it may hear. Only what a payer may see is in these
 * answers; amounts are whole numbers of the smallest unit, with the number of decimal places beside them.
 */

export type Mode = 'live' | 'test'
export type Collected = 'name' | 'email' | 'phone' | 'billing_address' | 'shipping_address'

export type Seller = {
  readonly name: string
  readonly logo_url: string | null
  readonly accent_color: string | null
  /** What can be read on the accent colour. */
  readonly accent_text_color: string | null
}
export type Item = {
  readonly name: string
  readonly description: string | null
  readonly unit_amount: number
  readonly quantity: number
  readonly adjustable_quantity: boolean
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

/** What is for sale: the same of a link and of a session. */
export type Sale = {
  readonly object: 'public_link' | 'public_session'
  readonly mode: Mode
  readonly seller: Seller
  readonly amount: number | null
  readonly open_amount: OpenAmount | null
  readonly currency: string
  readonly exponent: number
  readonly items: readonly Item[]
  readonly description: string | null
  readonly collect: readonly Collected[]
  readonly custom_fields: readonly CustomField[]
  readonly locale: string | null
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
  readonly card: {
    readonly number: string
    readonly exp_month: number
    readonly exp_year: number
    readonly cvc: string
    readonly name: string
  }
  readonly email?: string
  readonly amount?: number
  readonly name?: string
  readonly phone?: string
  readonly billing_address?: Address
  readonly shipping_address?: Address
  readonly custom_fields?: Readonly<Record<string, string>>
}

export type Fault = { readonly pointer: string; readonly code: string }
export type Problem = { readonly code: string; readonly errors?: readonly Fault[] }

/** `silence`: nobody knows whether the server has heard us. */
export type Heard<Body> =
  | { readonly is: 'answer'; readonly body: Body }
  | { readonly is: 'problem'; readonly status: number; readonly problem: Problem }
  | { readonly is: 'silence' }

/** What the payer chooses before there is a session: nothing, an amount, or how many. */
export type Choice = { readonly amount?: number; readonly quantity?: number }

export type Key = { readonly id: string; readonly client_secret: string }

/** A read that takes longer is asked again. */
const readTimeoutMs = 10_000
/** The server waits half a minute for the bank before it says that it does not know. */
const confirmTimeoutMs = 45_000

type LinkBody = Omit<PublicLink, 'items'> & { readonly line_items: readonly Item[] | null }

export async function readLink(slug: string): Promise<Heard<PublicLink>> {
  const heard = await call<LinkBody>(`/checkout/links/${encodeURIComponent(slug)}`, {}, readTimeoutMs)
  if (heard.is !== 'answer') return heard
  return { is: 'answer', body: { ...heard.body, items: heard.body.line_items ?? [] } }
}

export function openSession(slug: string, choice: Choice): Promise<Heard<PublicSession & Key>> {
  const body = JSON.stringify(choice)
  return call(`/checkout/links/${encodeURIComponent(slug)}/sessions`, { method: 'POST', body }, readTimeoutMs)
}

export function readSession(key: Key): Promise<Heard<PublicSession>> {
  return call(sessionPath(key), { headers: proofOf(key) }, readTimeoutMs)
}

/** `text` is the confirmation as it is sent: a repeat must be the same to the letter, under the same key. */
export function confirmSession(
  key: Key,
  idempotencyKey: string,
  text: string,
): Promise<Heard<PublicSession>> {
  const headers = { ...proofOf(key), 'Idempotency-Key': idempotencyKey }
  return call(`${sessionPath(key)}/confirm`, { method: 'POST', headers, body: text }, confirmTimeoutMs)
}

function sessionPath({ id }: Key): string {
  return `/checkout/sessions/${encodeURIComponent(id)}`
}

function proofOf({ client_secret }: Key): Record<string, string> {
  return { 'Checkout-Secret': client_secret }
}

async function call<Body>(path: string, request: RequestInit, timeoutMs: number): Promise<Heard<Body>> {
  const type = request.body === undefined ? {} : { 'Content-Type': 'application/json' }
  try {
    const answer = await fetch(path, {
      ...request,
      headers: { ...type, ...request.headers },
      cache: 'no-store',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (answer.ok) return { is: 'answer', body: await answer.json() }
    // What broke on the way, or in the server, has said nothing about the payment.
    if (answer.status >= 500) return { is: 'silence' }
    // So has a server that is too busy even to be asked.
    if (answer.status === 429 && request.method === undefined) return { is: 'silence' }
    return { is: 'problem', status: answer.status, problem: await answer.json() }
  } catch {
    return { is: 'silence' }
  }
}
