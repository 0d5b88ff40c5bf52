/**
 * A cancellation or withdrawal that a subscriber submits on a public page, and the form of that page. No side effects.
 */
import type { Id } from '../../../kernel/id.ts'

/** `extraordinary`: for good cause, before the end of the period. `withdrawal`: within 14 days of the order. */
export const requestTypes = ['cancellation', 'extraordinary', 'withdrawal'] as const
export type RequestType = (typeof requestTypes)[number]

/**
 * `received`: waits for the subscriber or the merchant. `confirmed`: the subscriber has confirmed it with the link in
 * the e-mail, and it waits for the merchant.
 */
export const requestStatuses = ['received', 'confirmed', 'completed', 'rejected'] as const
export type RequestStatus = (typeof requestStatuses)[number]

export type CancellationRequest = {
  readonly id: Id<'cancellation_request'>
  readonly workspaceId: Id<'workspace'>
  readonly type: RequestType
  readonly status: RequestStatus
  /** What the subscriber entered. Null if the customer was deleted. */
  readonly name: string | null
  readonly email: string | null
  readonly contract: string | null
  readonly reason: string | null
  readonly requestedEnd: string | null
  readonly subscriptionId: Id<'subscription'> | null
  readonly customerId: Id<'customer'> | null
  readonly note: string | null
  readonly receivedAt: Date
  readonly confirmedAt: Date | null
  readonly closedAt: Date | null
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

export const formFields = ['name', 'email', 'contract', 'reason', 'end'] as const
export type FormField = (typeof formFields)[number]
export type RequestForm = { readonly [F in FormField]: string } & { readonly type: RequestType }

export function formFrom(type: RequestType, query: Readonly<Record<string, string>>): RequestForm {
  const value = (field: FormField) => (query[field] ?? '').trim()
  const chosen = type === 'cancellation' && query.kind === 'extraordinary' ? 'extraordinary' : type
  return {
    type: chosen,
    name: value('name'),
    email: value('email'),
    contract: value('contract'),
    reason: value('reason'),
    end: value('end'),
  }
}

/**
 * The fields that are missing or malformed. The contract is repeated in the e-mail, which may go to a stranger, so it must
 * not contain a sentence or an address.
 */
export function faultsOfForm(form: RequestForm): readonly FormField[] {
  const isValid: { readonly [F in FormField]: boolean } = {
    name: form.name.length >= 1 && form.name.length <= 200,
    email: form.email.length <= 254 && /^[^\s@<>",;]+@[^\s@<>",;]+\.[^\s@<>",;]+$/.test(form.email),
    contract: form.contract === '' || /^[A-Za-z0-9][A-Za-z0-9_#/-]{0,59}$/.test(form.contract),
    reason: form.reason.length <= 2_000 && (form.type !== 'extraordinary' || form.reason !== ''),
    end: form.end === '' || isDay(form.end),
  }
  return formFields.filter((field) => !isValid[field])
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** A subscription of a customer with the address that the subscriber entered. */
export type Candidate = {
  readonly subscriptionId: Id<'subscription'>
  readonly customerId: Id<'customer'>
  /** The stored address of the customer. */
  readonly email: string
  /** Whether the contract that the subscriber entered is the number of one of its invoices. */
  readonly hasInvoice: boolean
}

/** The subscription that the request is about; null if it cannot be determined. */
export function matchOf(candidates: readonly Candidate[], contract: string): Candidate | null {
  const named = candidates.filter(
    ({ subscriptionId, hasInvoice }) => hasInvoice || subscriptionId.toLowerCase() === contract.toLowerCase(),
  )
  const possible = contract === '' ? candidates : named
  return possible.length === 1 ? (possible[0] as Candidate) : null
}

/**
 * Subscribers can only cancel at the end of the period without the merchant. The merchant decides on requests
 * to end the subscription on another day or immediately, which may need a refund.
 */
export const isDecidedByMerchant = ({ type, requestedEnd }: CancellationRequest) =>
  type !== 'cancellation' || requestedEnd !== null
