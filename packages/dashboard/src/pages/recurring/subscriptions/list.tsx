import type { ListSubscriptions, Subscription } from '@switchyard/sdk'
import { useFresh } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useMay } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink, useGo } from '../../../ui/link.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Id, Time } from '../../../ui/values.tsx'
import { nameOfCustomer, PriceName, useCustomer } from '../names.tsx'
import { SubscriptionChips } from './chips.tsx'

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', options: ['trialing', 'active', 'paused', 'cancelled'] },
  { name: 'collection_status', label: 'Collection', options: ['current', 'past_due', 'unpaid'] },
  { name: 'customer_id', label: 'Customer', placeholder: 'customer_…' },
  { name: 'price_id', label: 'Price', placeholder: 'price_…' },
  { name: 'test_clock_id', label: 'Test clock', placeholder: 'test_clock_…' },
]

const columns: readonly Column<Subscription>[] = [
  { title: 'Customer', cell: (row) => <Name of={row} />, phone: true },
  { title: 'Status', cell: (row) => <SubscriptionChips of={row} />, phone: true },
  { title: 'Plan', cell: (row) => <Plan of={row} /> },
  { title: 'Next period', cell: (row) => <Time at={row.current_period?.end_at ?? null} />, width: '140px' },
]

/** Leads to the subscription, as the row does. */
function Name({ of: { id, customer_id } }: { of: Subscription }) {
  const { data } = useCustomer(customer_id)
  return (
    <PageLink to={`/subscriptions/${id}`}>
      {data === undefined ? <Id id={customer_id} /> : nameOfCustomer(data)}
    </PageLink>
  )
}

function Plan({ of: { items } }: { of: Subscription }) {
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
  const { chosen } = useFilters(filters)
  const rows = useRows(['subscription', chosen], (api, page) =>
    api.subscriptions.list({ ...(chosen as ListSubscriptions), ...page }),
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
          fresh={useFresh('subscription')}
          empty={
            <NothingFound
              filters={filters}
              title="Nobody has a subscription yet."
              action={<NewSubscription />}
            >
              A subscription bills a customer again and again, by the prices of its items.
            </NothingFound>
          }
        />
      </Panel>
    </>
  )
}

function NewSubscription() {
  const go = useGo()
  const may = useMay()
  return (
    <Button look="primary" refused={may('subscriptions.create')} onClick={() => go('/subscriptions/new')}>
      Create subscription
    </Button>
  )
}
