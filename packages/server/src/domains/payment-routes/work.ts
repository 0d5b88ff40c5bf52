import type { Work } from '../../deps.ts'
import { dueIn } from '../../platform/db/due.ts'
import { learnRoute } from './service/learn.ts'

export const learnPaymentRoutes: Work<'payment_route'> = {
  name: 'payment_route.learn',
  key: 'payment_route',
  // A route that has just begun to learn reads a month of payments; payments must not wait for that.
  hands: 1,
  due: dueIn({
    work: 'payment_route.learn',
    kind: 'payment_route',
    table: 'payment_route_learning',
    column: 'due_at',
  }),
  handle: learnRoute,
}
