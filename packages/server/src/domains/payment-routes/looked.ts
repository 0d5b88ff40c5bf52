/** A route with all that its lint needs to know, made once. */
import type { Capabilities } from '../../providers/contract.ts'
import type { Operands } from './operands.ts'
import type { Definition } from './payment-route.ts'
import type { Goal, Universe } from './search.ts'

export type LintAccount = {
  readonly id: string
  readonly displayName: string
  readonly provider: string
  readonly cardData: 'pan' | 'token'
  readonly capabilities: Capabilities
  readonly check: { readonly at: Date; readonly faults: readonly unknown[] } | null
}

export type Surroundings = {
  /** The active accounts of the workspace. */
  readonly accounts: readonly LintAccount[]
  readonly mode: 'live' | 'test'
  readonly now: Date
  /** How often each account was asked, by days: the last 24 hours first. Without it nothing is said about that. */
  readonly asked?: ReadonlyMap<string, readonly number[]>
}

export type Looked = {
  readonly definition: Definition
  readonly universe: Universe
  /** Of every rule, and last of the default: what a payment must be like to get there. */
  readonly reach: readonly (readonly Goal[])[]
  /** Whether a payment can get there, by the same numbers. */
  readonly isReached: readonly boolean[]
}

/** A payment for people. */
export function wordsOf(example: Operands): string {
  const words = Object.entries(example).map(([field, value]) =>
    value === undefined ? `no ${field}` : `${field} ${value}`,
  )
  return words.length === 0 ? 'any payment' : words.join(', ')
}
