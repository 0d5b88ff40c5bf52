// A story is data: what is asked, what goes wrong, how time passes. It is drawn from a seed, played, made smaller
// when it fails, and told in plain sentences.

import type { PlanName } from './plans.ts'

/** What becomes of the process that does it. */
export type Fate =
  | { readonly is: 'dies_after_commit' | 'loses_commit'; readonly nth: number }
  | { readonly is: 'dies_before_sending' | 'dies_after_answer' | 'freezes' }
  | null

type Asked = {
  /** Names it within the story; its idempotency key is made of it. */
  readonly id: number
  readonly payment: number
  readonly fate: Fate
  /** Nobody waits for the provider: it answers with what is known at once. */
  readonly impatient: boolean
  /** Two requests at once, with the same key. */
  readonly twice: boolean
}

export type Pay = Asked & {
  readonly do: 'pay'
  readonly amount: number
  readonly capture: 'automatic' | 'manual'
  /** The scenario of the test card, such as `approve` or `5004`. */
  readonly card: string
  readonly by: 'token' | 'method'
  readonly order: string | null
  readonly initiator: 'customer' | 'merchant'
  /** Whether it names the route of the shop. */
  readonly routed: boolean
}
export type Capture = Asked & {
  readonly do: 'capture'
  readonly amount: number | null
  readonly final: boolean
}
export type Cancel = Asked & { readonly do: 'cancel' }
export type Refund = Asked & { readonly do: 'refund'; readonly amount: number | null }
export type Request = Pay | Capture | Cancel | Refund

export type Act =
  | Request
  /** The same request once more, with the same key. */
  | { readonly do: 'repeat'; readonly of: number }
  | { readonly do: 'get'; readonly payment: number }
  | { readonly do: 'return'; readonly payment: number; readonly pressed: 'approve' | 'fail' | 'leave' }
  | { readonly do: 'forge'; readonly payment: number }
  /** What is due is done; `beside`: by two workers at once. */
  | { readonly do: 'work'; readonly beside: boolean; readonly fate: Fate }
  | { readonly do: 'wake' }
  /** Another revision of the route decides from now on. */
  | { readonly do: 'publish'; readonly plan: PlanName }
  /** An account fails, as far as everybody here knows, or is well again. */
  | { readonly do: 'breaker'; readonly account: 0 | 1; readonly isOpen: boolean }

export type Trouble = {
  readonly outage?: boolean
  readonly outage_manner?: 'plain' | 'silence' | 'reset' | 'hang_up'
  readonly latency_ms?: number
  readonly webhooks?: Webhooks
}

export type Step =
  | Act
  | { readonly do: 'together'; readonly acts: readonly Act[] }
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'provider'; readonly account: 0 | 1; readonly trouble: Trouble }

export type Webhooks = 'on' | 'off' | 'twice' | 'reordered'

/** What the providers can do to end what is not known. */
export const allTerms = {
  all: {},
  no_replay: { replay: false },
  no_lookup: { lookup: false },
  no_close: { close: false },
  lookup_only: { replay: false, close: false },
  close_only: { replay: false, lookup: false },
} as const
export type Terms = keyof typeof allTerms

export type Story = {
  readonly terms: Terms
  readonly webhooks: Webhooks
  /** How it goes on after the last step until nothing is due. */
  readonly ends: 'healed' | 'after_the_hold' | 'in_outage'
  readonly steps: readonly Step[]
}

const becauseOf: Readonly<Record<string, string>> = {
  dies_before_sending: 'its process dies before it asks the provider',
  dies_after_answer: 'its process dies when the provider has answered',
  freezes: 'its process freezes before it asks the provider',
}

function fateText(fate: Fate): string {
  if (fate === null) return ''
  if (fate.is === 'dies_after_commit') return `, and its process dies after commit ${fate.nth}`
  if (fate.is === 'loses_commit') return `, and the answer to its commit ${fate.nth} is lost`
  return `, and ${becauseOf[fate.is]}`
}

function requestText(request: Request): string {
  const how = `${request.impatient ? ' without waiting' : ''}${request.twice ? ' twice at once' : ''}`
  return `${wishText(request)}${how}${fateText(request.fate)}`
}

function wishText(request: Request): string {
  const payment = `payment ${request.payment}`
  switch (request.do) {
    case 'pay':
      return `${payText(request)} as ${payment}`
    case 'capture':
      return `capture ${request.amount ?? 'all'} of ${payment}${request.final ? '' : ', not the last'}`
    case 'cancel':
      return `cancel ${payment}`
    case 'refund':
      return `refund ${request.amount ?? 'all'} of ${payment}`
  }
}

function payText({ amount, capture, by, card, order, initiator, routed }: Pay): string {
  const means = by === 'token' ? 'a typed card' : 'a kept card'
  const goal = order === null ? '' : ` for order ${order}`
  const who = initiator === 'merchant' ? ' by the merchant' : ''
  const way = routed ? ' by the route' : ''
  return `pay ${amount} (${capture}) with ${means} of scenario ${card}${goal}${who}${way}`
}

export function textOf(step: Step): string {
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
      return `the payer of payment ${step.payment} presses "${step.pressed}" at the bank and comes back`
    case 'forge':
      return `somebody forges a webhook that payment ${step.payment} succeeded`
    case 'work':
      return `what is due is done${step.beside ? ' by two workers at once' : ''}${fateText(step.fate)}`
    case 'wake':
      return 'what was frozen wakes up'
    case 'publish':
      return `the plan "${step.plan}" is published`
    case 'breaker':
      return `provider ${step.account + 1} ${step.isOpen ? 'is known to fail, and asked last' : 'is known to be well'}`
    case 'together':
      return `at once: ${step.acts.map(textOf).join(' | ')}`
    case 'wait':
      return `${step.seconds} seconds pass`
    case 'provider':
      return `provider ${step.account + 1} changes: ${JSON.stringify(step.trouble)}`
  }
}
