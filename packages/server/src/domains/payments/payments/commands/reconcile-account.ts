/**
 * Compares the operations that a provider lists with ours, and makes our records equal to them. Each operation is handled
 * in its own transaction. After an interruption, the next run continues where this one stopped, because it finds nothing left
 * to do for the operations that were already handled.
 */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { monotonicMs } from '../../../../kernel/clock.ts'
import type { Id } from '../../../../kernel/id.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { canList, type ListedOperation } from '../../../../providers/contract.ts'
import { openAccount } from '../../../routing/provider-accounts/service/open.ts'
import { compareListed, type Finding } from '../operations/compare-listed.ts'
import type { Progress } from '../operations/progress.ts'
import {
  flagContradiction,
  flagRebuilt,
  rebuildOperation,
  rebuildPayment,
  recordListed,
  recordListedRefund,
  returnRebuilt,
} from '../operations/rebuild.ts'
import { runInBackground } from '../operations/run.ts'
import { isDerived } from '../rules/reference.ts'
import { findPayment, lockPayment } from '../store/payments.ts'

export type ReconcileOptions = {
  readonly since: Date
  /** False: a dry run that changes nothing. */
  readonly apply: boolean
  /** Whether to void or refund charges whose request cannot be identified. */
  readonly returnUnknown: boolean
}

export type ReconciledOperation = {
  readonly listed: ListedOperation
  readonly finding: Finding['is']
  readonly paymentId: Id<'payment'> | null
  /** Whether the charge is voided or refunded, or would be if this were not a dry run. */
  readonly isReturned: boolean
}

type ListFault = { readonly fault: string }

type AccountId = Id<'provider_account'>
type Handled = Omit<ReconciledOperation, 'listed'>

/** Yields each listed operation, or why the list cannot be read. */
export async function* reconcileAccount(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  accountId: AccountId,
  options: ReconcileOptions,
): AsyncGenerator<ReconciledOperation | ListFault, void> {
  const caller = systemCaller({ workspaceId, id: workspaceId })
  const all = await listAll(deps, caller, accountId, options.since)
  if ('fault' in all) {
    yield all
    return
  }
  const rebuiltParents = new Set<string>()
  for (const [index, listed] of all.entries()) {
    const rest = all.slice(index + 1)
    const handled = options.apply
      ? await apply(deps, caller, accountId, { listed, rest, options })
      : await preview(deps, caller, accountId, { listed, rebuiltParents, options })
    crashpoint('reconcile.handled')
    yield { listed, ...handled }
  }
}

export async function canListOperations(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  accountId: AccountId,
): Promise<boolean> {
  const { provider, config } = await openAccount(deps, workspaceId, accountId)
  return canList(provider, config)
}

/** A provider that returns the same page again and again must not keep the command running. */
const maxPages = 100_000
const pageTimeoutMs = 30_000

/** Sorted so that an operation follows the one that it acts on. */
async function listAll(
  deps: Deps,
  caller: Caller,
  accountId: AccountId,
  since: Date,
): Promise<readonly ListedOperation[] | ListFault> {
  const { account, provider, config } = await openAccount(deps, caller.workspaceId, accountId)
  const listed: ListedOperation[] = []
  let cursor: string | null = null
  for (let page = 0; page < maxPages; page++) {
    const result = await deps.performer.list({
      provider,
      step: 'list',
      input: { since, cursor },
      account: { id: account.id, mode: caller.mode, config },
      deadlineMs: monotonicMs() + pageTimeoutMs,
    })
    if ('fault' in result) return result
    listed.push(...result.operations)
    cursor = result.next
    if (cursor === null) return listed.toSorted(inOrder)
  }
  return { fault: 'The list has too many pages.' }
}

const kindsInOrder = ['verify', 'authorize', 'capture', 'void', 'refund'] as const

function inOrder(a: ListedOperation, b: ListedOperation): number {
  const byTime = a.createdAt.getTime() - b.createdAt.getTime()
  return byTime === 0 ? kindsInOrder.indexOf(a.kind) - kindsInOrder.indexOf(b.kind) : byTime
}

