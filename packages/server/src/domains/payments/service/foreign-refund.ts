/** Money that a provider gave back without having been asked by us: somebody did it in its own books. */
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { ProviderEvent } from '../../../providers/contract.ts'
import * as events from '../events.ts'
import type { Operation, Payment, Refund } from '../payment.ts'
import { insertConflict } from '../store/conflicts.ts'
import { listOperations } from '../store/operations.ts'
import * as refunds from '../store/refunds.ts'
import { tell } from './tell.ts'

type Told = NonNullable<ProviderEvent['refund']>
type Named = { readonly payment: Payment; readonly operation: Operation }

/** Becomes a refund of the payment, which is locked, if so much can have been given back; else a conflict. */
export async function recordForeignRefund(tx: Tx, { payment, operation }: Named, told: Told): Promise<void> {
  if (await isKnown(tx, payment, told)) return
  const { amount, currency } = told.money
  const left = payment.amountCaptured - payment.amountRefunded - payment.amountRefunding
  if (currency !== payment.currency || amount > left) return contradict(tx, { payment, operation }, told)
  await insertDone(tx, payment, told)
  const amountRefunded = payment.amountRefunded + amount
  await tell(tx, payment, { amountRefunded }, events.paymentUpdated)
}

/** They may say it again under another name of the message, or of one that we asked for. */
async function isKnown(tx: Tx, { id }: Payment, { reference, providerReference }: Told): Promise<boolean> {
  if ((await listOperations(tx, id)).some((one) => one.reference === reference)) return true
  return (await refunds.refundsOf(tx, id)).some((one) => one.providerReference === providerReference)
}

/** Told as any refund is, so that whoever follows refunds needs to know nothing of this. */
async function insertDone(tx: Tx, payment: Payment, { money, providerReference }: Told): Promise<Refund> {
  const before = await refunds.insertRefund(tx, payment.id, {
    ...{ amount: money.amount, currency: payment.currency },
    ...{ reason: 'other', source: 'provider', metadata: {} },
  })
  tx.emit(events.refundCreated, { after: before })
  const after = await refunds.updateRefund(tx, before, { status: 'succeeded', providerReference }, true)
  tx.emit(events.refundSucceeded, { before, after })
  return after
}

async function contradict(tx: Tx, { payment, operation }: Named, told: Told): Promise<void> {
  const { money, providerReference } = told
  const said = `The provider says that it gave back ${money.amount} ${money.currency} as ${providerReference}`
  const isNew = await insertConflict(tx, operation, {
    kind: 'refund_elsewhere',
    detail: `${said}; so much of ${payment.currency} is not left of what was taken here.`,
  })
  if (isNew) await tell(tx, payment, { review: 'conflict' }, events.paymentConflictDetected)
}
