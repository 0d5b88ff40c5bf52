/**
 * A payment route decides which provider account processes a payment. Its definition is stored in immutable
 * revisions; a payment uses the revision that was published when it was created. The member names match the
 * API.
 */
import type { Id } from '../../../kernel/id.ts'
import type { Status } from './machine.ts'

/** The value of an operand. */
export type Value = string | number

export const operators = [
  'eq',
  'ne',
  'in',
  'not_in',
  'lt',
  'lte',
  'gt',
  'gte',
  'between',
  'starts_with',
  'exists',
] as const
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

/** The operands by which an adaptive priority groups payments. */
export const segmentOperands = ['currency', 'card.brand', 'card.country'] as const

/** The settings of an adaptive priority. */
export type Adaptive = {
  readonly enabled: boolean
  readonly window_days: number
  readonly exploration_percent: number
  readonly segment_by: readonly (typeof segmentOperands)[number][]
}

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
export const orders = ['estimated_cost'] as const
export type Priority = {
  readonly type: 'priority'
  readonly targets: readonly string[]
  /** `estimated_cost`: the cheapest account first. Without it, the order of `targets` applies. */
  readonly order_by?: (typeof orders)[number]
  /** Without it the order is fixed. */
  readonly adaptive?: Adaptive
}
export type Action = Priority | Split | { readonly type: 'decline' }

export type Rule = { readonly name: string; readonly when: Condition; readonly then: Action }

/** The failure classes that allow a failover. A route may exclude some, but cannot add any. */
export const failoverClasses = ['technical', 'configuration', 'soft'] as const
export type FailoverClass = (typeof failoverClasses)[number]
export type Failover = {
  readonly max_attempts: number
  readonly budget_ms: number
  readonly on: readonly FailoverClass[]
}

/** The payments for which the route must have an account. Null: none. */
export type Limits = {
  readonly currencies: readonly string[]
  readonly amount: { readonly min: number; readonly max: number } | null
  readonly brands: readonly string[] | null
  readonly countries: readonly string[] | null
  readonly purposes: readonly ('payment' | 'verification')[]
  readonly capture_methods: readonly ('automatic' | 'manual')[]
  readonly initiators: readonly ('customer' | 'merchant')[]
}

/** A described payment: operands by name. */
export type DescribedPayment = { readonly [field: string]: Value }
export type Expectation = { readonly provider_account_id: string } | { readonly decline: true }
export type Example = {
  readonly name: string
  readonly payment: DescribedPayment
  readonly expect: Expectation
}

export type Definition = {
  readonly name: string
  readonly rules: readonly Rule[]
  readonly default: Action
  readonly failover: Failover
  readonly limits: Limits | null
  readonly examples: readonly Example[]
}

export const maxCounts = {
  routes: 100,
  rules: 200,
  conditions: 50,
  depth: 4,
  targets: 10,
  values: 300,
  examples: 50,
} as const

/** The route without its definition, which is in the revisions. */
export type RouteHead = {
  readonly id: Id<'payment_route'>
  readonly status: Status
  readonly isDefault: boolean
  /** The published revision; null before the first publication. */
  readonly revision: number | null
  readonly latestRevision: number
  readonly metadata: { readonly [key: string]: string }
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly deletedAt: Date | null
  readonly version: number
  readonly sequence: number
}

/** A route with its published definition, or the newest draft if nothing is published yet. */
export type PaymentRoute = RouteHead & { readonly definition: Definition }

export type Revision = {
  readonly id: Id<'payment_route_revision'>
  readonly paymentRouteId: Id<'payment_route'>
  readonly number: number
  readonly definition: Definition
  /** For a rollback: the revision it copies. */
  readonly copyOf: number | null
  /** The API token that created the revision; null if a person did. */
  readonly apiTokenId: Id<'api_token'> | null
  readonly personId: Id<'person'> | null
  readonly createdAt: Date
  /** Null if it was never published. */
  readonly publishedAt: Date | null
}

export type Finding = {
  readonly severity: 'error' | 'warning'
  readonly code: RouteErrorCode | RouteWarningCode
  readonly pointer: string
  readonly detail: string
}
export const routeErrorCodes = [
  'impossible_condition',
  'unreachable_rule',
  'no_capable_target',
  'account_not_active',
  'custom_not_checked',
  'example_failed',
] as const
export type RouteErrorCode = (typeof routeErrorCodes)[number]
export const routeWarningCodes = [
  'amount_without_currency',
  'single_target',
  'some_targets_incapable',
  'unreachable_through_vault',
  'overlapping_rules',
  'no_fallback',
  'not_fully_checked',
  'adaptive_too_few_attempts',
  'operand_without_data',
  'account_without_costs',
  'card_unknown_at_choice',
] as const
export type RouteWarningCode = (typeof routeWarningCodes)[number]

/** A saved route, with the lint findings of the saved revision. */
export type SavedRoute = PaymentRoute & { readonly findings: readonly Finding[] }

/** The accounts an action may use, in order of preference. */
export function accountsOf(action: Action): readonly string[] {
  if (action.type === 'decline') return []
  if (action.type === 'priority') return action.targets
  return [...action.targets.map((share) => share.provider_account_id), ...action.fallback]
}

export function actionsOf({ rules, default: defaultAction }: Definition): readonly Action[] {
  return [...rules.map(({ then }) => then), defaultAction]
}

/** The priorities of a route by rule name; the default action has an empty name. */
export function prioritiesOf({ rules, default: defaultAction }: Definition) {
  const named = [...rules.map(({ name, then }) => ({ rule: name, then })), { rule: '', then: defaultAction }]
  return named.flatMap(({ rule, then }) => (then.type === 'priority' ? [{ rule, action: then }] : []))
}

/** The settings of the enabled adaptive priorities by rule name; the default action has an empty name. */
export function adaptiveSettingsOf(definition: Definition): ReadonlyMap<string, Adaptive> {
  return new Map(
    prioritiesOf(definition).flatMap(({ rule, action: { adaptive } }) => {
      return adaptive?.enabled === true ? [[rule, adaptive]] : []
    }),
  )
}
