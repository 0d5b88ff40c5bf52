/** Whether a route may be saved, and whether it may be published. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { type Fault, refuse, refuseMembers } from '../../../kernel/errors.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { attemptsByDay, listCandidates, pinAccounts } from '../../provider-accounts/service.ts'
import { longestWindowDays } from '../adaptive.ts'
import { type DefinitionInput, definitionOf } from '../changes.ts'
import { faultsOfDefinition } from '../check.ts'
import { errorsAmong, lint } from '../lint.ts'
import { accountsOf, actionsOf, adaptiveActionsOf, type Definition, type Finding } from '../payment-route.ts'
import type { DefinitionBody } from '../schema/definition.ts'

/** What was sent, as it would be kept. `within`: where it stands in the body. */
export function requireDefinition(input: DefinitionInput, within = ''): Definition {
  const { rules = [], default: otherwise, limits, examples = [] } = input
  const faults = [
    ...faultsOfDefinition({ rules, default: otherwise, examples }),
    ...faultsOfLimits(limits?.amount ?? null),
  ]
  if (faults.length === 0) return definitionOf(input)
  return refuseMembers(faults.map((fault) => ({ ...fault, pointer: `${within}${fault.pointer}` })))
}

function faultsOfLimits(amount: { readonly min: number; readonly max: number } | null): readonly Fault[] {
  if (amount === null || amount.min <= amount.max) return []
  return [{ pointer: '/limits/amount/max', code: 'too_small', detail: 'must not be less than min' }]
}

export async function findingsOf(tx: Tx, definition: Definition): Promise<readonly Finding[]> {
  const surroundings = { accounts: await listCandidates(tx), mode: tx.caller.mode, now: tx.now }
  // Adding up a month takes a moment, and few routes need to know.
  if (adaptiveActionsOf(definition).size === 0) return lint(definition, surroundings)
  const ids = surroundings.accounts.map(({ id }) => id)
  return lint(definition, { ...surroundings, asked: await attemptsByDay(tx, ids, longestWindowDays) })
}

/** Errors block publishing, not drafts. Until the unit ends no account of it is archived: what was found holds. */
export async function requirePublishable(tx: Tx, definition: Definition): Promise<readonly Finding[]> {
  await pinAccounts(tx, actionsOf(definition).flatMap(accountsOf))
  const findings = await findingsOf(tx, definition)
  refuseErrors(findings)
  return findings
}

function refuseErrors(findings: readonly Finding[]): void {
  const errors = errorsAmong(findings).map(
    ({ pointer, code, detail }) => ({ pointer, code, detail }) as Fault,
  )
  if (errors.length === 0) return
  const detail = `The payment route has ${errors.length === 1 ? '1 error' : `${errors.length} errors`}, so it was not published.`
  refuse('route_invalid', { detail, errors: errors.slice(0, 50) })
}

export function lintPaymentRoute(
  deps: Deps,
  caller: Caller,
  body: DefinitionBody,
): Promise<readonly Finding[]> {
  const definition = requireDefinition(body)
  return transact(deps, caller, (tx) => findingsOf(tx, definition))
}
