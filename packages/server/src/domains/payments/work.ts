import type { Work } from '../../deps.ts'
import { dueForOwner, dueIn } from '../../platform/db/due.ts'
import { expirePayment } from './service/expire.ts'
import { resolvePayment } from './service/resolve.ts'

export const resolvePayments: Work<'payment'> = {
  name: 'payment.resolve',
  key: 'payment',
  onClocks: true,
  due: dueForOwner({
    ...{ work: 'payment.resolve', kind: 'payment', table: 'operations', column: 'due_at' },
    ...{ owner: 'payment_id', onClocks: true },
  }),
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
