/** Decides whether a route can be saved, and whether it can be published. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { type Fault, refuse, refuseMembers } from '../../../../kernel/errors.ts'
import { endIfAnswered } from '../../../../platform/db/replay.ts'
import { withoutKey } from '../../../../platform/db/resumable.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import type { ThreadTask } from '../../../../platform/thread.ts'
import { vaultObstacleFor } from '../../../../providers/contract.ts'
import { findCardDataMode, usesExternalVault } from '../../../access/organizations/service/card-data.ts'
import { hasCardFacts } from '../../../payments/card-bins/service.ts'
import { attemptsByDay, listCandidates, lockAgainstArchiving } from '../../provider-accounts/service.ts'
import { maxWindowDays } from '../adaptive/adaptive.ts'
import { type DefinitionInput, definitionOf } from '../definition-input.ts'
import { leavesOf } from '../engine/conditions.ts'
import { errorsAmong, type lint } from '../lint/lint.ts'
import type { LintEnvironment } from '../lint/lint-context.ts'
import { cardFactFields, usesCardFields } from '../lint/operands.ts'
import { definitionErrors } from '../lint/validate.ts'
import { accountsOf, actionsOf, adaptiveSettingsOf, type Definition, type Finding } from '../payment-route.ts'
import type { DefinitionBody } from '../schema/definition.ts'

/** Validates a definition and fills in defaults. `parentPointer`: its location in the body. */
export function requireDefinition(input: DefinitionInput, parentPointer = ''): Definition {
  const { rules = [], default: defaultAction, limits, examples = [] } = input
  const faults = [
    ...definitionErrors({ rules, default: defaultAction, examples }),
    ...limitErrors(limits?.amount ?? null),
  ]
  if (faults.length === 0) return definitionOf(input)
  return refuseMembers(faults.map((fault) => ({ ...fault, pointer: `${parentPointer}${fault.pointer}` })))
}

function limitErrors(amount: { readonly min: number; readonly max: number } | null): readonly Fault[] {
  if (amount === null || amount.min <= amount.max) return []
  return [
    { pointer: '/limits/amount/max', code: 'too_small', detail: 'must be greater than or equal to min' },
  ]
}

/** Linting a large route takes a few tenths of a second, so it runs in a worker thread. */
const lintTask: ThreadTask<typeof lint> = { name: 'lint' }

/** What the linter needs besides the data of the workspace. Read before the unit of work; see `readLintDeps`. */
export type LintDeps = Deps & {
  /** Whether facts about card issuers are known. */
  readonly hasCardFacts: boolean
}

/** The BIN table is in the control plane. The card facts of test cards are known without a BIN table. */
export async function readLintDeps(deps: Deps, { mode }: Caller): Promise<LintDeps> {
  return { ...deps, hasCardFacts: mode === 'test' || (await hasCardFacts(deps)) }
}

export async function findingsOf(
  deps: LintDeps,
  tx: Tx,
  definition: Definition,
): Promise<readonly Finding[]> {
  const environment = await environmentOf(deps, tx, definition)
  return deps.thread.run(lintTask, tx.caller.workspaceId, definition, environment)
}

async function environmentOf(
  { providers, hasCardFacts: isBinTableKnown }: LintDeps,
  tx: Tx,
  definition: Definition,
): Promise<LintEnvironment> {
  const accounts = await listCandidates(tx)
  const environment = {
    accounts: accounts.map((account) => ({
      ...account,
      vaultObstacle: vaultObstacleFor(providers.get(account.provider), account.manifest),
    })),
    usesExternalVault: await usesExternalVault(tx),
    mode: tx.caller.mode,
    now: tx.now,
    hasCardFacts: isBinTableKnown || !usesCardFacts(definition),
    // Only routes that use the card need the query.
    isCardUnknownAtChoice: usesCardFields(definition) && (await findCardDataMode(tx)) === 'provider_fields',
  }
  // Summing up the attempts of a month is slow, and few routes need it.
  if (adaptiveSettingsOf(definition).size === 0) return environment
  const ids = environment.accounts.map(({ id }) => id)
  return { ...environment, attemptsByDay: await attemptsByDay(tx, ids, maxWindowDays) }
}

function usesCardFacts({ rules }: Definition): boolean {
  const fields = rules.flatMap(({ when }) => leavesOf(when).map(({ field }) => field))
  return fields.some((field) => cardFactFields.includes(field))
}

/**
 * Errors block publishing, not drafts. The accounts are locked against archiving during the transaction, so
 * the findings stay valid.
 */
export async function requirePublishable(
  deps: LintDeps,
  tx: Tx,
  definition: Definition,
): Promise<readonly Finding[]> {
  await lockAgainstArchiving(tx, actionsOf(definition).flatMap(accountsOf))
  const findings = await findingsOf(deps, tx, definition)
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

/** The linter runs outside of the transactions, so that it holds no database connection. */
export async function lintPaymentRoute(
  deps: Deps,
  caller: Caller,
  body: DefinitionBody,
): Promise<readonly Finding[]> {
  const definition = requireDefinition(body)
  const lintDeps = await readLintDeps(deps, caller)
  const environment = await transact(deps, withoutKey(caller), async (tx) => {
    await endIfAnswered(tx.db, caller)
    return environmentOf(lintDeps, tx, definition)
  })
  const findings = await deps.thread.run(lintTask, caller.workspaceId, definition, environment)
  if (!caller.request?.replay) return findings
  // With an idempotency key, the last transaction stores the response, so that it can be replayed.
  return transact(deps, caller, async () => findings)
}
