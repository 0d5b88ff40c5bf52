/** The receipt of a paid session, for its page. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { VerifiedSession } from '../client-secret.ts'
import type { Receipt } from '../receipt.ts'
import type { SessionView } from '../schema/public.ts'
import { itemsOf, shownDiscounts } from '../session.ts'
import { showSession } from './show.ts'

export async function showReceipt(
  deps: Deps,
  caller: Caller,
  ref: VerifiedSession,
): Promise<{ readonly view: SessionView; readonly receipt: Receipt }> {
  const view = await showSession(deps, caller, ref)
  const receipt = receiptOf(view, caller)
  if (receipt !== null) return { view, receipt }
  return refuse('invalid_state', {
    detail: 'The receipt is available once the checkout session is paid.',
    current_status: view.status,
    allowed_actions: [],
  })
}

function receiptOf({ session, payment, seller }: SessionView, { mode }: Caller): Receipt | null {
  if (payment === null || session.completedAt === null) return null
  return {
    seller: seller.name,
    amount: payment.amount,
    currency: payment.currency,
    isAuthorizationOnly: payment.captureMethod === 'manual',
    items: itemsOf(session),
    discounts: shownDiscounts(session),
    description: session.description,
    card: { brand: payment.card.brand, last4: payment.card.last4 },
    paidAt: session.completedAt,
    reference: payment.id,
    statementDescriptor: payment.statementDescriptor,
    locale: session.locale,
    isTest: mode === 'test',
  }
}
