/** One refund: whether the money is back, and what the provider said. */
import type { Payment, Refund } from '@switchyard/sdk'
import { useState } from 'react'
import { useObject } from '../../../api/queries.ts'
import { useMay } from '../../../api/workspace.tsx'
import { words } from '../../../format/words.ts'
import { Line } from '../../../line/line.tsx'
import { ObjectLink } from '../../../shell/object-link.tsx'
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
import { refundSentence, refundStory, shownRefundStatus } from './state.ts'

const watchMs = 5_000

export function Page() {
  return (
    <ObjectPage
      noun="refund"
      title="Refund"
      list={{ text: 'Refunds', to: '/refunds' }}
      read={(api, id, signal) => api.refunds.get(id, { signal })}
    >
      {(found) => <Found refund={found} />}
    </ObjectPage>
  )
}

function Found({ refund }: { refund: Refund }) {
  const { payment_id: paymentId } = refund
  const nameOf = useAccountName()
  const payment = useObject(['payment', paymentId], (api, signal) => api.payments.get(paymentId, { signal }))
  const operations = useObject(
    ['payment', paymentId, 'operations'],
    (api) => api.payments.operations(paymentId).page(),
    { refetchInterval: refund.status === 'pending' ? watchMs : false },
  )
  const timeline = useObject(['payment', paymentId, 'timeline'], (api) =>
    api.payments.timeline(paymentId).page(),
  )
  const events = eventsOf(timeline.data?.data)
  const own = (operations.data?.data ?? []).filter(({ refund_id }) => refund_id === refund.id)
  return (
    <>
      <Head refund={refund} payment={payment.data} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Loaded of={operations}>
          {() => (
            <Line
              {...refundStory(refund, { operations: own, events }, nameOf)}
              label={`What happened to refund ${refund.id}`}
              detail={(node) => {
                const operation = own.find(({ id }) => node.id.startsWith(id))
                return operation === undefined ? null : <OperationDetail operation={operation} />
              }}
            />
          )}
        </Loaded>
        <Columns
          main={
            <Tabs
              label="About this refund"
              tabs={[
                {
                  id: 'events',
                  text: 'Events',
                  content: () => <ObjectEvents id={refund.id} noun="refund" />,
                },
                {
                  id: 'messages',
                  text: 'Provider messages',
                  content: () => <Loaded of={operations}>{() => <Messages operations={own} />}</Loaded>,
                },
                {
                  id: 'json',
                  text: 'JSON',
                  content: () => (
                    <div className="p-4">
                      <Json of={refund} label="the refund" />
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
  const may = useMay()
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
      beside={<Status of={shownRefundStatus(refund)} />}
      actions={
        <>
          {refund.review !== null && (
            <PageLink to={`/payments/${refund.payment_id}`}>Resolve on the payment</PageLink>
          )}
          {isOpen && payment !== undefined && (
            <Button look="primary" refused={may('payments.check')} onClick={() => setChecking(true)}>
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

const makers: { readonly [S in Refund['source']]: string } = {
  api: 'The API',
  provider: 'Somebody at the provider',
  automatic: 'Switchyard, by itself',
}

function Side({ refund, payment }: { refund: Refund; payment: Payment | undefined }) {
  const { currency, provider_reference: reference } = refund
  return (
    <Panel title="Refund">
      <Facts
        of={[
          ['Payment', <ObjectLink key="payment" id={refund.payment_id} />],
          ['Captured', payment && <Money amount={payment.amount_captured} currency={currency} />],
          ['Refunded in all', payment && <Money amount={payment.amount_refunded} currency={currency} />],
          ['Customer', payment?.customer_id && <ObjectLink id={payment.customer_id} />],
          ['Reason', words(refund.reason)],
          ['Made by', makers[refund.source]],
          ['Reference', reference && <Id id={reference} whole />],
          ['Created', <Time key="created" at={refund.created_at} exact />],
        ]}
      />
    </Panel>
  )
}
