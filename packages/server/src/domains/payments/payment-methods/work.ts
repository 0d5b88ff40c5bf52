import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { expirePaymentMethod } from './service.ts'

export const expirePaymentMethods: WorkType<'payment_method'> = {
  name: 'payment_method.expire',
  objectKind: 'payment_method',
  due: dueIn({
    work: 'payment_method.expire',
    kind: 'payment_method',
    table: 'payment_methods',
    column: 'due_at',
  }),
  handle: expirePaymentMethod,
}
