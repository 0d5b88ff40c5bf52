/** The receipt: what was paid, how, and its reference. It is shown whenever the URL is opened after the payment. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { PublicPayment, PublicSession } from '../api.ts'
import { brandNames } from '../card/brand.ts'
import type { PaymentController } from '../payment-controller.ts'
import type { Receipt } from '../state.ts'
import { currentLocale, translate } from '../translations.ts'

export function ReceiptPanel({ receipt, controller }: { receipt: Receipt; controller: PaymentController }) {
  const { session, canPayAgain } = receipt
  const { payment } = session
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  return (
    <div class="receipt" role="status">
      <h2 ref={title} tabIndex={-1} class="paid">
        <span class="disc" aria-hidden="true" />
        {payment !== null && headline(session, payment)}
      </h2>
      {session.success_message !== null && <p dir="auto">{session.success_message}</p>}
      <dl>
        {payment !== null && (
          <Line label={translate(session.checkout_mode === 'setup' ? 'card' : 'paid_with')}>
            {brandNames[payment.card?.brand ?? payment.payment_method_type] ?? translate('card')}{' '}
            {payment.card?.last4 && <bdi dir="ltr">·· {payment.card.last4}</bdi>}
          </Line>
        )}
        {session.receipt_email !== null && <Line label={translate('email')}>{session.receipt_email}</Line>}
        {payment !== null && (
          <Line label={translate('reference')}>
            <code>{payment.reference}</code>
          </Line>
        )}
      </dl>
      {payment?.statement_descriptor != null && (
        <p class="hint">{translate('statement', { text: payment.statement_descriptor })}</p>
      )}
      <div class="actions">
        <button class="quiet" type="button" onClick={() => print()}>
          {translate('print')}
        </button>
        {session.success_url !== null && (
          <a class="quiet" href={session.success_url}>
            {translate('back_to', { seller: session.seller.name })}
          </a>
        )}
        {canPayAgain && session.checkout_mode === 'payment' && (
          <button class="quiet" type="button" onClick={() => controller.payAgain()}>
            {translate('again')}
          </button>
        )}
      </div>
    </div>
  )
}

function Line({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** An authorized payment is not charged yet, and the bank confirms a debit later. A card can be stored without a charge. */
export function headline(
  { checkout_mode: mode }: PublicSession,
  { status, paid_at, amount }: PublicPayment,
): string {
  const at = paid_at === null ? new Date() : new Date(paid_at)
  const date = new Intl.DateTimeFormat(currentLocale(), { dateStyle: 'medium', timeStyle: 'short' }).format(
    at,
  )
  if (amount === 0) return translate(mode === 'setup' ? 'saved_on' : 'subscribed_on', { date })
  if (status === 'processing') return translate('debit_on', { date })
  return translate(status === 'requires_capture' ? 'authorized_on' : 'paid_on', { date })
}
