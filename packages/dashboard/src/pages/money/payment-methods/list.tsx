/** All payment methods, the newest first. */
import type { ListPaymentMethods } from '@switchyard/sdk'
import { useState } from 'react'
import { useFresh } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useHere, useMay } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { beside, periodFilters, periodOf } from '../period.ts'
import { AddTestCard } from './add-test-card.tsx'
import { createdColumn, customerColumn, methodColumns } from './columns.tsx'

const filters: readonly Filter[] = [
  { name: 'customer_id', label: 'Customer', placeholder: 'customer_…' },
  ...periodFilters,
]
const columns = [...methodColumns, customerColumn, createdColumn]

export function Page() {
  const may = useMay()
  const { workspace } = useHere()
  const [isAdding, setAdding] = useState(false)
  const { chosen } = useFilters(filters)
  const rows = useRows(['payment_method', chosen], (api, page) =>
    api.paymentMethods.list({ ...beside<ListPaymentMethods>(chosen), ...periodOf(chosen), ...page }),
  )
  const add = workspace.mode === 'test' && (
    <Button look="primary" refused={may('payment_methods.create')} onClick={() => setAdding(true)}>
      Add a test card
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
          fresh={useFresh('payment_method')}
          empty={
            <NothingFound filters={filters} title="No payment methods yet." action={add}>
              A card is verified first, and pays once it is attached to a customer.
            </NothingFound>
          }
        />
      </Panel>
      {isAdding && <AddTestCard close={() => setAdding(false)} />}
    </>
  )
}
