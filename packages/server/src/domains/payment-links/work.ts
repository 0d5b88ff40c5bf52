import type { Work } from '../../deps.ts'
import { dueIn } from '../../platform/db/due.ts'
import { expireLink } from './service.ts'

export const expirePaymentLinks: Work<'payment_link'> = {
  name: 'payment_link.expire',
  key: 'payment_link',
  due: dueIn({ work: 'payment_link.expire', kind: 'payment_link', table: 'payment_links', column: 'due_at' }),
  handle: expireLink,
}
