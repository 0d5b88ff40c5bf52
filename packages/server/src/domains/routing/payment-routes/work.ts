import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { learnRoute } from './service/learn.ts'

export const learnApprovalRates: WorkType<'payment_route'> = {
  name: 'payment_route.learn',
  objectKind: 'payment_route',
  // A route that starts learning reads a month of payments. Only one worker at a time does this, so that
  // payments do not wait for the database.
  concurrency: 1,
  due: dueIn({
    work: 'payment_route.learn',
    kind: 'payment_route',
    table: 'payment_route_learning',
    column: 'due_at',
  }),
  handle: learnRoute,
}
