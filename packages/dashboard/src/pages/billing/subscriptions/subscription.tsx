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
import { DiscountList } from '../coupons/discount-list.tsx'
import { CustomerName, customerName, MethodName, PriceName, useCustomer } from '../names.tsx'
import { intervalText } from '../price-text.ts'
import { SubscriptionActions } from './actions/actions.tsx'
import { Calendar } from './calendar.tsx'
import { SubscriptionInvoices } from './invoices.tsx'
import { SubscriptionStatus } from './status.tsx'
import { accessText, nextChargeText, overdueText } from './subscription-text.ts'
import { SubscriptionTimeline } from './timeline.tsx'
import { Year } from './year.tsx'

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const query = useObject(['subscription', id], (api, signal) => api.subscriptions.get(id, { signal }))
  return (
    <PageLoaded query={query} title="Subscription">
      {(subscription) => <SubscriptionView subscription={subscription} />}
    </PageLoaded>
  )
}

/** The total of the next invoice, computed by the server; null while it is not known. */
function useNextAmount({ id, status, currency, updated_at }: Subscription): string | null {
  const canPreview = useIsAllowed()('subscriptions.preview')
  const { data } = useObject(
    // A separate cache key, so that actions do not refetch it: a paused subscription has no renewal to preview.
    ['renewal', 'subscription', id, updated_at],
    (api) => api.subscriptions.preview(id, { action: 'renew' }),
    { enabled: canPreview && status === 'active' },
  )
  const total = data?.invoices.reduce((sum, invoice) => sum + invoice.total, 0)
  return total === undefined || status !== 'active' ? null : moneyText(total, currency)
}

function SubscriptionView({ subscription }: { subscription: Subscription }) {
  const { data: customer } = useCustomer(subscription.customer_id)
  const amount = useNextAmount(subscription)
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Subscriptions', to: '/subscriptions' }, { text: subscription.id }]}
        title={customer === undefined ? 'Subscription' : `Subscription of ${customerName(customer)}`}
        titleExtra={<SubscriptionStatus subscription={subscription} />}
        actions={<SubscriptionActions subscription={subscription} />}
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
      label="Subscription details"
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
              <Json value={subscription} />
            </div>
          ),
        },
      ]}
    />
  )
}

function Warnings({ subscription }: { subscription: Subscription }) {
  const { parked, collection } = subscription
  return (
    <>
      {parked !== null && (
        <Banner tone="danger">
          Automatic processing of this subscription is stopped and needs review: {parked.reason}
        </Banner>
      )}
      {collection.status !== 'current' && (
        <Banner tone="danger" action={<ObjectLink id={collection.campaign_id}>Open campaign</ObjectLink>}>
          {overdueText(subscription)}
        </Banner>
      )}
    </>
  )
}

function Side({ subscription }: { subscription: Subscription }) {
  const { collection, currency, interval, items, discounts } = subscription
  return (
    <>
      <Panel title="Access">
        <p>{accessText(subscription.access)}</p>
      </Panel>
      <Panel title="Items">
        <ul className="grid gap-2">
          {items.map((item) => (
            <li key={item.id}>
              {item.quantity} × <PriceName id={item.price_id} productId={item.product_id} />
              {item.discounts.length > 0 && <DiscountList discounts={item.discounts} currency={currency} />}
            </li>
          ))}
        </ul>
      </Panel>
      {discounts.length > 0 && (
        <Panel title="Discounts">
          <DiscountList discounts={discounts} currency={currency} />
        </Panel>
      )}
      <Panel title="Details">
        <Facts
          facts={[
            ['Customer', <CustomerName key="customer" id={subscription.customer_id} />],
            ['Billed every', intervalText(interval)],
            [
              'Payment method',
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
