// A scenario is data: requests, faults and elapsed time. It is generated from a seed, run, shrunk when it
// fails, and printed as plain sentences.

import type { AccountPair } from './account-kinds.ts'
import type { DisputeChange } from './provider-actions.ts'
import type { RouteVariant } from './route-variants.ts'

/** A fault of the process that performs a request or work. */
export type InjectedFault =
  | { readonly kind: 'crashes_after_commit' | 'loses_commit_response'; readonly nth: number }
  | { readonly kind: 'crashes_before_sending' | 'crashes_after_response' | 'freezes' }
  /**
   * Only in a `together` step: the process blocks before its nth statement until the other actions have
   * finished.
   */
  | { readonly kind: 'stalls'; readonly nth: number }
  | null

/** Members of an API request in any kind of scenario. */
export type RequestOptions = {
  /** A number that is unique within the scenario. The idempotency key is derived from it. */
  readonly id: number
  readonly fault: InjectedFault
  /** The response does not wait for the provider. */
  readonly impatient: boolean
  /** Whether two requests are sent concurrently with the same key. */
  readonly isDuplicated: boolean
}

type PaymentRequestOptions = RequestOptions & { readonly payment: number }

export type Pay = PaymentRequestOptions & {
  readonly do: 'pay'
  readonly amount: number
  readonly currency: string
  readonly capture: 'automatic' | 'manual'
  /** The outcome of the test card or the test bank account, such as `approve`, `5004` or `8001`. */
  readonly card: string
  /** `provider_token`: a token of the provider that accepts only its own tokens. `debit`: a SEPA debit. */
  readonly instrument: 'token' | 'payment_method' | 'provider_token' | 'debit'
  readonly order: string | null
  readonly initiator: 'customer' | 'merchant'
  /** Whether the payment names the route. */
  readonly routed: boolean
}
export type Capture = PaymentRequestOptions & {
  readonly do: 'capture'
  readonly amount: number | null
  readonly final: boolean
}
export type Cancel = PaymentRequestOptions & { readonly do: 'cancel' }
export type Refund = PaymentRequestOptions & { readonly do: 'refund'; readonly amount: number | null }
export type Request = Pay | Capture | Cancel | Refund

export type Action =
  | Request
  /** Repeats the request with the same key. */
  | { readonly do: 'repeat'; readonly of: number }
  | { readonly do: 'get'; readonly payment: number }
  | { readonly do: 'return'; readonly payment: number; readonly button: 'approve' | 'fail' | 'leave' }
  | { readonly do: 'forge'; readonly payment: number }
  /** `share` is the disputed share of the captured amount. */
  | {
      readonly do: 'dispute'
      readonly payment: number
      readonly change: DisputeChange
      readonly share: number
    }
  /** The merchant refunds a share of the captured amount on the website of the provider. */
  | { readonly do: 'refund_at_provider'; readonly payment: number; readonly share: number }
  /** The payer's bank returns the debit. */
  | { readonly do: 'return_debit'; readonly payment: number }
  /** Processes due work; `concurrently`: with two workers. */
  | { readonly do: 'work'; readonly concurrently: boolean; readonly fault: InjectedFault }
  | { readonly do: 'wake' }
  /** Publishes another variant of the route. */
  | { readonly do: 'publish'; readonly variant: RouteVariant }
  /** Opens or closes the circuit breaker of an account. */
  | { readonly do: 'breaker'; readonly account: 0 | 1; readonly isOpen: boolean }

export type ProviderChange = {
  readonly outage?: boolean
  readonly outage_manner?: 'plain' | 'silence' | 'reset' | 'hang_up'
  readonly latency_ms?: number
  readonly webhooks?: Webhooks
  /** The approval rate of good cards. */
  readonly auth_rate?: number
}

export type StepOf<A> =
  | A
  | { readonly do: 'together'; readonly actions: readonly A[] }
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'provider'; readonly account: 0 | 1; readonly change: ProviderChange }
export type Step = StepOf<Action>

export type Webhooks = 'on' | 'off' | 'twice' | 'reordered'

/** The simulators' capabilities to resolve unknown outcomes. Emulated providers have those of their connectors. */
export const capabilitySets = {
  all: {},
  no_replay: { replay: false },
  no_lookup: { lookup: false },
  no_close: { close: false },
  lookup_only: { replay: false, close: false },
  close_only: { replay: false, lookup: false },
} as const
export type CapabilitySet = keyof typeof capabilitySets

