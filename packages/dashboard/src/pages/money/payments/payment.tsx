/** One payment: what happened and why in a sentence, then drawn, then as rows, then as JSON. */
import type { Operation, Payment, PaymentAttempt, TimelineEntry } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { dateTimeText, durationText } from '../../../format/time.ts'
import { counted } from '../../../format/words.ts'
import { Line } from '../../../line/line.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Json } from '../../../ui/code.tsx'
import { Columns, PageHead, Sentence } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Money } from '../../../ui/values.tsx'
import { useAccountName } from '../../accounts.ts'
import { ObjectPage } from '../object-page.tsx'
import { Actions } from './actions.tsx'
import { Attempts } from './attempts.tsx'
import { Events, eventsOf } from './events.tsx'
import { Messages, OperationDetail } from './messages.tsx'
import { Side, useRoute } from './side.tsx'
import { isUnknown, notesOf, shownStatus } from './state.ts'
import { storyOf } from './story.ts'
import { pathSentence } from './trace.ts'

/** What a provider has not answered is asked about by the server; its answer may come as no event. */
const watchMs = 5_000

export function Page() {
  return (
    <ObjectPage
      noun="payment"
      title="Payment"
      list={{ text: 'Payments', to: '/payments' }}
      read={(api, id, signal) => api.payments.get(id, { signal })}
    >
      {(found) => <Found payment={found} />}
    </ObjectPage>
  )
}

function Found({ payment }: { payment: Payment }) {
  const { id } = payment
  const watching = { refetchInterval: payment.status === 'processing' ? watchMs : (false as const) }
  const attempts = useObject(['payment', id, 'attempts'], (api) => api.payments.attempts(id).page(), watching)
  const operations = useObject(
    ['payment', id, 'operations'],
    (api) => api.payments.operations(id).page(),
    watching,
  )
  const timeline = useObject(['payment', id, 'timeline'], (api) => api.payments.timeline(id).page(), watching)
  const asked = attempts.data?.data ?? []
  const done = operations.data?.data ?? []
  return (
    <>
      <Head payment={payment} attempts={asked} operations={done} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Loaded of={operations}>
          {() => (
            <Story
              payment={payment}
              attempts={asked}
              operations={done}
              events={eventsOf(timeline.data?.data)}
            />
          )}
        </Loaded>
        <Columns
          main={
            <Tabs
              label="About this payment"
              tabs={[
                { id: 'events', text: 'Events', content: () => <Events of={timeline} /> },
                {
                  id: 'messages',
                  text: 'Provider messages',
                  content: () => (
                    <Loaded of={operations}>{({ data }) => <Messages operations={data} />}</Loaded>
                  ),
                },
                {
                  id: 'attempts',
                  text: 'Attempts',
                  content: () => (
                    <Loaded of={attempts}>
                      {({ data }) => <Attempts attempts={data} isUnknown={isUnknown(payment)} />}
                    </Loaded>
                  ),
                },
                {
                  id: 'json',
                  text: 'JSON',
                  content: () => (
                    <div className="p-4">
                      <Json of={payment} label="the payment" />
                    </div>
                  ),
                },
              ]}
            />
          }
          side={<Side payment={payment} attempts={asked} />}
        />
      </div>
    </>
  )
}

type Parts = {
  payment: Payment
  attempts: readonly PaymentAttempt[]
  operations: readonly Operation[]
}

function Head({ payment, attempts, operations }: Parts) {
  const nameOf = useAccountName()
  const path = pathSentence(attempts, operations, nameOf)
  return (
    <PageHead
      crumbs={[{ text: 'Payments', to: '/payments' }, { text: payment.id }]}
      title={
        <span className="text-amount">
          <Money amount={payment.amount} currency={payment.currency} />
        </span>
      }
      beside={
        <>
          <span className="text-section text-ink2">{payment.currency.toUpperCase()}</span>
          <Status of={shownStatus(payment)} />
          {notesOf(payment).map(({ status, text }) => (
            <Status key={text} of={status}>
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
          <Banner>Do not charge again meanwhile: it may have succeeded. No other provider is asked.</Banner>
        )}
      </div>
    </PageHead>
  )
}

/** The sentence of the server, with the code that people search for. */
function withCode({ summary, failure, unresolved_since_at }: Payment): string {
  if (failure === null || unresolved_since_at !== null) return summary
  const network = failure.network_code === null ? '' : `, network code \`${failure.network_code}\``
  return `${summary} (\`${failure.code}\`${network})`
}

function Story({ payment, attempts, operations, events }: Parts & { events: readonly TimelineEntry[] }) {
  const nameOf = useAccountName()
  const route = useRoute(payment.payment_route_id)
  const story = storyOf({ payment, attempts, operations, events, nameOf, routeName: route?.name ?? null })
  const times = story.nodes.map(({ atMs }) => atMs)
  const tookMs = Math.max(...times) - Math.min(...times)
  const took = tookMs === 0 ? '' : ` · ${durationText(tookMs)}`
  return (
    <Line
      {...story}
      label={`What happened to payment ${payment.id}`}
      note={`${counted(payment.attempts_count, 'attempt')}${took} · ${dateTimeText(payment.created_at)}`}
      detail={(node) => {
        const operation = operations.find(({ id }) => node.id.startsWith(id))
        return operation === undefined ? null : <OperationDetail operation={operation} />
      }}
    />
  )
}
