/** All customers, the newest first. */
import type { Customer, ListCustomers } from '@switchyard/sdk'
import { useState } from 'react'
import { useNewObjects } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useTestClockFilter } from '../../../api/test-clocks.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { emailCheck } from '../../../format/filter-check.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { otherFilters, periodFilters, periodOf } from '../period.ts'
import { NewCustomer } from './new.tsx'

const filters: readonly Filter[] = [
  { name: 'email', label: 'Email', placeholder: 'ada@example.com', check: emailCheck },
  ...periodFilters,
]

const columns: readonly Column<Customer>[] = [
  {
    title: 'Name',
    phone: true,
    cell: ({ id, name }) => <ObjectLink id={id}>{name ?? undefined}</ObjectLink>,
  },
  { title: 'Email', phone: true, cell: ({ email }) => email },
  { title: 'Description', cell: ({ description }) => description },
  { title: 'Country', width: '100px', cell: ({ address }) => address?.country },
  {
    title: 'Created',
    align: 'right',
    width: '130px',
    cell: ({ created_at, test_clock_id }) => <Time at={created_at} clock={test_clock_id} />,
  },
]

export function Page() {
  const disabledReasonFor = useDisabledReason()
  const [isCreating, setCreating] = useState(false)
  const { filterValues } = useFilters(filters)
  const clocks = useTestClockFilter(filterValues)
  const rows = useRows(['customer', filterValues, clocks], (api, page) =>
    api.customers.list({
      ...otherFilters<ListCustomers>(filterValues),
      ...periodOf(filterValues),
      ...clocks,
      ...page,
    }),
  )
  const create = (
    <Button
      variant="primary"
      disabledReason={disabledReasonFor('customers.create')}
      onClick={() => setCreating(true)}
    >
      Create customer
    </Button>
  )
  return (
    <>
      <PageHead title="Customers" actions={create} />
      <Panel flush>
        <FilterBar filters={filters} />
        <DataTable
          label="Customers"
          columns={columns}
          rows={rows}
          to={({ id }) => `/customers/${id}`}
          newObjects={useNewObjects('customer')}
          empty={
            <NothingFound hasTestClocks filters={filters} title="No customers yet." action={create}>
              A customer has payment methods, subscriptions and payments.
            </NothingFound>
          }
        />
      </Panel>
      {isCreating && <NewCustomer close={() => setCreating(false)} />}
    </>
  )
}
