/**
 * The customer portal: its sessions, what customers may do in it, and which changes a subscription allows. No side
 * effects.
 */
import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import { amountFor, type PriceFactors } from '../../../kernel/price-schemes.ts'

export type PortalSession = {
  readonly id: Id<'portal_session'>
  readonly workspaceId: Id<'workspace'>
  readonly customerId: Id<'customer'>
  readonly secretHash: Buffer
  readonly returnUrl: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

export type PortalConfiguration = {
  readonly paymentMethods: boolean
  readonly invoices: boolean
  /** Name, e-mail address and postal address. */
  readonly address: boolean
  readonly cancel: boolean
  readonly pause: boolean
  /** The prices that customers may switch to. */
  readonly switchPrices: readonly Id<'price'>[]
}

export const sessionSeconds = 30 * 60
export const maxSwitchPrices = 50

/**
 * The defaults for a workspace without settings: customers can only make changes whose cost the seller can foresee.
 */
export const defaultConfiguration: PortalConfiguration = {
  paymentMethods: true,
  invoices: true,
  address: true,
  cancel: true,
  pause: false,
  switchPrices: [],
}

/** In the order in which the portal shows them. */
export const portalActions = ['keep', 'resume', 'pause', 'switch', 'cancel'] as const
export type PortalAction = (typeof portalActions)[number]

export type PortalSubscription = {
  readonly id: Id<'subscription'>
  readonly status: 'trialing' | 'active' | 'paused' | 'cancelled'
  readonly currency: Currency
  readonly items: readonly ({
    readonly id: Id<'subscription_item'>
    readonly priceId: Id<'price'>
    readonly quantity: number
    readonly meterId?: Id<'meter'>
  } & PriceFactors)[]
  readonly scheduledChange: { readonly action: 'cancel' | 'pause' | 'update' } | null
}

/** The changes that the portal offers for a subscription. */
export function actionsFor(
  subscription: PortalSubscription,
  configuration: PortalConfiguration,
): readonly PortalAction[] {
  return portalActions.filter((action) => isOffered(action, subscription, configuration))
}

function isOffered(
  action: PortalAction,
  { status, scheduledChange, items }: PortalSubscription,
  { cancel, pause, switchPrices }: PortalConfiguration,
): boolean {
  if (status === 'cancelled') return false
  const scheduled = scheduledChange?.action ?? null
  switch (action) {
    case 'cancel':
      return cancel && scheduled !== 'cancel'
    case 'keep':
      return (cancel && scheduled === 'cancel') || (pause && scheduled === 'pause')
    case 'pause':
      return pause && status === 'active' && (scheduled === null || scheduled === 'update')
    case 'resume':
      return pause && status === 'paused'
    case 'switch':
      return status === 'active' && scheduled === null && canSwitch(items, switchPrices)
  }
}

function canSwitch(items: PortalSubscription['items'], prices: readonly Id<'price'>[]): boolean {
  return items.length === 1 && prices.some((id) => id !== items[0]?.priceId)
}

/** The price of one period, without usage. */
export function amountOf(items: PortalSubscription['items']): bigint {
  return items
    .filter(({ meterId }) => meterId === undefined)
    .reduce((sum, item) => sum + amountFor(item, item.quantity), 0n)
}

/** The details of a customer, as the form sends them. */
export type DetailsForm = { readonly [K in DetailsField]: string }
export const detailsFields = [
  'name',
  'email',
  'line1',
  'line2',
  'postal_code',
  'city',
  'state',
  'country',
] as const
export type DetailsField = (typeof detailsFields)[number]

const limits: { readonly [K in DetailsField]: number } = {
  name: 500,
  email: 254,
  line1: 500,
  line2: 500,
  postal_code: 50,
  city: 500,
  state: 500,
  country: 2,
}

export function detailsFrom(query: Readonly<Record<string, string>>): DetailsForm {
  return Object.fromEntries(detailsFields.map((field) => [field, (query[field] ?? '').trim()])) as DetailsForm
}

/** The fields that are too long or malformed. The e-mail address is required, because invoices are sent there. */
export function faultsOfDetails(form: DetailsForm): readonly DetailsField[] {
  return detailsFields.filter((field) => {
    const value = form[field]
    if (value.length > limits[field]) return true
    if (field === 'email') return !/^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(value)
    return field === 'country' && value !== '' && !/^[A-Z]{2}$/.test(value)
  })
}
