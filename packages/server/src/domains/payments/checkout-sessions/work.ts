import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { applyPaymentResult } from './service/apply-payment-result.ts'
import { expireSession } from './service.ts'
import { listDueSessions } from './store/due.ts'

const sessions = { kind: 'checkout_session', table: 'checkout_sessions' } as const

export const expireCheckoutSessions: WorkType<'checkout_session'> = {
  name: 'checkout_session.expire',
  objectKind: 'checkout_session',
  due: dueIn({ work: 'checkout_session.expire', ...sessions, column: 'due_at' }),
  handle: expireSession,
}

export const applyCheckoutPaymentResults: WorkType<'checkout_session'> = {
  name: 'checkout_session.settle',
  objectKind: 'checkout_session',
  due: (db, now, limit) => listDueSessions(db, 'checkout_session.settle', now, limit),
  handle: applyPaymentResult,
}
