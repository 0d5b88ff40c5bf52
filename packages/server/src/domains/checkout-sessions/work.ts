import type { Work } from '../../deps.ts'
import { dueIn } from '../../platform/db/due.ts'
import { sendReceipt } from './service/receipt.ts'
import { settleSession } from './service/settle.ts'
import { expireSession } from './service.ts'
import { dueForSettling } from './store/due.ts'

const sessions = { kind: 'checkout_session', table: 'checkout_sessions' } as const

export const expireCheckoutSessions: Work<'checkout_session'> = {
  name: 'checkout_session.expire',
  key: 'checkout_session',
  due: dueIn({ work: 'checkout_session.expire', ...sessions, column: 'due_at' }),
  handle: expireSession,
}

export const settleCheckoutSessions: Work<'checkout_session'> = {
  name: 'checkout_session.settle',
  key: 'checkout_session',
  due: (db, now, limit) => dueForSettling(db, 'checkout_session.settle', now, limit),
  handle: settleSession,
}

export const sendReceipts: Work<'checkout_session'> = {
  name: 'checkout_session.send_receipt',
  key: 'checkout_session',
  due: dueIn({ work: 'checkout_session.send_receipt', ...sessions, column: 'receipt_due_at' }),
  handle: sendReceipt,
}
