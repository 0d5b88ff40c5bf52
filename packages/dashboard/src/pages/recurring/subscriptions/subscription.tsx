import type { Subscription } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useObject } from '../../../api/queries.ts'
import { useIsAllowed } from '../../../api/workspace.tsx'
import { moneyText } from '../../../format/money.ts'
import { dateText } from '../../../format/time.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Json } from '../../../ui/code.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Money, Time } from '../../../ui/values.tsx'
import { CustomerName, MethodName, nameOfCustomer, PriceName, useCustomer } from '../names.tsx'
import { intervalText } from '../price-words.ts'
import { SubscriptionActs } from './acts/acts.tsx'
import { Calendar } from './calendar.tsx'
import { SubscriptionChips } from './chips.tsx'
import { SubscriptionInvoices } from './invoices.tsx'
import { SubscriptionTimeline } from './timeline.tsx'
import { accessText, finalWords, nextChargeText } from './words.ts'
import { Year } from './year.tsx'

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const found = useObject(['subscription', id], (api, signal) => api.subscriptions.get(id, { signal }))
  return (
    <PageLoaded of={found} title="Subscription">
      {(subscription) => <Shown subscription={subscription} />}
    </PageLoaded>
  )
}

/** What the next invoice comes to, by the server's own arithmetic. Null while it is not known. */
function useNextAmount({ id, status, currency, updated_at }: Subscription): string | null {
  const mayAsk = useIsAllowed()('subscriptions.preview')
  const { data } = useObject(
    // Not by the names that acts read again: of what is paused meanwhile there is no renewal to ask for.
    ['renewal', 'of', id, updated_at],
    (api) => api.subscriptions.preview(id, { action: 'renew' }),
    { enabled: mayAsk && status === 'active' },
  )
  const total = data?.invoices.reduce((sum, invoice) => sum + invoice.total, 0)
  return total === undefined || status !== 'active' ? null : moneyText(total, currency)
}

function Shown({ subscription }: { subscription: Subscription }) {
  const { data: customer } = useCustomer(subscription.customer_id)
  const amount = useNextAmount(subscription)
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Subscriptions', to: '/subscriptions' }, { text: subscription.id }]}
        title={customer === undefined ? 'Subscription' : `Subscription of ${nameOfCustomer(customer)}`}
        beside={<SubscriptionChips of={subscription} />}
        actions={<SubscriptionActs subscription={subscription} />}
      >
        <div className="mt-2">
          <Sentence>{nextChargeText(subscription, amount)}</Sentence>
        </div>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Warnings subscription={subscription} />
        <Year subscription={subscription} />
        <Columns
          main={
            <>
              <Calendar subscription={subscription} amount={amount} />
              <Details subscription={subscription} />
            </>
          }
          side={<Side subscription={subscription} />}
        />
      </div>
    </>
  )
}

function Details({ subscription }: { subscription: Subscription }) {
  return (
    <Tabs
      label="More about this subscription"
      tabs={[
        {
          id: 'invoices',
          text: 'Invoices',
          content: () => <SubscriptionInvoices subscription={subscription} />,
        },
        {
          id: 'timeline',
          text: 'Timeline',
          content: () => <SubscriptionTimeline subscription={subscription} />,
        },
        {
          id: 'json',
          text: 'JSON',
          content: () => (
            <div className="p-4">
              <Json of={subscription} />
            </div>
          ),
        },
      ]}
    />
  )
}

function Warnings({ subscription }: { subscription: Subscription }) {
  const { parked, collection, currency } = subscription
  return (
    <>
      {parked !== null && (
        <Banner tone="danger">
          Something is wrong with it, and nothing happens by itself until somebody has looked: {parked.reason}
        </Banner>
      )}
      {collection.status !== 'current' && (
        <Banner tone="danger" action={<ObjectLink id={collection.campaign_id}>Open the campaign</ObjectLink>}>
          {moneyText(collection.overdue_amount, currency)} is overdue
          {collection.past_due_since_at !== null && ` since ${dateText(collection.past_due_since_at)}`}.
          {collection.next_attempt_at !== null &&
            ` It is tried again on ${dateText(collection.next_attempt_at)}.`}
          {collection.final_action !== null &&
            collection.final_action_at !== null &&
            ` If nothing helps by ${dateText(collection.final_action_at)}, ${finalWords(collection.final_action)}.`}
        </Banner>
      )}
    </>
  )
}

function Side({ subscription }: { subscription: Subscription }) {
  const { collection, currency, interval, items } = subscription
  return (
    <>
      <Panel title="Access">
        <p>{accessText(subscription.access)}</p>
      </Panel>
      <Panel title="What is billed">
        <ul className="grid gap-2">
          {items.map((item) => (
            <li key={item.id}>
              {item.quantity} × <PriceName id={item.price_id} productId={item.product_id} />
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title="Details">
        <Facts
          of={[
            ['Customer', <CustomerName key="customer" id={subscription.customer_id} />],
            ['Billed every', intervalText(interval)],
            [
              'Paid with',
              subscription.payment_method_id === null ? (
                'No card'
              ) : (
                <MethodName key="method" id={subscription.payment_method_id} />
              ),
            ],
            ['Period', periodText(subscription)],
            ['Trial until', subscription.trial === null ? null : dateText(subscription.trial.end_at)],
            [
              'Overdue',
              collection.overdue_amount === 0 ? null : (
                <Money key="overdue" amount={collection.overdue_amount} currency={currency} />
              ),
            ],
            ['Route', subscription.payment_route_id && <ObjectLink id={subscription.payment_route_id} />],
            ['Test clock', subscription.test_clock_id && <ObjectLink id={subscription.test_clock_id} />],
            ['Started', <Time key="started" at={subscription.started_at} exact />],
            ['Note', subscription.description],
          ]}
        />
      </Panel>
    </>
  )
}

function periodText({ current_period: period }: Subscription): string | null {
  return period === null ? null : `${dateText(period.start_at)} to ${dateText(period.end_at)}`
}