/** Members of every kind of scenario. */
export type ScenarioOf<A> = {
  /** The kinds of the two provider accounts. */
  readonly accounts: AccountPair
  readonly capabilities: CapabilitySet
  readonly webhooks: Webhooks
  /** How the scenario continues after the last step until no work is due. */
  readonly ending: 'providers_recover' | 'until_authorizations_expire' | 'outage'
  readonly steps: readonly StepOf<A>[]
}

export type PaymentScenario = ScenarioOf<Action> & {
  readonly kind: 'payments'
  /** Whether settlement reports of both accounts are imported at the end. */
  readonly isReconciled: boolean
}

const faultTexts: Readonly<Record<string, string>> = {
  crashes_before_sending: 'its process crashes before it calls the provider',
  crashes_after_response: "its process crashes after the provider's response",
  freezes: 'its process freezes before it calls the provider',
}

export function faultText(fault: InjectedFault): string {
  if (fault === null) return ''
  if (fault.kind === 'crashes_after_commit') return `, and its process crashes after commit ${fault.nth}`
  if (fault.kind === 'loses_commit_response') return `, and the response to its commit ${fault.nth} is lost`
  if (fault.kind === 'stalls')
    return `, and it stalls before its statement ${fault.nth} until the others have finished`
  return `, and ${faultTexts[fault.kind]}`
}

function requestText(request: Request): string {
  const options = `${request.impatient ? ' without waiting' : ''}${request.isDuplicated ? ' twice concurrently' : ''}`
  return `${requestVerbText(request)}${options}${faultText(request.fault)}`
}

function requestVerbText(request: Request): string {
  const payment = `payment ${request.payment}`
  switch (request.do) {
    case 'pay':
      return `${payText(request)} as ${payment}`
    case 'capture':
      return `capture ${request.amount ?? 'all'} of ${payment}${request.final ? '' : ', not final'}`
    case 'cancel':
      return `cancel ${payment}`
    case 'refund':
      return `refund ${request.amount ?? 'all'} of ${payment}`
  }
}

const sourceTexts = {
  token: 'a card token',
  payment_method: 'a saved card',
  provider_token: 'a token of the provider',
  debit: 'a bank account',
} as const

function payText({ amount, currency, capture, instrument, card, order, initiator, routed }: Pay): string {
  const source = sourceTexts[instrument]
  const purpose = order === null ? '' : ` for order ${order}`
  const initiatorText = initiator === 'merchant' ? ' by the merchant' : ''
  const routeText = routed ? ' with the route' : ''
  return `pay ${amount} ${currency} (${capture}) with ${source} with the outcome ${card}${purpose}${initiatorText}${routeText}`
}

export function paymentStepText(step: Step): string {
  return stepText(step, actionText)
}

/** The sentence for a step of any kind of scenario. */
export function stepText<A extends { readonly do: string }>(
  step: StepOf<A>,
  actionToText: (action: A) => string,
): string {
  switch (step.do) {
    case 'together':
      return `concurrently: ${(step as { readonly actions: readonly A[] }).actions.map(actionToText).join(' | ')}`
    case 'wait':
      return `${(step as { readonly seconds: number }).seconds} seconds pass`
    case 'provider': {
      const { account, change } = step as { readonly account: 0 | 1; readonly change: ProviderChange }
      return `provider ${account + 1} changes: ${JSON.stringify(change)}`
    }
    default:
      return actionToText(step as A)
  }
}

function actionText(step: Action): string {
  switch (step.do) {
    case 'pay':
    case 'capture':
    case 'cancel':
    case 'refund':
      return `${requestText(step)} (request ${step.id})`
    case 'repeat':
      return `repeat request ${step.of} with its key`
    case 'get':
      return `read payment ${step.payment}`
    case 'return':
      return `the payer of payment ${step.payment} presses "${step.button}" at the bank and returns`
    case 'forge':
      return `a forged webhook reports that payment ${step.payment} succeeded`
    case 'dispute':
      return `the bank: ${step.change} a dispute against ${step.share * 100} % of payment ${step.payment}`
    case 'refund_at_provider':
      return `the merchant refunds ${step.share * 100} % of payment ${step.payment} at the provider`
    case 'return_debit':
      return `the bank returns the debit of payment ${step.payment}`
    case 'work':
      return `due work is processed${step.concurrently ? ' by two workers concurrently' : ''}${faultText(step.fault)}`
    case 'wake':
      return 'frozen processes continue'
    case 'publish':
      return `the route variant "${step.variant}" is published`
    case 'breaker':
      return `provider ${step.account + 1} ${step.isOpen ? 'is failing and tried last' : 'is healthy again'}`
  }
}
