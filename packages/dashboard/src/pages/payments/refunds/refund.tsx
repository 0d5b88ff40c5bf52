/** One refund: its outcome and the messages of the provider. */
import type { Payment, Refund } from '@switchyard/sdk'
import { useState } from 'react'
import { useObject } from '../../../api/queries.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { sentenceCase } from '../../../format/text.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { TimelineChart } from '../../../timeline/timeline-chart.tsx'
import { Button } from '../../../ui/button.tsx'
import { Json } from '../../../ui/code.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Id, Money, Time } from '../../../ui/values.tsx'
import { useAccountName } from '../../accounts.ts'
import { ObjectEvents } from '../events.tsx'
import { ObjectPage } from '../object-page.tsx'
import { CheckPayment } from '../payments/check.tsx'
import { eventsOf } from '../payments/events.tsx'
import { Messages, OperationDetail } from '../payments/messages.tsx'
import { displayedRefundStatus, refundSentence, refundTimeline } from './state.ts'

const pollMs = 5_000

export function Page() {
  return (
    <ObjectPage
      noun="refund"
      title="Refund"
      list={{ text: 'Refunds', to: '/refunds' }}
      read={(api, id, signal) => api.refunds.get(id, { signal })}
    >
      {(refund) => <RefundView refund={refund} />}
    </ObjectPage>
  )
}

function RefundView({ refund }: { refund: Refund }) {
  const { payment_id: paymentId } = refund
  const nameOf = useAccountName()
  const payment = useObject(['payment', paymentId], (api, signal) => api.payments.get(paymentId, { signal }))
  const operations = useObject(
    ['payment', paymentId, 'operations'],
    (api) => api.payments.operations(paymentId).page(),
    { refetchInterval: refund.status === 'pending' ? pollMs : false },
  )
  const timeline = useObject(['payment', paymentId, 'timeline'], (api) =>
    api.payments.timeline(paymentId).page(),
  )
  const events = eventsOf(timeline.data?.data)
  const refundOperations = (operations.data?.data ?? []).filter(({ refund_id }) => refund_id === refund.id)
  return (
    <>
      <Head refund={refund} payment={payment.data} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Loaded query={operations}>
          {() => (
            <TimelineChart
              {...refundTimeline(refund, { operations: refundOperations, events }, nameOf)}
              label={`What happened to refund ${refund.id}`}
              detail={(node) => {
                const operation = refundOperations.find(({ id }) => node.id.startsWith(id))
                return operation === undefined ? null : <OperationDetail operation={operation} />
              }}
            />
          )}
        </Loaded>
        <Columns
          main={
            <Tabs
              label="Refund details"
              tabs={[
                {
                  id: 'events',
                  text: 'Events',
                  content: () => <ObjectEvents id={refund.id} noun="refund" />,
                },
                {
                  id: 'messages',
                  text: 'Provider messages',
                  content: () => (
                    <Loaded query={operations}>{() => <Messages operations={refundOperations} />}</Loaded>
                  ),
                },
                {
                  id: 'json',
                  text: 'JSON',
                  content: () => (
                    <div className="p-4">
                      <Json value={refund} label="refund JSON" />
                    </div>
                  ),
                },
              ]}
            />
          }
          side={<Side refund={refund} payment={payment.data} />}
        />
      </div>
    </>
  )
}

function Head({ refund, payment }: { refund: Refund; payment: Payment | undefined }) {
  const disabledReasonFor = useDisabledReason()
  const [isChecking, setChecking] = useState(false)
  const isOpen = refund.status === 'pending'
  return (
    <PageHead
      crumbs={[{ text: 'Refunds', to: '/refunds' }, { text: refund.id }]}
      title={
        <span className="text-amount">
          <Money amount={refund.amount} currency={refund.currency} />
        </span>
      }
      titleExtra={<Status status={displayedRefundStatus(refund)} />}
      actions={
        <>
          {refund.review !== null && (
            <PageLink to={`/payments/${refund.payment_id}`}>Resolve on the payment</PageLink>
          )}
          {isOpen && payment !== undefined && (
            <Button
              variant="primary"
              disabledReason={disabledReasonFor('payments.check')}
              onClick={() => setChecking(true)}
            >
              Check now…
            </Button>
          )}
        </>
      }
    >
      <div className="mt-3">
        <Sentence>{refundSentence(refund)}</Sentence>
      </div>
      {isChecking && payment !== undefined && (
        <CheckPayment payment={payment} operations={[]} close={() => setChecking(false)} />
      )}
    </PageHead>
  )
}

const sourceLabels: { readonly [S in Refund['source']]: string } = {
  api: 'API',
  provider: 'Provider',
  automatic: 'Switchyard (automatic)',
}

function Side({ refund, payment }: { refund: Refund; payment: Payment | undefined }) {
  const { currency, provider_reference: reference } = refund
  return (
    <Panel title="Refund">
      <Facts
        facts={[
          ['Payment', <ObjectLink key="payment" id={refund.payment_id} />],
          ['Captured', payment && <Money amount={payment.amount_captured} currency={currency} />],
          ['Total refunded', payment && <Money amount={payment.amount_refunded} currency={currency} />],
          ['Customer', payment?.customer_id && <ObjectLink id={payment.customer_id} />],
          ['Reason', sentenceCase(refund.reason)],
          ['Created by', sourceLabels[refund.source]],
          ['Reference', reference && <Id id={reference} full />],
          ['Created', <Time key="created" at={refund.created_at} exact />],
        ]}
      />
    </Panel>
  )
}
