/** The receipt of a session that is paid: for its page, and by mail if somebody has set that up. */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Ref } from '../../../kernel/id.ts'
import { transact } from '../../../platform/db/unit-of-work.ts'
import { type Receipt, receiptMail } from '../receipt.ts'
import type { SessionView } from '../schema/public.ts'
import { lockSession, updateSession } from '../store/sessions.ts'
import { showSession } from './show.ts'

export async function showReceipt(
  deps: Deps,
  caller: Caller,
  ref: Ref<'checkout_session'>,
): Promise<{ readonly view: SessionView; readonly receipt: Receipt }> {
  const view = await showSession(deps, caller, ref)
  const receipt = receiptOf(view, caller)
  if (receipt !== null) return { view, receipt }
  return refuse('invalid_state', {
    detail: 'There is a receipt once it is paid.',
    current_status: view.status,
    allowed_actions: [],
  })
}

function receiptOf({ session, payment, seller }: SessionView, { mode }: Caller): Receipt | null {
  if (payment === null || session.completedAt === null) return null
  const items = (session.lineItems ?? []).map(({ name, quantity, unit_amount }) => ({
    ...{ name, quantity, amount: unit_amount * quantity },
  }))
  return {
    seller: seller.name,
    amount: payment.amount,
    currency: payment.currency,
    isHeld: payment.captureMethod === 'manual',
    items,
    description: session.description,
    card: { brand: payment.card.brand, last4: payment.card.last4 },
    paidAt: session.completedAt,
    reference: payment.id,
    statementDescriptor: payment.statementDescriptor,
    locale: session.locale,
    isTest: mode === 'test',
  }
}

/** Work: the mail goes out, and then it is noted. A process that dies in between sends it again. */
export async function sendReceipt(deps: Deps, ref: Ref<'checkout_session'>): Promise<void> {
  const caller = systemCaller(ref)
  const view = await showSession(deps, caller, ref)
  const { receiptDueAt, payer } = view.session
  const receipt = receiptOf(view, caller)
  const isWanted = receiptDueAt !== null && receipt !== null && payer !== null && payer.email !== null
  // Whoever took the mails away again has decided that there are none.
  const sent = isWanted && deps.mailer !== null
  if (sent) {
    // The same name for the same mail, so that a reader shows it once.
    const id = `${ref.id}.receipt`
    await deps.mailer.send({ id, to: payer.email, ...receiptMail(receipt) })
  }
  await transact(deps, caller, async (tx) => {
    const before = await lockSession(tx, ref.id)
    if (before.receiptDueAt === null) return
    await updateSession(tx, before, { receiptDueAt: null, ...(sent ? { receiptSentAt: tx.now } : {}) }, false)
  })
}
