/**
 * A payment route says which account of a provider a payment is sent to. What it says lies in revisions that never
 * change; a payment keeps to the one that was published when it was made. The words are those of the wire.
 */
import type { Id } from '../../kernel/id.ts'
import type { Adaptive } from './adaptive.ts'
import type { Status } from './machine.ts'
import type { Value } from './operands.ts'

export const operators = [
  ...(['eq', 'ne', 'in', 'not_in', 'lt', 'lte', 'gt', 'gte', 'between', 'starts_with', 'exists'] as const),
]
export type Operator = (typeof operators)[number]

export type Leaf = {
  readonly field: string
  readonly op: Operator
  readonly value: Value | boolean | readonly Value[]
}
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | Leaf

export const splitKeys = ['payment', 'customer', 'card'] as const
export type SplitKey = (typeof splitKeys)[number]

export type Share = { readonly provider_account_id: string; readonly weight: number }
export type Split = {
  readonly type: 'split'
  readonly key: SplitKey
  readonly salt: string
  readonly targets: readonly Share[]
  readonly fallback: readonly string[]
}
export type Priority = {
  readonly type: 'priority'
  readonly targets: readonly string[]
  /** Without it the order is always the same. */
  readonly adaptive?: Adaptive
}
export type Action = Priority | Split | { readonly type: 'decline' }

export type Rule = { readonly name: string; readonly when: Condition; readonly then: Action }

/** Reasons for which another account may be asked at all. A route may leave some out, and can add none. */
export const failoverClasses = ['technical', 'configuration', 'soft'] as const
export type FailoverClass = (typeof failoverClasses)[number]
export type Failover = {
  readonly max_attempts: number
  readonly budget_ms: number
  readonly on: readonly FailoverClass[]
}

/** What the route promises to find an account for. Null: whatever there is. */
export type Limits = {
  readonly currencies: readonly string[]
  readonly amount: { readonly min: number; readonly max: number } | null
  readonly brands: readonly string[] | null
  readonly countries: readonly string[] | null
  readonly purposes: readonly ('payment' | 'verification')[]
  readonly capture_methods: readonly ('automatic' | 'manual')[]
  readonly initiators: readonly ('customer' | 'merchant')[]
}

/** A payment as somebody describes it: operands by their names. */
export type Described = { readonly [field: string]: Value }
export type Expectation = { readonly provider_account_id: string } | { readonly decline: true }
export type Example = { readonly name: string; readonly payment: Described; readonly expect: Expectation }

export type Definition = {
  readonly name: string
  readonly rules: readonly Rule[]
  readonly default: Action
  readonly failover: Failover
  readonly limits: Limits | null
  readonly examples: readonly Example[]
}

export const most = {
  routes: 100,
  rules: 200,
  conditions: 50,
  depth: 4,
  targets: 10,
  values: 300,
  examples: 50,
} as const

/** The route itself: what is not in its revisions. */
export type RouteHead = {
  readonly id: Id<'payment_route'>
  readonly status: Status
  readonly isDefault: boolean
  /** The one that is published; null before the first. */
  readonly revision: number | null
  readonly latestRevision: number
  readonly metadata: { readonly [key: string]: string }
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly deletedAt: Date | null
  readonly version: number
  readonly sequence: number
}

/** With what is published, or with the newest draft if nothing is yet. */
export type PaymentRoute = RouteHead & { readonly definition: Definition }

export type Revision = {
  readonly id: Id<'payment_route_revision'>
  readonly paymentRouteId: Id<'payment_route'>
  readonly number: number
  readonly definition: Definition
  /** Of a roll back: the revision that it is a copy of. */
  readonly copyOf: number | null
  /** The token that wrote it; null if nobody was asked for one. */
  readonly authorId: Id<'api_token'> | null
  readonly createdAt: Date
  /** Null if it was never published. */
  readonly publishedAt: Date | null
}

export type Finding = {
  readonly severity: 'error' | 'warning'
  readonly code: ErrorOfRoute | WarningOfRoute
  readonly pointer: string
  readonly detail: string
}
export const errorsOfRoutes = [
  'impossible_condition',
  'unreachable_rule',
  'no_capable_target',
  'account_not_active',
  'custom_not_checked',
  'example_failed',
] as const
export type ErrorOfRoute = (typeof errorsOfRoutes)[number]
export const warningsOfRoutes = [
  'amount_without_currency',
  'single_target',
  'some_targets_incapable',
  'overlapping_rules',
  'no_fallback',
  'not_fully_checked',
  'adaptive_too_few_attempts',
] as const
export type WarningOfRoute = (typeof warningsOfRoutes)[number]

/** A route after it was saved, with what the lint found in the revision that was saved. */
export type SavedRoute = PaymentRoute & { readonly findings: readonly Finding[] }

/** The accounts that an action may send a payment to, the first wish first. */
export function accountsOf(action: Action): readonly string[] {
  if (action.type === 'decline') return []
  if (action.type === 'priority') return action.targets
  return [...action.targets.map((share) => share.provider_account_id), ...action.fallback]
}

export function actionsOf({ rules, default: otherwise }: Definition): readonly Action[] {
  return [...rules.map(({ then }) => then), otherwise]
}

/** The priorities of a route by the name of their rule; that of the default by an empty one. */
export function prioritiesOf({ rules, default: otherwise }: Definition) {
  const named = [...rules.map(({ name, then }) => ({ rule: name, then })), { rule: '', then: otherwise }]
  return named.flatMap(({ rule, then }) => (then.type === 'priority' ? [{ rule, action: then }] : []))
}

/** What those say that follow what their accounts approve, by the same names. */
export function adaptiveActionsOf(definition: Definition): ReadonlyMap<string, Adaptive> {
  return new Map(
    prioritiesOf(definition).flatMap(({ rule, action: { adaptive } }) => {
      return adaptive?.enabled === true ? [[rule, adaptive]] : []
    }),
  )
}
