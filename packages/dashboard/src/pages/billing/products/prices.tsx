/** The prices of a product. The terms of a price are immutable: different terms need a new price. */
import type { Price, Product } from '@switchyard/sdk'
import { useState } from 'react'
import { useRows } from '../../../api/queries.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Chip, Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Id } from '../../../ui/values.tsx'
import { priceText, tierLines } from '../price-text.ts'
import { type PriceAction, PriceActionDialog } from './price-actions.tsx'
import { PriceForm } from './price-form.tsx'

export function Prices({ product }: { product: Product }) {
  const [isCreating, setCreating] = useState(false)
  const disabledReasonFor = useDisabledReason()
  const rows = useRows(['price', { product_id: product.id }], (api, page) =>
    api.prices.list({ product_id: product.id, ...page }),
  )
  const create = (
    <Button compact disabledReason={disabledReasonFor('prices.create')} onClick={() => setCreating(true)}>
      Create price
    </Button>
  )
  return (
    <Panel title="Prices" titleExtra={create} flush>
      <DataTable
        label="Prices of this product"
        columns={columnsOf(product)}
        rows={rows}
        empty={
          <Empty title="No prices yet." action={create}>
            A price sets the amount and the billing interval of a product.
          </Empty>
        }
      />
      {isCreating && <PriceForm product={product} close={() => setCreating(false)} />}
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
          {price.tiers !== null && (
            <ul className="w-full text-compact text-ink2" aria-label="Tiers">
              {tierLines(price).map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          )}
          {product.default_price_id === price.id && <Chip tone="neutral" text="Default" />}
        </span>
      ),
      phone: true,
    },
    {
      title: 'Status',
      cell: ({ active }) => <Status status={active ? 'active' : 'archived'} />,
      width: '120px',
      phone: true,
    },
    { title: 'Lookup key', cell: ({ lookup_key: key }) => key ?? '–', width: '150px' },
    { title: 'Note', cell: ({ nickname }) => nickname ?? '' },
    { title: 'ID', cell: ({ id }) => <Id id={id} />, width: '170px' },
    {
      title: 'Actions',
      cell: (price) => <PriceMenu price={price} product={product} />,
      width: '90px',
      phone: true,
    },
  ]
}

function PriceMenu({ price, product }: { price: Price; product: Product }) {
  const [action, setAction] = useState<PriceAction | null>(null)
  const disabledReasonFor = useDisabledReason()
  const isDefault = product.default_price_id === price.id
  return (
    <>
      <Menu
        label={`Actions for ${priceText(price)}`}
        items={[
          {
            text: 'Edit price…',
            onSelect: () => setAction('edit'),
            disabledReason: disabledReasonFor('prices.update'),
          },
          {
            text: 'Set as default…',
            onSelect: () => setAction('default'),
            disabledReason:
              disabledReasonFor('products.update') ??
              (isDefault
                ? 'This is already the default price.'
                : price.active
                  ? null
                  : 'This price is archived.'),
          },
          {
            text: price.active ? 'Archive price…' : 'Restore price…',
            onSelect: () => setAction('archive'),
            disabledReason: disabledReasonFor('prices.update'),
          },
          {
            text: 'Delete price…',
            danger: true,
            onSelect: () => setAction('delete'),
            disabledReason: disabledReasonFor('prices.delete'),
          },
        ]}
      />
      {action !== null && <PriceActionDialog action={action} price={price} close={() => setAction(null)} />}
    </>
  )
}
