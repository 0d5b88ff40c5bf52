import type { Product } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useObject, useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { useGo } from '../../../ui/link.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { Columns, Facts, PageHead, Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { Time } from '../../../ui/values.tsx'
import { Prices } from './prices.tsx'
import { ProductForm } from './product-form.tsx'

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const found = useObject(['product', id], (api, signal) => api.products.get(id, { signal }))
  return (
    <PageLoaded of={found} title="Product">
      {(product) => <Shown product={product} />}
    </PageLoaded>
  )
}

type Open = 'edit' | 'archive' | 'delete' | null

function Shown({ product }: { product: Product }) {
  const [open, setOpen] = useState<Open>(null)
  const may = useMay()
  const close = () => setOpen(null)
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Products', to: '/products' }, { text: product.id }]}
        title={product.name}
        beside={<Status of={product.active ? 'active' : 'archived'} />}
        actions={
          <>
            <Button refused={may('products.update')} onClick={() => setOpen('edit')}>
              Edit…
            </Button>
            <Menu
              label="More actions"
              items={[
                {
                  text: product.active ? 'Archive…' : 'Sell it again…',
                  onSelect: () => setOpen('archive'),
                  refused: may('products.update'),
                },
                {
                  text: 'Delete…',
                  danger: true,
                  onSelect: () => setOpen('delete'),
                  refused: may('products.delete'),
                },
              ]}
            />
          </>
        }
      >
        {product.description !== null && <p className="max-w-180 text-ink2">{product.description}</p>}
      </PageHead>
      <Columns main={<Prices product={product} />} side={<Details product={product} />} />
      {open === 'edit' && <ProductForm product={product} close={close} />}
      {open === 'archive' && <ArchiveProduct product={product} close={close} />}
      {open === 'delete' && <DeleteProduct product={product} close={close} />}
    </>
  )
}

function Details({ product }: { product: Product }) {
  return (
    <Panel title="Details">
      <Facts
        of={[
          ['Unit', product.unit_label ?? 'None'],
          ['Created', <Time key="created" at={product.created_at} exact />],
          ['Changed', <Time key="changed" at={product.updated_at} exact />],
          ...Object.entries(product.metadata),
        ]}
      />
    </Panel>
  )
}

type DialogProps = { product: Product; close: () => void }

function ArchiveProduct({ product: { id, active }, close }: DialogProps) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const body = { active: !active }
  return (
    <ActionDialog
      title={active ? 'Archive this product' : 'Sell this product again'}
      intro={
        active
          ? 'Nothing new can be sold of it. Subscriptions that bill it go on.'
          : 'Its active prices can be sold again.'
      }
      submit={active ? 'Archive it' : 'Sell it again'}
      refused={may('products.update')}
      call={{
        method: 'PUT',
        path: `/products/${id}`,
        body,
        sdk: { method: 'products.update', args: [id, body] },
      }}
      run={async (key) => {
        await api.products.update(id, body, key)
        await reread('product')
      }}
      done={active ? 'The product is archived.' : 'The product is sold again.'}
      onDone={close}
      onCancel={close}
    />
  )
}

function DeleteProduct({ product: { id }, close }: DialogProps) {
  const api = useApi()
  const may = useMay()
  const go = useGo()
  const reread = useReread()
  return (
    <ActionDialog
      title="Delete this product"
      intro="Only a product without prices can be deleted. One with prices can be archived."
      submit="Delete the product"
      danger
      refused={may('products.delete')}
      call={{ method: 'DELETE', path: `/products/${id}`, sdk: { method: 'products.delete', args: [id] } }}
      run={async () => {
        await api.products.delete(id)
        go('/products')
        await reread('product')
      }}
      done="The product is deleted."
      onDone={close}
      onCancel={close}
    />
  )
}
