// Billing scenarios: subscriptions, invoices, credit, dunning, checkout sessions and test clocks, with the
// same injected faults as payment scenarios. Each has one customer, so sums per customer are sums per
// scenario.

import {
  faultText,
  type InjectedFault,
  type RequestOptions,
  type ScenarioOf,
  type StepOf,
  stepText,
} from './payment-scenario.ts'

type NamedRequest<Name extends string, Members = unknown> = RequestOptions & { readonly do: Name } & Members
type SubscriptionRequest<Name extends string, Members = unknown> = NamedRequest<
  Name,
  { readonly subscription: number } & Members
>
type SessionRequest<Name extends string, Members = unknown> = NamedRequest<
  Name,
  { readonly session: number } & Members
>

export type When = 'now' | 'period_end'

export type Subscribe = SubscriptionRequest<
  'subscribe',
  {
    readonly trialDays: number | null
    readonly policy: 'on_payment' | 'on_attempt'
    /** Index of the dunning policy of the workspace. */
    readonly dunning: number
    readonly quantity: number
    /** Whether the subscription also bills the usage of the customer. */
    readonly metered: boolean
  }
>
export type Pause = SubscriptionRequest<
  'pause',
  {
    readonly at: When
    readonly unusedTime: 'keep' | 'credit' | 'forfeit'
    readonly openInvoices: 'continue' | 'stop' | 'void'
    readonly resumesInDays: number | null
  }
>
export type Cancel = SubscriptionRequest<
  'cancel',
  {
    readonly at: When
    readonly unusedTime: 'forfeit' | 'credit' | 'refund'
    readonly openInvoices: 'continue' | 'stop' | 'void'
  }
>
type Change = SubscriptionRequest<
  'change',
  {
    readonly quantity: number
    readonly behaviour: 'invoice_now' | 'next_invoice' | 'none' | 'next_period'
  }
>
/** Issues a credit note for a share of each line of the last invoice that can be credited. */
export type CreditPart = SubscriptionRequest<
  'credit',
  { readonly share: number; readonly returns: 'refund' | 'balance' }
>
/** Records usage of the customer: one event for each value. */
export type RecordUsage = NamedRequest<
  'record_usage',
  {
    readonly subscription: number
    readonly values: readonly number[]
    /** When it occurred: some time ago, at the start of the current period, or just before it. */
    readonly occurred: 'now' | 'an hour ago' | 'days ago' | 'at the start' | 'before the start'
  }
>
/** Sets another card or bank account for one subscription. */
type ChangeCard = SubscriptionRequest<'change_card', { readonly card: string }>

export type BillingRequest =
  | Subscribe
  | Pause
  | SubscriptionRequest<'resume', { readonly openInvoices: 'collect' | 'keep' | 'void' }>
  | Cancel
  | Change
  | ChangeCard
  | RecordUsage
  /** Cancels the last usage event of the customer. */
  | NamedRequest<'cancel_usage'>
  /** Replaces the discounts of the customer. */
  | NamedRequest<'set_discounts', { readonly discounts: readonly number[] }>
  | SubscriptionRequest<'pay_invoice', { readonly outOfBand: boolean }>
  | SubscriptionRequest<'void_invoice'>
  | SubscriptionRequest<'mark_uncollectible'>
  /** Cancels the last payment of an invoice of this subscription. */
  | SubscriptionRequest<'cancel_payment'>
  | SubscriptionRequest<'refund', { readonly share: number | null }>
  | CreditPart
  /** Voids the last credit note of an invoice of this subscription. */
  | SubscriptionRequest<'void_credit_note'>
  /**
   * With `cancels`, also cancels the subscriptions; without it, the request is rejected while there are any.
   */
  | NamedRequest<'delete_customer', { readonly cancels: boolean }>
  | SessionRequest<
      'open_session',
      {
        readonly card: string
        readonly capture: 'automatic' | 'manual'
        /** Whether the session is opened through a payment link with a limit of one payment. */
        readonly link: boolean
      }
    >
  | SessionRequest<'pay_session'>
  | SessionRequest<'expire_session'>
  | SessionRequest<'cancel_session_payment'>
  | SessionRequest<'capture_session_payment'>
  | SessionRequest<'refund_session_payment'>
  | NamedRequest<'advance_clock', { readonly days: number }>

