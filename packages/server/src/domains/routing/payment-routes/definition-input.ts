/**
 * Converts a route from the request format to the stored format, with every default filled in, so that a revision is
 * complete.
 */
import { canonical } from '../../../kernel/json.ts'
import { defaultAdaptive } from './adaptive/adaptive.ts'
import { defaultFailover } from './engine/compile.ts'
import type {
  Action,
  Adaptive,
  Condition,
  Definition,
  Example,
  Failover,
  Limits,
  Priority,
  Share,
  SplitKey,
} from './payment-route.ts'

export type ActionInput = {
  readonly type: Action['type']
  readonly targets?: readonly (string | Share)[] | undefined
  readonly key?: SplitKey | undefined
  readonly salt?: string | undefined
  readonly fallback?: readonly string[] | undefined
  readonly order_by?: Priority['order_by'] | undefined
  readonly adaptive?: AdaptiveInput | undefined
}

type AdaptiveInput = Pick<Adaptive, 'enabled'> & Partial<Adaptive>

type RuleInput = { readonly name: string; readonly when: object; readonly then: ActionInput }
type LimitsInput = Partial<Limits> & Pick<Limits, 'currencies'>

export type DefinitionInput = {
  readonly name: string
  readonly rules?: readonly RuleInput[] | undefined
  readonly default: ActionInput
  readonly failover?: Partial<Failover> | undefined
  readonly limits?: LimitsInput | null | undefined
  readonly examples?: readonly Example[] | undefined
}

/** Requires input that passed validation. */
export function definitionOf(input: DefinitionInput): Definition {
  const { name, rules = [], default: defaultAction, failover, limits, examples = [] } = input
  return {
    name,
    rules: rules.map((rule) => ({
      name: rule.name,
      when: conditionOf(rule.when as Condition),
      then: actionOf(rule.then, rule.name),
    })),
    default: actionOf(defaultAction, 'default'),
    failover: { ...defaultFailover, ...failover },
    limits: limits === null || limits === undefined ? null : limitsOf(limits),
    examples,
  }
}

/** Omitted members stay unchanged; each member that is sent replaces the stored one entirely. */
export function withChanges(
  before: Definition,
  input: { readonly [Name in keyof DefinitionInput]?: DefinitionInput[Name] | undefined },
): DefinitionInput {
  const sent = Object.entries(input).filter(([, value]) => value !== undefined)
  return { ...before, ...Object.fromEntries(sent) } as DefinitionInput
}

export function isSame(first: Definition, second: Definition): boolean {
  return canonical(first) === canonical(second)
}

/** The salt persists across revisions: by default it is the name of the rule. */
function actionOf(input: ActionInput, name: string): Action {
  const { type, targets = [], key, salt, fallback = [], order_by, adaptive } = input
  if (type === 'decline') return { type }
  if (type === 'priority') {
    const order = order_by === undefined ? {} : { order_by }
    const priority = { type, targets: targets as readonly string[], ...order } as const
    return adaptive === undefined ? priority : { ...priority, adaptive: { ...defaultAdaptive, ...adaptive } }
  }
  return { type, key: key ?? 'payment', salt: salt ?? name, targets: targets as readonly Share[], fallback }
}

function conditionOf(condition: Condition): Condition {
  if ('all' in condition) return { all: condition.all.map(conditionOf) }
  if ('any' in condition) return { any: condition.any.map(conditionOf) }
  if ('not' in condition) return { not: conditionOf(condition.not) }
  const { field, op, value } = condition
  return { field, op, value }
}

function limitsOf(limits: LimitsInput): Limits {
  return {
    currencies: limits.currencies,
    amount: limits.amount ?? null,
    brands: limits.brands ?? null,
    countries: limits.countries ?? null,
    purposes: limits.purposes ?? ['payment'],
    capture_methods: limits.capture_methods ?? ['automatic'],
    initiators: limits.initiators ?? ['customer'],
  }
}
