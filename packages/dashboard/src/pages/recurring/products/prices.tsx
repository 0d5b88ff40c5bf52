/** The prices of a product. Their money never changes: another amount is another price. */
import type { Price, Product } from '@switchyard/sdk'
import { useState } from 'react'
import { useRows } from '../../../api/queries.ts'
import { useMay } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Chip, Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Id } from '../../../ui/values.tsx'
import { priceText } from '../price-words.ts'
import { type PriceAct, PriceActDialog } from './price-acts.tsx'
import { PriceForm } from './price-form.tsx'

export function Prices({ product }: { product: Product }) {
  const [isMaking, setMaking] = useState(false)
  const may = useMay()
  const rows = useRows(['price', { product_id: product.id }], (api, page) =>
    api.prices.list({ product_id: product.id, ...page }),
  )
  const create = (
    <Button compact refused={may('prices.create')} onClick={() => setMaking(true)}>
      Create price
    </Button>
  )
  return (
    <Panel title="Prices" beside={create} flush>
      <DataTable
        label="Prices of this product"
        columns={columnsOf(product)}
        rows={rows}
        empty={
          <Empty title="This product has no price yet." action={create}>
            A price says for how much it is sold, and how often that is billed.
          </Empty>
        }
      />
      {isMaking && <PriceForm product={product} close={() => setMaking(false)} />}
    </Panel>
  )
}

function columnsOf(product: Product): readonly Column<Price>[] {
  return [
    {
      title: 'Price',
      cell: (price) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          {priceText(price)}
          {product.default_price_id === price.id && <Chip tone="idle" text="Shown first" />}
        </span>
      ),
      phone: true,
    },
    {
      title: 'Status',
      cell: ({ active }) => <Status of={active ? 'active' : 'archived'} />,
      width: '120px',
      phone: true,
    },
    { title: 'Key', cell: ({ lookup_key: key }) => key ?? '–', width: '150px' },
    { title: 'Note', cell: ({ nickname }) => nickname ?? '' },
    { title: 'Id', cell: ({ id }) => <Id id={id} />, width: '170px' },
    {
      title: 'Actions',
      cell: (price) => <PriceMenu price={price} product={product} />,
      width: '90px',
      phone: true,
    },
  ]
}

function PriceMenu({ price, product }: { price: Price; product: Product }) {
  const [act, setAct] = useState<PriceAct | null>(null)
  const may = useMay()
  const isDefault = product.default_price_id === price.id
  return (
    <>
      <Menu
        label={`Actions for ${priceText(price)}`}
        items={[
          { text: 'Edit…', onSelect: () => setAct('edit'), refused: may('prices.update') },
          {
            text: 'Show it first…',
            onSelect: () => setAct('default'),
            refused:
              may('products.update') ??
              (isDefault ? 'It is shown first already.' : price.active ? null : 'It is archived.'),
          },
          {
            text: price.active ? 'Archive…' : 'Sell it again…',
            onSelect: () => setAct('archive'),
            refused: may('prices.update'),
          },
          {
            text: 'Delete…',
            danger: true,
            onSelect: () => setAct('delete'),
            refused: may('prices.delete'),
          },
        ]}
      />
      {act !== null && <PriceActDialog act={act} price={price} close={() => setAct(null)} />}
    </>
  )
}