export type BillingAction =
  | BillingRequest
  | { readonly do: 'repeat'; readonly of: number }
  | { readonly do: 'see_session'; readonly session: number }
  /** The payer's bank returns the last debit of the subscription. */
  | { readonly do: 'return_debit'; readonly subscription: number }
  | { readonly do: 'work'; readonly concurrently: boolean; readonly fault: InjectedFault }
  | { readonly do: 'wake' }

export type BillingStep = StepOf<BillingAction>

export type BillingScenario = ScenarioOf<BillingAction> & {
  readonly kind: 'billing'
  /** The outcomes of the customer's card or bank account at the simulator, one per attempt. */
  readonly card: string
  /** The customer's initial credit. */
  readonly credit: number
  /** The discounts of the customer, as indexes of `discountTerms`. */
  readonly discounts: readonly number[]
  /** Whether the invoices of the customer have tax. */
  readonly isTaxed: boolean
  /** Whether the customer is on a test clock. */
  readonly onClock: boolean
}

const dunningTexts = ['pause', 'cancel', 'mark as unpaid and void', 'keep and write off'] as const

export function billingStepText(step: BillingStep): string {
  return stepText(step, actionText)
}

function actionText(action: BillingAction): string {
  switch (action.do) {
    case 'repeat':
      return `repeat request ${action.of} with its key`
    case 'see_session':
      return `the payer reads session ${action.session}`
    case 'return_debit':
      return `the bank returns the last debit of subscription ${action.subscription}`
    case 'work':
      return `due work is processed${action.concurrently ? ' by two workers concurrently' : ''}${faultText(action.fault)}`
    case 'wake':
      return 'frozen processes continue'
    default:
      return `${requestText(action)}${action.isDuplicated ? ' twice concurrently' : ''}${faultText(action.fault)} (request ${action.id})`
  }
}

function requestText(request: BillingRequest): string {
  switch (request.do) {
    case 'subscribe':
      return subscribeText(request)
    case 'pause':
      return `pause subscription ${request.subscription} (at: ${request.at}, unused_time: ${request.unusedTime}, open_invoices: ${request.openInvoices}, resumes in days: ${request.resumesInDays})`
    case 'cancel':
      return `cancel subscription ${request.subscription} (at: ${request.at}, unused_time: ${request.unusedTime}, open_invoices: ${request.openInvoices})`
    case 'resume':
      return `resume subscription ${request.subscription} (open_invoices: ${request.openInvoices})`
    case 'change':
      return `change subscription ${request.subscription} to quantity ${request.quantity} (${request.behaviour})`
    case 'change_card':
      return `give subscription ${request.subscription} another card or bank account with the outcome ${request.card}`
    case 'pay_invoice':
      return `pay an open invoice of subscription ${request.subscription}${request.outOfBand ? ' by other means' : ''}`
    case 'refund':
      return `refund ${request.share === null ? 'all' : `a share of ${request.share}`} of the last payment of subscription ${request.subscription}`
    case 'credit':
      return `credit a share of ${request.share} of the last invoice of subscription ${request.subscription} (returned as: ${request.returns})`
    case 'record_usage':
      return `record usage of ${request.values.join(' and ')} (occurred: ${request.occurred})`
    case 'cancel_usage':
      return 'cancel the last usage event'
    case 'set_discounts':
      return `give the customer the discounts [${request.discounts.join(', ')}]`
    case 'delete_customer':
      return `delete the customer${request.cancels ? ' and cancel its subscriptions' : ''}`
    case 'open_session':
      return `open session ${request.session}${request.link ? ' by a link' : ''} (${request.capture}) for a card with the outcome ${request.card}`
    case 'advance_clock':
      return `advance the test clock by ${request.days} days`
    default:
      return 'session' in request
        ? `${request.do.replaceAll('_', ' ')} ${request.session}`
        : `${request.do.replaceAll('_', ' ')} of subscription ${request.subscription}`
  }
}

function subscribeText({ subscription, quantity, metered, trialDays, policy, dunning }: Subscribe): string {
  const trial = trialDays === null ? 'no trial' : `${trialDays} days of trial`
  return `create subscription ${subscription} (quantity ${quantity}${metered ? ' and usage' : ''}, ${trial}, ${policy}, dunning ends with: ${dunningTexts[dunning]})`
}
