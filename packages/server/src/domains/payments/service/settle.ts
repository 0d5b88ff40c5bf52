/** A person has asked the provider, and says what became of an operation that nobody else could tell about. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { money } from '../../../kernel/money.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { scrub } from '../../../platform/log.ts'
import { recordAct } from '../../audit/service.ts'
import type { Learned } from '../decide.ts'
import type { Operation, Payment } from '../payment.ts'
import { hasOpenConflict } from '../store/conflicts.ts'
import { listOperations } from '../store/operations.ts'
import { lockPayment } from '../store/payments.ts'
import { endConflicts } from './conflict.ts'
import { carryOut } from './create.ts'
import { type Progress, record } from './record.ts'

export type Word = {
  readonly outcome: 'succeeded' | 'not_processed'
  readonly provider_reference?: string | undefined
  readonly note: string
}
type Named = { readonly payment_id: string; readonly operation_id: string }

export function resolveOperation(deps: Deps, caller: Caller, named: Named, word: Word): Promise<Progress> {
  return carryOut(deps, caller, 'payment', async (tx) => {
    const payment = await lockPayment(tx, named.payment_id)
    const operation = await requireOperation(tx, payment, named.operation_id)
    const reached =
      operation.status === 'needs_review'
        ? await settle(deps, tx, operation, word)
        : await settleConflict(tx, { payment, operation }, word)
    await recordAct(tx, 'operation.resolved', {
      objectId: operation.id,
      details: {
        payment_id: payment.id,
        outcome: word.outcome,
        provider_reference: word.provider_reference ?? null,
        note: scrub(word.note),
      },
    })
    const after = await endConflicts(tx, reached.payment, operation)
    return { ...reached, id: payment.id, payment: after }
  })
}

async function requireOperation(tx: Tx, { id }: Payment, operationId: string): Promise<Operation> {
  const operation = (await listOperations(tx, id)).find((one) => one.id === operationId)
  return operation ?? refuse('not_found', { detail: 'There is no such operation of this payment.' })
}

/** As if the provider had said it, but for two things: nobody else is asked, and nothing goes again. */
function settle(deps: Deps, tx: Tx, operation: Operation, word: Word): Promise<Progress> {
  const learned = learnedOf(operation, word)
  return record(deps, tx, operation.paymentId, operation.id, { learned, differs: false, byPerson: true })
}

function learnedOf({ amount, currency, providerReference }: Operation, word: Word): Learned {
  if (word.outcome === 'not_processed') return { is: 'closed' }
  const ref = word.provider_reference ?? providerReference
  if (ref === null) return refuseMember('/provider_reference', 'required', 'is required: it is not known yet')
  return { is: 'succeeded', ref, money: money(amount, currency) }
}

/** Books that are closed stay as they are. What contradicted them was put right at the provider. */
async function settleConflict(
  tx: Tx,
  { payment, operation }: { readonly payment: Payment; readonly operation: Operation },
  { outcome }: Word,
): Promise<Progress> {
  if (!(await hasOpenConflict(tx, payment.id, operation.id)))
    refuse('invalid_state', {
      detail: 'Only an operation that needs a person can be resolved by one.',
      current_status: operation.status,
      allowed_actions: [],
    })
  if (outcome !== 'not_processed')
    refuseMember(
      '/outcome',
      'not_in_list',
      'must be not_processed: the operation has ended, and stays as it is',
    )
  return { id: payment.id, payment, next: null }
}
