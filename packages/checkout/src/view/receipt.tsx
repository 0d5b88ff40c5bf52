/** After the payment, and for as long as the address is opened: what was paid, how, and how to refer to it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { brandNames } from '../card/brand.ts'
import type { PublicPayment } from '../doors.ts'
import type { Receipt } from '../state.ts'
import type { Till } from '../till.ts'
import { currentLocale, say } from '../words.ts'

export function ReceiptPanel({ receipt, till }: { receipt: Receipt; till: Till }) {
  const { session, canPayAgain } = receipt
  const { payment } = session
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  return (
    <div class="receipt" role="status">
      <h2 ref={title} tabIndex={-1} class="paid">
        <span class="disc" aria-hidden="true" />
        {payment !== null && headline(payment)}
      </h2>
      {session.success_message !== null && <p dir="auto">{session.success_message}</p>}
      <dl>
        {payment?.card != null && (
          <Line label={say('paid_with')}>
            {brandNames[payment.card.brand] ?? say('card')} <bdi dir="ltr">·· {payment.card.last4}</bdi>
          </Line>
        )}
        {session.receipt_email !== null && <Line label={say('email')}>{session.receipt_email}</Line>}
        {payment !== null && (
          <Line label={say('reference')}>
            <code>{payment.reference}</code>
          </Line>
        )}
      </dl>
      {payment?.statement_descriptor != null && (
        <p class="hint">{say('statement', { text: payment.statement_descriptor })}</p>
      )}
      <div class="actions">
        <button class="quiet" type="button" onClick={() => print()}>
          {say('print')}
        </button>
        {session.success_url !== null && (
          <a class="quiet" href={session.success_url}>
            {say('back_to', { seller: session.seller.name })}
          </a>
        )}
        {canPayAgain && (
          <button class="quiet" type="button" onClick={() => till.payAgain()}>
            {say('again')}
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

/** A payment that is only authorized has taken nothing yet. */
function headline({ status, paid_at }: PublicPayment): string {
  const at = paid_at === null ? new Date() : new Date(paid_at)
  const date = new Intl.DateTimeFormat(currentLocale(), { dateStyle: 'medium', timeStyle: 'short' }).format(
    at,
  )
  return say(status === 'requires_capture' ? 'authorized_on' : 'paid_on', { date })
}
