// Accounts of connectors whose provider the simulator emulates, cards for them, and a payer who approves. Nothing here
// depends on the test runner, because commands use it too.

import type { ConnectorName } from '../../src/providers/provider-names.ts'
import type { LedgerTotals } from './simulator-ledger.ts'
import type { Workspace } from './switchyard.ts'

export type Api = Pick<Workspace, 'get' | 'post' | 'put'>
export type EmulatedAccount<Client extends Api = Api> = {
  readonly workspace: Client
  readonly id: string
  readonly provider: string
}

/** Disables the accounts of a new workspace, and creates an emulated one. */
export async function createEmulatedAccount<Client extends Api>(
  workspace: Client,
  provider: string,
): Promise<EmulatedAccount<Client>> {
  const { body: accounts } = await workspace.get('/provider-accounts')
  for (const { id } of accounts.data) await workspace.post(`/provider-accounts/${id}/disable`)
  return addEmulatedAccount(workspace, provider)
}

export async function addEmulatedAccount<Client extends Api>(
  workspace: Client,
  provider: string,
): Promise<EmulatedAccount<Client>> {
  const { id } = await created(workspace, '/provider-accounts', {
    provider,
    display_name: `${provider} (emulated)`,
    config: { emulated: true },
  })
  return { workspace, id, provider }
}

/** Connectors that accept only cards that the form fields of their provider have collected. */
const tokensOnly: readonly string[] = ['mollie'] satisfies ConnectorName[]

export type Card = { readonly number: string; readonly scenario: string }

/** A token for a test card: with its number, or with a token of the emulator, as the connector requires. */
export async function createCardToken(
  { workspace, id, provider }: EmulatedAccount,
  { number, scenario }: Card,
): Promise<string> {
  const details = { exp_month: 12, exp_year: 2030 }
  const providerToken = {
    provider_account_id: id,
    token: `tkn_sim_${scenario.replace(':', '_')}`,
    card: { brand: 'visa', last4: number.slice(-4), ...details },
  }
  const token = tokensOnly.includes(provider)
    ? { type: 'provider_token', provider_token: providerToken }
    : { type: 'card', card: { number, ...details, cvc: number.startsWith('37') ? '1234' : '123' } }
  return (await created(workspace, '/tokens', token)).id
}

async function created({ post }: Api, path: string, input: object): Promise<{ readonly id: string }> {
  const { status, body } = await post(path, input)
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`)
  return body
}

/** The payer approves on the page of the bank and returns. */
export async function approveAsPayer(url: string): Promise<void> {
  const returnUrl = await approveAtBank(url)
  if (returnUrl !== null) await fetch(returnUrl, { redirect: 'manual' })
}

/** The payer approves on the page of the bank. Returns where the payer is redirected to. */
export async function approveAtBank(url: string): Promise<string | null> {
  const bank = (await fetch(url, { redirect: 'manual' })).headers.get('location')
  if (bank === null) return null
  const page = new URL(bank)
  page.searchParams.set('auto', '')
  return (await fetch(page, { redirect: 'manual' })).headers.get('location')
}

export type PaymentOutcome = {
  readonly status: string
  /** Whether the payment or one of its refunds needs review. */
  readonly review: string | null
  readonly amount_captured: number
  readonly amount_refunded: number
  /** The amount of refunds whose outcome is not known. */
  readonly amount_refunding: number
  readonly summary: string
}

export async function readOutcome({ get }: Api, paymentId: string): Promise<PaymentOutcome> {
  const { body: payment } = await get(`/payments/${paymentId}`)
  if (payment.review !== null || payment.amount_refunding === 0) return payment
  const { body: refunds } = await get(`/refunds?payment_id=${paymentId}`)
  const reviews = refunds.data.map(({ review }: { review: string | null }) => review)
  return { ...payment, review: reviews.find((review: string | null) => review !== null) ?? null }
}

/**
 * Whether the outcome is known and equals the ledger of the provider, or needs review. A payment under review may
 * differ from the ledger, but is not charged twice.
 */
export function agreesWithLedger(payment: PaymentOutcome, totals: LedgerTotals): boolean {
  const { status, review, amount_captured, amount_refunded, amount_refunding } = payment
  if (totals.approvals > 1) return false
  if (review !== null) return true
  if (amount_refunding > 0) return false
  if (status === 'failed' || status === 'cancelled')
    return totals.captured === totals.refunded && totals.authorized === totals.captured + totals.voided
  const isKnown = status === 'succeeded' || status === 'requires_capture'
  return isKnown && amount_captured === totals.captured && amount_refunded === totals.refunded
}
