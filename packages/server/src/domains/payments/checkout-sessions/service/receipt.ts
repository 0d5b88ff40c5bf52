/** The receipt of a paid session: for its page, and by e-mail if that is configured. */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { transact } from '../../../../platform/db/unit-of-work.ts'
import { isColleagueEmail } from '../../../access/people/service.ts'
import type { VerifiedSession } from '../client-secret.ts'
import { type Receipt, receiptMail } from '../receipt.ts'
import type { SessionView } from '../schema/public.ts'
import { lockSession, updateSession } from '../store/sessions.ts'
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
  const items = (session.lineItems ?? []).map(({ name, quantity, unit_amount }) => ({
    name,
    quantity,
    amount: unit_amount * quantity,
  }))
  return {
    seller: seller.name,
    amount: payment.amount,
    currency: payment.currency,
    isAuthorizationOnly: payment.captureMethod === 'manual',
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

/** Worker: sends the e-mail, then records that it was sent. After a crash in between it is sent again. */
export async function sendReceipt(deps: Deps, ref: Ref<'checkout_session'>): Promise<void> {
  const caller = systemCaller(ref)
  const view = await showSession(deps, caller, { ...ref, openedLink: null })
  const { receiptDueAt, payer } = view.session
  const receipt = receiptOf(view, caller)
  const recipient = payer?.email ?? null
  const shouldSend = receiptDueAt !== null && receipt !== null && recipient !== null
  // The mailer is null if the operator has turned off e-mails since the payment.
  const sent = shouldSend && deps.mailer !== null && (await mayReceiveMail(deps, caller, recipient))
  if (sent) {
    // The message id is the same for each attempt, so that mail clients show the e-mail once.
    const id = `${ref.id}.receipt`
    await deps.mailer.send({ id, to: recipient, ...receiptMail(receipt) })
  }
  await transact(deps, caller, async (tx) => {
    const before = await lockSession(tx, ref.id)
    if (before.receiptDueAt === null) return
    await updateSession(tx, before, { receiptDueAt: null, ...(sent ? { receiptSentAt: tx.now } : {}) }, false)
  })
}

/**
 * In test mode only people of the organization get e-mails. A test payment is free and its receipt contains
 * text from the merchant, so otherwise anyone could e-mail any text to strangers from the operator's address.
 */
async function mayReceiveMail(deps: Deps, caller: Caller, address: string): Promise<boolean> {
  return caller.mode === 'live' || isColleagueEmail(deps, caller, address)
}