type Preview = {
  readonly listed: ListedOperation
  /** The references of the charges that would be rebuilt. */
  readonly rebuiltParents: Set<string>
  readonly options: ReconcileOptions
}

function preview(
  deps: Deps,
  caller: Caller,
  accountId: AccountId,
  { listed, rebuiltParents, options }: Preview,
): Promise<Handled> {
  return read(deps, caller, async (view) => {
    const finding = await compareListed(view, accountId, listed, (id) => findPayment(view, id))
    const { reference, providerReference, parent } = listed
    if (finding.is === 'lost_payment') rebuiltParents.add(reference ?? '').add(providerReference)
    const hasParent =
      rebuiltParents.has(parent?.reference ?? '') || rebuiltParents.has(parent?.providerReference ?? '')
    const isLost = hasParent && (finding.is === 'orphan' || finding.is === 'foreign')
    return {
      ...handledOf(finding, listed, options),
      ...(isLost ? { finding: 'lost_operation' as const } : {}),
    }
  })
}

function handledOf(finding: Finding, listed: ListedOperation, options: ReconcileOptions): Handled {
  return {
    finding: finding.is,
    paymentId: 'payment' in finding ? finding.payment.id : null,
    isReturned: (finding.is === 'lost_payment' || finding.is === 'rebuilt') && isToReturn(listed, options),
  }
}

/**
 * A charge whose request had an idempotency key is neither voided nor refunded: a repeat of the request
 * returns the rebuilt payment.
 */
function isToReturn({ reference }: ListedOperation, { returnUnknown }: ReconcileOptions): boolean {
  return returnUnknown && reference !== null && !isDerived(reference)
}

type Application = {
  readonly listed: ListedOperation
  readonly rest: readonly ListedOperation[]
  readonly options: ReconcileOptions
}

async function apply(
  deps: Deps,
  caller: Caller,
  accountId: AccountId,
  { listed, rest, options }: Application,
): Promise<Handled> {
  const startedMs = monotonicMs()
  const { handled, next, paymentId } = await transact(deps, caller, async (tx) => {
    const finding = await compareListed(tx, accountId, listed, (id) => lockPayment(tx, id))
    const progress = await applyFinding(deps, tx, accountId, { finding, listed, rest, options })
    const found = handledOf(finding, listed, options)
    const id = progress?.payment.id ?? found.paymentId
    return { handled: { ...found, paymentId: id }, next: progress?.next ?? null, paymentId: id }
  })
  if (next !== null && paymentId !== null)
    await runInBackground(deps, { workspaceId: caller.workspaceId, id: paymentId }, { next }, startedMs)
  return handled
}

type FoundOperation = Application & { readonly finding: Finding }

/** Null if no payment was changed, or nothing is left to send. */
async function applyFinding(
  deps: Deps,
  tx: Tx,
  accountId: AccountId,
  { finding, listed, rest, options }: FoundOperation,
): Promise<Progress | null> {
  const { reference } = listed
  switch (finding.is) {
    case 'differs':
      return recordListed(deps, tx, finding.operation, listed)
    case 'lost_payment': {
      const match = await rebuildPayment(deps, tx, accountId, { ...listed, reference: reference ?? '' })
      if (isToReturn(listed, options)) return returnRebuilt(tx, match)
      await flagRebuilt(tx, match)
      return { id: match.payment.id, payment: match.payment, next: null }
    }
    case 'rebuilt':
      return isToReturn(listed, options) ? returnRebuilt(tx, finding) : null
    case 'lost_operation': {
      const isFinal = !rest.some(
        ({ kind, parent }) => kind === 'capture' && isSameParent(parent, listed.parent),
      )
      return rebuildOperation(deps, tx, finding, { ...listed, reference: reference ?? '' }, isFinal)
    }
    case 'external_refund':
      await recordListedRefund(tx, finding, listed)
      return null
    case 'contradiction':
      await flagContradiction(tx, finding, listed)
      return null
    default:
      return null
  }
}

function isSameParent(a: ListedOperation['parent'], b: ListedOperation['parent']): boolean {
  return a?.reference === b?.reference && a?.providerReference === b?.providerReference
}
