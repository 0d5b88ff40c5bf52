import type { Product } from '@switchyard/sdk'
import { useState } from 'react'
import { useFresh } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useMay } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { usePrice } from '../names.tsx'
import { priceText } from '../price-words.ts'
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
    cell: ({ active }) => <Status of={active ? 'active' : 'archived'} />,
    width: '130px',
    phone: true,
  },
  { title: 'Shown price', cell: ({ default_price_id: id }) => <PriceText id={id} />, phone: true },
  { title: 'Description', cell: ({ description }) => description ?? '' },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} />, width: '130px' },
]

function PriceText({ id }: { id: string | null }) {
  const { data } = usePrice(id ?? '', id !== null)
  return id === null || data === undefined ? '–' : priceText(data)
}

export function Page() {
  const { chosen } = useFilters(filters)
  const [isMaking, setMaking] = useState(false)
  const may = useMay()
  const rows = useRows(['product', chosen], (api, page) =>
    api.products.list({
      ...page,
      ...(chosen.active === undefined ? {} : { active: chosen.active === 'active' }),
    }),
  )
  const create = (
    <Button look="primary" refused={may('products.create')} onClick={() => setMaking(true)}>
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
          fresh={useFresh('product')}
          empty={
            <NothingFound filters={filters} title="Nothing is sold yet." action={create}>
              A product is what you sell; its prices say for how much and how often.
            </NothingFound>
          }
        />
      </Panel>
      {isMaking && <ProductForm product={null} close={() => setMaking(false)} />}
    </>
  )
}
