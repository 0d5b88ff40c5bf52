import type { ListSubscriptions, Subscription } from '@switchyard/sdk'
import { useNewObjects } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useTestClockFilter } from '../../../api/test-clocks.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink, useOpenPage } from '../../../ui/link.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Id, Time } from '../../../ui/values.tsx'
import { customerName, PriceName, useCustomer } from '../names.tsx'
import { SubscriptionStatus } from './status.tsx'

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', options: ['trialing', 'active', 'paused', 'cancelled'] },
  { name: 'collection_status', label: 'Collection', options: ['current', 'past_due', 'unpaid'] },
  { name: 'customer_id', label: 'Customer', placeholder: 'customer_…', kind: 'customer' },
  { name: 'price_id', label: 'Price', placeholder: 'price_…', kind: 'price' },
  { name: 'test_clock_id', label: 'Test clock', placeholder: 'test_clock_…', kind: 'test_clock' },
]

const columns: readonly Column<Subscription>[] = [
  { title: 'Customer', cell: (row) => <CustomerLink subscription={row} />, phone: true },
  { title: 'Status', cell: (row) => <SubscriptionStatus subscription={row} />, phone: true },
  { title: 'Plan', cell: (row) => <Plan subscription={row} /> },
  {
    title: 'Next period',
    cell: (row) => <Time at={row.current_period?.end_at ?? null} clock={row.test_clock_id} />,
    width: '140px',
  },
]

/** The name of the customer. It links to the subscription, as the row does. */
function CustomerLink({ subscription: { id, customer_id } }: { subscription: Subscription }) {
  const { data } = useCustomer(customer_id)
  return (
    <PageLink to={`/subscriptions/${id}`}>
      {data === undefined ? <Id id={customer_id} /> : customerName(data)}
    </PageLink>
  )
}

function Plan({ subscription: { items } }: { subscription: Subscription }) {
  const [first, ...others] = items
  if (first === undefined) return null
  return (
    <>
      {first.quantity > 1 && `${first.quantity} × `}
      <PriceName id={first.price_id} productId={first.product_id} />
      {others.length > 0 && ` and ${others.length} more`}
    </>
  )
}

export function Page() {
  const { filterValues } = useFilters(filters)
  const clocks = useTestClockFilter(filterValues)
  const rows = useRows(['subscription', filterValues, clocks], (api, page) =>
    api.subscriptions.list({ ...(filterValues as ListSubscriptions), ...clocks, ...page }),
  )
  return (
    <>
      <PageHead title="Subscriptions" actions={<NewSubscription />} />
      <Panel flush>
        <FilterBar filters={filters} />
        <DataTable
          label="Subscriptions"
          columns={columns}
          rows={rows}
          to={({ id }) => `/subscriptions/${id}`}
          newObjects={useNewObjects('subscription')}
          empty={
            <NothingFound
              hasTestClocks
              filters={filters}
              title="No subscriptions yet."
              action={<NewSubscription />}
            >
              A subscription bills a customer on a schedule, based on the prices of its items.
            </NothingFound>
          }
        />
      </Panel>
    </>
  )
}

function NewSubscription() {
  const openPage = useOpenPage()
  const disabledReasonFor = useDisabledReason()
  return (
    <Button
      variant="primary"
      disabledReason={disabledReasonFor('subscriptions.create')}
      onClick={() => openPage('/subscriptions/new')}
    >
      Create subscription
    </Button>
  )
}
