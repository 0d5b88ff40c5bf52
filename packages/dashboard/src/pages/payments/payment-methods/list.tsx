/** All payment methods, the newest first. */
import type { ListPaymentMethods } from '@switchyard/sdk'
import { useState } from 'react'
import { useNewObjects } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useDisabledReason, useWorkspace } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { otherFilters, periodFilters, periodOf } from '../period.ts'
import { AddTestCard } from './add-test-card.tsx'
import { createdColumn, customerColumn, methodColumns } from './columns.tsx'

const filters: readonly Filter[] = [
  { name: 'customer_id', label: 'Customer', placeholder: 'customer_…', kind: 'customer' },
  ...periodFilters,
]
const columns = [...methodColumns, customerColumn, createdColumn]

export function Page() {
  const disabledReasonFor = useDisabledReason()
  const { workspace } = useWorkspace()
  const [isAdding, setAdding] = useState(false)
  const { filterValues } = useFilters(filters)
  const rows = useRows(['payment_method', filterValues], (api, page) =>
    api.paymentMethods.list({
      ...otherFilters<ListPaymentMethods>(filterValues),
      ...periodOf(filterValues),
      ...page,
    }),
  )
  const add = workspace.mode === 'test' && (
    <Button
      variant="primary"
      disabledReason={disabledReasonFor('payment_methods.create')}
      onClick={() => setAdding(true)}
    >
      Add test card
    </Button>
  )
  return (
    <>
      <PageHead title="Payment methods" actions={add} />
      <Panel flush>
        <FilterBar filters={filters} />
        <DataTable
          label="Payment methods"
          columns={columns}
          rows={rows}
          to={({ id }) => `/payment-methods/${id}`}
          newObjects={useNewObjects('payment_method')}
          empty={
            <NothingFound filters={filters} title="No payment methods yet." action={add}>
              A card is verified first, and can be charged once it is attached to a customer.
            </NothingFound>
          }
        />
      </Panel>
      {isAdding && <AddTestCard close={() => setAdding(false)} />}
    </>
  )
}
