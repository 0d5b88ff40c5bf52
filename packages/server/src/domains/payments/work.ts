import type { Work } from '../../deps.ts'
import { dueIn } from '../../platform/db/due.ts'
import { expirePayment } from './service/expire.ts'
import { resolvePayment } from './service/resolve.ts'
import { dueForResolving } from './store/due.ts'

export const resolvePayments: Work<'payment'> = {
  name: 'payment.resolve',
  key: 'payment',
  onClocks: true,
  due: (db, now, limit) => dueForResolving(db, 'payment.resolve', now, limit),
  handle: resolvePayment,
}

export const expirePayments: Work<'payment'> = {
  name: 'payment.expire',
  key: 'payment',
  onClocks: true,
  due: dueIn({
    ...{ work: 'payment.expire', kind: 'payment', table: 'payments', column: 'due_at' },
    onClocks: true,
  }),
  handle: expirePayment,
}
