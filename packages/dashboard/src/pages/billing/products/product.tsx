import type { Product } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { useOpenPage } from '../../../ui/link.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { Columns, Facts, PageHead, Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { Time } from '../../../ui/values.tsx'
import { Prices } from './prices.tsx'
import { ProductForm } from './product-form.tsx'

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const query = useObject(['product', id], (api, signal) => api.products.get(id, { signal }))
  return (
    <PageLoaded query={query} title="Product">
      {(product) => <ProductView product={product} />}
    </PageLoaded>
  )
}

type Open = 'edit' | 'archive' | 'delete' | null

function ProductView({ product }: { product: Product }) {
  const [open, setOpen] = useState<Open>(null)
  const disabledReasonFor = useDisabledReason()
  const close = () => setOpen(null)
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Products', to: '/products' }, { text: product.id }]}
        title={product.name}
        titleExtra={<Status status={product.active ? 'active' : 'archived'} />}
        actions={
          <>
            <Button disabledReason={disabledReasonFor('products.update')} onClick={() => setOpen('edit')}>
              Edit product…
            </Button>
            <Menu
              label="More actions"
              items={[
                {
                  text: product.active ? 'Archive product…' : 'Restore product…',
                  onSelect: () => setOpen('archive'),
                  disabledReason: disabledReasonFor('products.update'),
                },
                {
                  text: 'Delete product…',
                  danger: true,
                  onSelect: () => setOpen('delete'),
                  disabledReason: disabledReasonFor('products.delete'),
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
        facts={[
          ['Unit', product.unit_label ?? 'None'],
          ['Created', <Time key="created" at={product.created_at} exact />],
          ['Updated', <Time key="changed" at={product.updated_at} exact />],
          ...Object.entries(product.metadata),
        ]}
      />
    </Panel>
  )
}

type DialogProps = { product: Product; close: () => void }

function ArchiveProduct({ product: { id, active }, close }: DialogProps) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const body = { active: !active }
  return (
    <ActionDialog
      title={active ? 'Archive product' : 'Restore product'}
      intro={
        active
          ? 'New subscriptions cannot use this product. Existing subscriptions continue.'
          : 'New subscriptions can use its active prices again.'
      }
      submit={active ? 'Archive product' : 'Restore product'}
      disabledReason={disabledReasonFor('products.update')}
      call={{
        method: 'PUT',
        path: `/products/${id}`,
        body,
        sdk: { method: 'products.update', args: [id, body] },
      }}
      run={async (key) => {
        await api.products.update(id, body, key)
        await invalidate('product')
      }}
      successMessage={active ? 'Product archived' : 'Product restored'}
      onDone={close}
      onCancel={close}
    />
  )
}

function DeleteProduct({ product: { id }, close }: DialogProps) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  return (
    <ActionDialog
      title="Delete product"
      intro="Only a product without prices can be deleted. Archive products with prices instead."
      submit="Delete product"
      danger
      disabledReason={disabledReasonFor('products.delete')}
      call={{ method: 'DELETE', path: `/products/${id}`, sdk: { method: 'products.delete', args: [id] } }}
      run={async () => {
        await api.products.delete(id)
        openPage('/products')
        await invalidate('product')
      }}
      successMessage="Product deleted"
      onDone={close}
      onCancel={close}
    />
  )
}
