import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { expireLink } from './service.ts'

export const expirePaymentLinks: WorkType<'payment_link'> = {
  name: 'payment_link.expire',
  objectKind: 'payment_link',
  due: dueIn({ work: 'payment_link.expire', kind: 'payment_link', table: 'payment_links', column: 'due_at' }),
  handle: expireLink,
}
