/** What can be done with a dunning policy. `deps` opens a unit of work; `view` joins the caller's. */
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import { refuse, refuseMember } from '../../kernel/errors.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read, transact, type View } from '../../platform/db/unit-of-work.ts'
import { applyInput, isRising, isSame } from './changes.ts'
import { type DunningPolicy, type PolicyTerms, usualTerms } from './dunning-policy.ts'
import { dunningPolicyCreated, dunningPolicyUpdated } from './events.ts'
import type { CreateDunningPolicy, UpdateDunningPolicy } from './schema.ts'
import * as store from './store.ts'

export type { DunningPolicy } from './dunning-policy.ts'
export { usualTerms } from './dunning-policy.ts'

export function createDunningPolicy(
  deps: Deps,
  caller: Caller,
  input: CreateDunningPolicy,
): Promise<DunningPolicy> {
  return transact(deps, caller, async (tx) => {
    const terms = applyInput({ ...usualTerms, name: input.name }, input)
    requireRising(terms)
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

/** Campaigns that run go on as they began. */
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
    requireRising(terms)
    if (isSame(terms, before)) return before
    const after = await store.updatePolicy(tx, before, terms)
    tx.emit(dunningPolicyUpdated, { before, after })
    return after
  })
}

function requireRising({ retryDays }: PolicyTerms): void {
  if (!isRising(retryDays)) refuseMember('/retry_days', 'bad_format', 'must rise from one day to the next')
}

/** The policy that a body names. */
export function requireDunningPolicy(view: View, id: string): Promise<DunningPolicy> {
  return store.requirePolicy(view, id)
}

export function findDunningPolicy(view: View, id: string): Promise<DunningPolicy> {
  return store.findPolicy(view, id)
}
