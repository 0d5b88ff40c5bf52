/**
 * The commands for dunning policies. Functions that take `deps` open a transaction; functions that take `view`
 * join the transaction of the caller.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, transact, type View } from '../../../platform/db/unit-of-work.ts'
import { applyInput, isAscending, isSame } from './changes.ts'
import { type DunningPolicy, defaultTerms, type PolicyTerms } from './dunning-policy.ts'
import { dunningPolicyCreated, dunningPolicyUpdated } from './events.ts'
import type { CreateDunningPolicy, UpdateDunningPolicy } from './schema.ts'
import * as store from './store.ts'

export type { DunningPolicy } from './dunning-policy.ts'
export { defaultTerms } from './dunning-policy.ts'

export function createDunningPolicy(
  deps: Deps,
  caller: Caller,
  input: CreateDunningPolicy,
): Promise<DunningPolicy> {
  return transact(deps, caller, async (tx) => {
    const terms = applyInput({ ...defaultTerms, name: input.name }, input)
    requireAscending(terms)
    const policy = await store.insertPolicy(tx, terms)
    tx.emit(dunningPolicyCreated, { after: policy })
    return policy
  })
}

export function getDunningPolicy(deps: Deps, caller: Caller, id: string): Promise<DunningPolicy> {
  return read(deps, caller, (view) => store.findPolicy(view, id))
}

export function listDunningPolicies(deps: Deps, caller: Caller, range: IdRange) {
  return read(deps, caller, (view) => store.listPolicies(view, range))
}

/** Running campaigns keep the policy they started with. */
export function updateDunningPolicy(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateDunningPolicy & { readonly ifMatch: number | null },
): Promise<DunningPolicy> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockPolicy(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const terms = applyInput(before, input)
    requireAscending(terms)
    if (isSame(terms, before)) return before
    const after = await store.updatePolicy(tx, before, terms)
    tx.emit(dunningPolicyUpdated, { before, after })
    return after
  })
}

function requireAscending({ retryDays, reminderDays }: PolicyTerms): void {
  if (!isAscending(reminderDays)) refuseMember('/reminder_days', 'bad_format', 'must be in ascending order')
  if (!isAscending(retryDays)) refuseMember('/retry_days', 'bad_format', 'must be in ascending order')
}

/** Finds the policy that a request refers to. */
export function requireDunningPolicy(view: View, id: string): Promise<DunningPolicy> {
  return store.requirePolicy(view, id, '/dunning_policy_id')
}

export function findDunningPolicy(view: View, id: string): Promise<DunningPolicy> {
  return store.findPolicy(view, id)
}
