import type { WorkType } from '../../../deps.ts'
import { dueForOwner, dueIn } from '../../../platform/db/due.ts'
import { expirePayment } from './commands/expire-payment.ts'
import { resolvePayment } from './operations/resolve-unknown.ts'
import { isNotSettled } from './store/payments.ts'

export const resolvePayments: WorkType<'payment'> = {
  name: 'payment.resolve',
  objectKind: 'payment',
  onTestClocks: true,
  due: dueForOwner({
    work: 'payment.resolve',
    kind: 'payment',
    table: 'operations',
    column: 'due_at',
    owner: 'payment_id',
    onTestClocks: true,
  }),
  handle: resolvePayment,
}

export const expirePayments: WorkType<'payment'> = {
  name: 'payment.expire',
  objectKind: 'payment',
  onTestClocks: true,
  due: dueIn({
    work: 'payment.expire',
    kind: 'payment',
    table: 'payments',
    column: 'due_at',
    only: isNotSettled,
    onTestClocks: true,
  }),
  handle: expirePayment,
}
