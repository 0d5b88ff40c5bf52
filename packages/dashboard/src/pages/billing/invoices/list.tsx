import type { ListInvoices } from '@switchyard/sdk'
import { useNewObjects } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useTestClockFilter } from '../../../api/test-clocks.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink, useOpenPage } from '../../../ui/link.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { invoiceColumns } from './columns.tsx'

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', options: ['draft', 'open', 'paid', 'void', 'uncollectible'] },
  { name: 'customer_id', label: 'Customer', placeholder: 'customer_…', kind: 'customer' },
  { name: 'subscription_id', label: 'Subscription', placeholder: 'subscription_…', kind: 'subscription' },
]

export function Page() {
  const { filterValues } = useFilters(filters)
  const clocks = useTestClockFilter(filterValues)
  const rows = useRows(['invoice', filterValues, clocks], (api, page) =>
    api.invoices.list({ ...(filterValues as ListInvoices), ...clocks, ...page }),
  )
  return (
    <>
      <PageHead title="Invoices" actions={<CreateButton />} />
      <Panel flush>
        <FilterBar filters={filters} />
        <DataTable
          label="Invoices"
          columns={invoiceColumns}
          rows={rows}
          to={({ id }) => `/invoices/${id}`}
          newObjects={useNewObjects('invoice')}
          empty={
            <NothingFound
              hasTestClocks
              filters={filters}
              title="No invoices yet."
              action={<PageLink to="/invoices/new">Create invoice</PageLink>}
            >
              Subscriptions create an invoice for each billing period automatically. You can also create
              one-off invoices.
            </NothingFound>
          }
        />
      </Panel>
    </>
  )
}

function CreateButton() {
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  return (
    <Button
      variant="primary"
      disabledReason={disabledReasonFor('invoices.create')}
      onClick={() => openPage('/invoices/new')}
    >
      Create invoice
    </Button>
  )
}
