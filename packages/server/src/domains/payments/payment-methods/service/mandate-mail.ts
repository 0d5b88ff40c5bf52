/** The e-mail that confirms the mandate of a debit to the payer, once for each mandate. */
import type { Currency } from '../../../../kernel/currency.ts'
import type { DebitDetails } from '../../../../kernel/debit-details.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { createMails, type NewMail } from '../../mails/service.ts'

type Mandated = {
  /** The first payment with the mandate: the debit, or the verification of a saved account. */
  readonly paymentId: Id<'payment'>
  readonly debit: DebitDetails
  /** The amount that is debited now; null if the account is only saved. */
  readonly charge: { readonly amount: bigint; readonly currency: Currency } | null
}

export async function mailMandate(
  tx: Tx,
  { paymentId, debit, charge }: Mandated,
  to: Pick<NewMail, 'customerId' | 'recipient' | 'locale'>,
): Promise<void> {
  const { reference, accepted_at: at } = debit.mandate
  const money = charge === null ? {} : { amount: String(charge.amount), currency: charge.currency }
  const facts = { ...money, at, debit: { last4: debit.last4, mandate: reference } }
  await createMails(tx, [{ kind: 'mandate_created', objectId: paymentId, step: 0, ...to, facts }])
}
