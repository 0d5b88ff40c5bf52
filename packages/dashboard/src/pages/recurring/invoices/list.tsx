import type { ListInvoices } from '@switchyard/sdk'
import { useFresh } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { invoiceColumns } from './columns.tsx'

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', options: ['draft', 'open', 'paid', 'void', 'uncollectible'] },
  { name: 'customer_id', label: 'Customer', placeholder: 'customer_…' },
  { name: 'subscription_id', label: 'Subscription', placeholder: 'subscription_…' },
]

export function Page() {
  const { chosen } = useFilters(filters)
  const rows = useRows(['invoice', chosen], (api, page) =>
    api.invoices.list({ ...(chosen as ListInvoices), ...page }),
  )
  return (
    <>
      <PageHead title="Invoices" />
      <Panel flush>
        <FilterBar filters={filters} />
        <DataTable
          label="Invoices"
          columns={invoiceColumns}
          rows={rows}
          to={({ id }) => `/invoices/${id}`}
          fresh={useFresh('invoice')}
          empty={
            <NothingFound
              filters={filters}
              title="Nothing was billed yet."
              action={<PageLink to="/subscriptions/new">Create subscription</PageLink>}
            >
              Subscriptions make invoices by themselves, one for each period.
            </NothingFound>
          }
        />
      </Panel>
    </>
  )
}
