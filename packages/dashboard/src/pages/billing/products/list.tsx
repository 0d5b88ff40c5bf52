import type { Product } from '@switchyard/sdk'
import { useState } from 'react'
import { useNewObjects } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { usePrice } from '../names.tsx'
import { priceText } from '../price-text.ts'
import { ProductForm } from './product-form.tsx'

const filters: readonly Filter[] = [{ name: 'active', label: 'Status', options: ['active', 'archived'] }]

const columns: readonly Column<Product>[] = [
  {
    title: 'Product',
    cell: ({ id, name }) => <PageLink to={`/products/${id}`}>{name}</PageLink>,
    phone: true,
  },
  {
    title: 'Status',
    cell: ({ active }) => <Status status={active ? 'active' : 'archived'} />,
    width: '130px',
    phone: true,
  },
  { title: 'Default price', cell: ({ default_price_id: id }) => <PriceText id={id} />, phone: true },
  { title: 'Description', cell: ({ description }) => description ?? '' },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} />, width: '130px' },
]

function PriceText({ id }: { id: string | null }) {
  const { data } = usePrice(id ?? '', id !== null)
  return id === null || data === undefined ? '–' : priceText(data)
}

export function Page() {
  const { filterValues } = useFilters(filters)
  const [isCreating, setCreating] = useState(false)
  const disabledReasonFor = useDisabledReason()
  const rows = useRows(['product', filterValues], (api, page) =>
    api.products.list({
      ...page,
      ...(filterValues.active === undefined ? {} : { active: filterValues.active === 'active' }),
    }),
  )
  const create = (
    <Button
      variant="primary"
      disabledReason={disabledReasonFor('products.create')}
      onClick={() => setCreating(true)}
    >
      Create product
    </Button>
  )
  return (
    <>
      <PageHead title="Products" actions={create} />
      <Panel flush>
        <FilterBar filters={filters} />
        <DataTable
          label="Products"
          columns={columns}
          rows={rows}
          to={({ id }) => `/products/${id}`}
          newObjects={useNewObjects('product')}
          empty={
            <NothingFound filters={filters} title="No products yet." action={create}>
              A product is what you sell. Its prices set the amount and the billing interval.
            </NothingFound>
          }
        />
      </Panel>
      {isCreating && <ProductForm product={null} close={() => setCreating(false)} />}
    </>
  )
}
