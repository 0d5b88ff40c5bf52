/** All customers, the newest first. */
import type { Customer, ListCustomers } from '@switchyard/sdk'
import { useState } from 'react'
import { useFresh } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useMay } from '../../../api/workspace.tsx'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { beside, periodFilters, periodOf } from '../period.ts'
import { NewCustomer } from './new.tsx'

const filters: readonly Filter[] = [
  { name: 'email', label: 'E-mail', placeholder: 'ada@example.com' },
  ...periodFilters,
]

const columns: readonly Column<Customer>[] = [
  {
    title: 'Name',
    phone: true,
    cell: ({ id, name }) => <ObjectLink id={id}>{name ?? undefined}</ObjectLink>,
  },
  { title: 'E-mail', phone: true, cell: ({ email }) => email },
  { title: 'Description', cell: ({ description }) => description },
  { title: 'Country', width: '100px', cell: ({ address }) => address?.country },
  {
    title: 'Created',
    align: 'right',
    width: '130px',
    cell: ({ created_at }) => <Time at={created_at} />,
  },
]

export function Page() {
  const may = useMay()
  const [isNew, setNew] = useState(false)
  const { chosen } = useFilters(filters)
  const rows = useRows(['customer', chosen], (api, page) =>
    api.customers.list({ ...beside<ListCustomers>(chosen), ...periodOf(chosen), ...page }),
  )
  const create = (
    <Button look="primary" refused={may('customers.create')} onClick={() => setNew(true)}>
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
          fresh={useFresh('customer')}
          empty={
            <NothingFound filters={filters} title="No customers yet." action={create}>
              A customer has payment methods, subscriptions and payments.
            </NothingFound>
          }
        />
      </Panel>
      {isNew && <NewCustomer close={() => setNew(false)} />}
    </>
  )
}
