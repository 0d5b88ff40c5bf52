/** What needs a person now. It is looked at when it is asked for, so what was mended is gone at once. */
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import { read } from '../../platform/db/unit-of-work.ts'
import {
  accountConcerns,
  type Concern,
  endpointConcern,
  inOrder,
  type SeveralKind,
  severalConcern,
} from './concern.ts'
import { failingEndpoints, lookFor, troubledAccounts } from './store.ts'

const several: readonly SeveralKind[] = [
  ...(['payments_unknown', 'payments_in_review', 'refunds_in_review'] as const),
  ...(['subscriptions_parked', 'dunning_ending'] as const),
]

export function listConcerns(deps: Deps, caller: Caller): Promise<readonly Concern[]> {
  return read(deps, caller, async (view) => {
    const now = deps.clock.read()
    const [endpoints, accounts, ...found] = await Promise.all([
      failingEndpoints(view),
      troubledAccounts(view),
      ...several.map(async (kind) => severalConcern(kind, await lookFor(view, kind, now))),
    ])
    return inOrder([...endpoints.map(endpointConcern), ...accounts.flatMap(accountConcerns), ...found.flat()])
  })
}
