/** One payment: a summary sentence, a timeline, and tabs with events, messages, attempts and JSON. */
import type { Operation, Payment, PaymentAttempt, TimelineEntry } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { countText } from '../../../format/text.ts'
import { dateTimeText, durationText } from '../../../format/time.ts'
import { TimelineChart } from '../../../timeline/timeline-chart.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Json } from '../../../ui/code.tsx'
import { Columns, PageHead, Sentence } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Money } from '../../../ui/values.tsx'
import { useAccountName } from '../../accounts.ts'
import { Ledger } from '../../finance/ledger.tsx'
import { ObjectPage } from '../object-page.tsx'
import { Actions } from './actions.tsx'
import { Attempts } from './attempts.tsx'
import { Events, eventsOf } from './events.tsx'
import { Messages, OperationDetail } from './messages.tsx'
import { paymentTimeline } from './payment-timeline.ts'
import { Side, useRoute } from './side.tsx'
import { badgesOf, displayedStatus, isUnknown } from './state.ts'
import { failoverText } from './trace.ts'

/** The server checks unknown outcomes with the provider. A check may emit no event, so the page polls. */
const pollMs = 5_000

export function Page() {
  return (
    <ObjectPage
      noun="payment"
      title="Payment"
      list={{ text: 'Payments', to: '/payments' }}
      read={(api, id, signal) => api.payments.get(id, { signal })}
    >
      {(payment) => <PaymentView payment={payment} />}
    </ObjectPage>
  )
}

function PaymentView({ payment }: { payment: Payment }) {
  const { id } = payment
  const polling = { refetchInterval: payment.status === 'processing' ? pollMs : (false as const) }
  const attempts = useObject(['payment', id, 'attempts'], (api) => api.payments.attempts(id).page(), polling)
  const operations = useObject(
    ['payment', id, 'operations'],
    (api) => api.payments.operations(id).page(),
    polling,
  )
  const timeline = useObject(['payment', id, 'timeline'], (api) => api.payments.timeline(id).page(), polling)
  const loadedAttempts = attempts.data?.data ?? []
  const loadedOperations = operations.data?.data ?? []
  return (
    <>
      <Head payment={payment} attempts={loadedAttempts} operations={loadedOperations} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Loaded query={operations}>
          {() => (
            <PaymentTimeline
              payment={payment}
              attempts={loadedAttempts}
              operations={loadedOperations}
              events={eventsOf(timeline.data?.data)}
            />
          )}
        </Loaded>
        <Columns
          main={
            <Tabs
              label="Payment details"
              tabs={[
                { id: 'events', text: 'Events', content: () => <Events query={timeline} /> },
                {
                  id: 'messages',
                  text: 'Provider messages',
                  content: () => (
                    <Loaded query={operations}>{({ data }) => <Messages operations={data} />}</Loaded>
                  ),
                },
                {
                  id: 'attempts',
                  text: 'Attempts',
                  content: () => (
                    <Loaded query={attempts}>
                      {({ data }) => <Attempts attempts={data} isUnknown={isUnknown(payment)} />}
                    </Loaded>
                  ),
                },
                {
                  id: 'ledger',
                  text: 'Ledger',
                  content: () => <Ledger noun="payment" id={id} clock={payment.test_clock_id} />,
                },
                {
                  id: 'json',
                  text: 'JSON',
                  content: () => (
                    <div className="p-4">
                      <Json value={payment} label="payment JSON" />
                    </div>
                  ),
                },
              ]}
            />
          }
          side={<Side payment={payment} attempts={loadedAttempts} />}
        />
      </div>
    </>
  )
}

type PaymentParts = {
  payment: Payment
  attempts: readonly PaymentAttempt[]
  operations: readonly Operation[]
}

function Head({ payment, attempts, operations }: PaymentParts) {
  const nameOf = useAccountName()
  const path = failoverText(attempts, operations, nameOf)
  return (
    <PageHead
      crumbs={[{ text: 'Payments', to: '/payments' }, { text: payment.id }]}
      title={
        <span className="text-amount">
          <Money amount={payment.amount} currency={payment.currency} />
        </span>
      }
      titleExtra={
        <>
          <span className="text-section text-ink2">{payment.currency.toUpperCase()}</span>
          <Status status={displayedStatus(payment)} />
          {badgesOf(payment).map(({ status, text }) => (
            <Status key={text} status={status}>
              {text}
            </Status>
          ))}
        </>
      }
      actions={<Actions payment={payment} operations={operations} />}
    >
      <div className="mt-3 grid gap-1">
        <Sentence>{withCode(payment)}</Sentence>
        {path !== null && attempts.length > 1 && <Sentence>{path}</Sentence>}
        {isUnknown(payment) && (
          <Banner>
            Do not charge the customer again: this payment may have succeeded. No other provider is tried
            while the outcome is unknown.
          </Banner>
        )}
      </div>
    </PageHead>
  )
}

/** The summary from the server, with the failure code. */
function withCode({ summary, failure, unresolved_since_at }: Payment): string {
  if (failure === null || unresolved_since_at !== null) return summary
  const network = failure.network_code === null ? '' : `, network code \`${failure.network_code}\``
  return `${summary} (\`${failure.code}\`${network})`
}

function PaymentTimeline({
  payment,
  attempts,
  operations,
  events,
}: PaymentParts & { events: readonly TimelineEntry[] }) {
  const nameOf = useAccountName()
  const route = useRoute(payment.payment_route_id)
  const timeline = paymentTimeline({
    payment,
    attempts,
    operations,
    events,
    nameOf,
    routeName: route?.name ?? null,
  })
  const times = timeline.nodes.map(({ atMs }) => atMs)
  const durationMs = Math.max(...times) - Math.min(...times)
  const durationNote = durationMs === 0 ? '' : ` · ${durationText(durationMs)}`
  return (
    <TimelineChart
      {...timeline}
      label={`What happened to payment ${payment.id}`}
      note={`${countText(payment.attempts_count, 'attempt')}${durationNote} · ${dateTimeText(payment.created_at)}`}
      detail={(node) => {
        const operation = operations.find(({ id }) => node.id.startsWith(id))
        return operation === undefined ? null : <OperationDetail operation={operation} />
      }}
    />
  )
}
