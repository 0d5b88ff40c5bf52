/** The side column of a payment: amounts, payer, card, and route. */
import type { Payment, PaymentAttempt, PaymentRoute } from '@switchyard/sdk'
import type { ReactNode } from 'react'
import { useObject } from '../../../api/queries.ts'
import { debitOf, expiryText, methodText } from '../../../format/card.ts'
import { sentenceCase } from '../../../format/text.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { CopyButton, Id, Money, Time } from '../../../ui/values.tsx'
import { useAccountName } from '../../accounts.ts'
import { ruleOf } from './payment-timeline.ts'

export function useRoute(id: string | null): PaymentRoute | undefined {
  const { data } = useObject(
    ['payment_route', id ?? 'none'],
    (api, signal) => api.paymentRoutes.get(id ?? '', { signal }),
    { enabled: id !== null },
  )
  return id === null ? undefined : data
}

export function Side({ payment, attempts }: { payment: Payment; attempts: readonly PaymentAttempt[] }) {
  return (
    <>
      <MoneyFacts payment={payment} />
      <DisputeFacts payment={payment} />
      <CustomerFacts payment={payment} />
      <RouteFacts payment={payment} attempts={attempts} />
      <MoreFacts payment={payment} />
    </>
  )
}

function MoneyFacts({ payment }: { payment: Payment }) {
  const { currency, amount_captured: captured, amount_capturable: capturable } = payment
  const money = (amount: number) => <Money amount={amount} currency={currency} />
  const hasRefunds = payment.amount_refunded + payment.amount_refunding > 0
  const refunded = hasRefunds ? (
    <PageLink to="/refunds" search={{ payment_id: payment.id }}>
      {money(payment.amount_refunded)}
    </PageLink>
  ) : (
    money(payment.amount_refunded)
  )
  return (
    <Panel title="Amounts">
      <Facts
        facts={[
          ['Amount', money(payment.amount)],
          ['Capturable', capturable === 0 ? null : money(capturable)],
          ['Captured', money(captured)],
          ['Pending refund', payment.amount_refunding === 0 ? null : money(payment.amount_refunding)],
          ['Refunded', refunded],
          ['Capture', sentenceCase(payment.capture_method)],
          ['Capture before', payment.capture_before_at && <Time at={payment.capture_before_at} exact />],
        ]}
      />
    </Panel>
  )
}

/** Only if there are disputes, which most payments do not have. */
function DisputeFacts({ payment }: { payment: Payment }) {
  const { data } = useObject(['payment', payment.id, 'disputes'], (api) =>
    api.disputes.list({ payment_id: payment.id }).page(),
  )
  const disputes = data?.data ?? []
  if (disputes.length === 0) return null
  return (
    <Panel title="Disputes">
      <ul className="grid gap-2">
        {disputes.map(({ id, amount, currency, status }) => (
          <li key={id} className="flex justify-between gap-4">
            <ObjectLink id={id}>
              <Money amount={amount} currency={currency} />
            </ObjectLink>
            <Status status={status} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function CustomerFacts({ payment }: { payment: Payment }) {
  const { card, customer_id: customerId, payment_method_id: methodId } = payment
  const customer = useObject(
    ['customer', customerId ?? 'none'],
    (api, signal) => api.customers.get(customerId ?? '', { signal }),
    { enabled: customerId !== null },
  )
  const name = customer.data?.name ?? customer.data?.email
  const payer = usePayer(payment.checkout_session_id)
  const text = methodText(payment)
  const method = methodId === null ? text : <ObjectLink id={methodId}>{text}</ObjectLink>
  return (
    <Panel title="Payer">
      <Facts
        facts={[
          ['Customer', customerId && <ObjectLink id={customerId}>{name ?? undefined}</ObjectLink>],
          ['Name', payer?.name],
          ['Email', payer?.email],
          ['Phone', payer?.phone],
          ['Payment link', payment.payment_link_id && <ObjectLink id={payment.payment_link_id} />],
          ['Method', method],
          ['Expires', card && expiryText(card)],
          ['Funding', card?.funding && sentenceCase(card.funding)],
          ['Country', card === null ? debitOf(payment)?.country : card.country],
          ['Initiated by', payment.initiator === 'merchant' ? 'Merchant' : 'Payer'],
          ['3-D Secure', card && sentenceCase(payment.three_d_secure)],
          ['Mandate', debitOf(payment)?.mandate.reference],
          ...settlementFacts(payment),
        ]}
      />
    </Panel>
  )
}

/** When the bank confirms a debit, and whether it has returned it. */
function settlementFacts({
  settlement,
  reversal,
  amount_reversed: amount,
  currency,
}: Payment): [name: string, value: ReactNode][] {
  if (settlement === null) return []
  const { status, expected_at: expectedAt, settled_at: settledAt } = settlement
  return [
    ['Settlement', sentenceCase(status)],
    ['Expected', status === 'pending' && expectedAt ? <Time key="expected" at={expectedAt} exact /> : null],
    ['Settled', settledAt && <Time key="settled" at={settledAt} exact />],
    ['Returned', reversal && <Money key="amount" amount={amount} currency={currency} />],
    ['Returned at', reversal && <Time key="returned" at={reversal.reversed_at} exact />],
    ['Return reason', reversal?.reason_code],
  ]
}

/** The details that the payer entered on the checkout page, if the payment was made there. */
function usePayer(sessionId: string | null) {
  const { data } = useObject(
    ['checkout_session', sessionId ?? 'none'],
    (api, signal) => api.checkoutSessions.get(sessionId ?? '', { signal }),
    { enabled: sessionId !== null },
  )
  return sessionId === null ? null : data?.payer
}

function RouteFacts({ payment, attempts }: { payment: Payment; attempts: readonly PaymentAttempt[] }) {
  const nameOf = useAccountName()
  const route = useRoute(payment.payment_route_id)
  const { payment_route_id: routeId, provider_account_id: accountId, provider_reference: reference } = payment
  const last = attempts.at(-1)
  return (
    <Panel title="Route">
      <Facts
        facts={[
          ['Route', routeId && <ObjectLink id={routeId}>{route?.name}</ObjectLink>],
          ['Revision', payment.route_revision],
          ['Rule', last && sentenceCase(ruleOf(last.trace))],
          ['Provider', accountId && <ObjectLink id={accountId}>{nameOf(accountId)}</ObjectLink>],
          [
            'Reference',
            reference && (
              <span className="inline-flex flex-wrap items-center justify-end gap-1">
                <Id id={reference} full />
                <CopyButton text={reference} />
              </span>
            ),
          ],
        ]}
      />
    </Panel>
  )
}

function MoreFacts({ payment }: { payment: Payment }) {
  const metadata = Object.entries(payment.metadata)
  return (
    <Panel title="Details">
      <Facts
        facts={[
          ['Created', <Time key="created" at={payment.created_at} exact />],
          ['Order number', payment.order_reference],
          ['Description', payment.description],
          ['Statement descriptor', payment.statement_descriptor],
          ['Invoice', payment.invoice_id && <ObjectLink id={payment.invoice_id} />],
          ['Payment link', payment.payment_link_id && <ObjectLink id={payment.payment_link_id} />],
          ...metadata.map(([name, value]) => [name, value] as const),
        ]}
      />
    </Panel>
  )
}
