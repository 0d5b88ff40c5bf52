/** Creates a product, or changes one. */
import type { Product } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import type { ApiCall } from '../../../format/call.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { TextArea, TextField } from '../../../ui/fields.tsx'
import { useOpenPage } from '../../../ui/link.tsx'

export function ProductForm({ product, close }: { product: Product | null; close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const [name, setName] = useState(product?.name ?? '')
  const [description, setDescription] = useState(product?.description ?? '')
  const [unit, setUnit] = useState(product?.unit_label ?? '')
  const body = { name, description: description || null, unit_label: unit || null }
  const run = async (key: { idempotencyKey: string }) => {
    if (product !== null) await api.products.update(product.id, body, key)
    else openPage(`/products/${(await api.products.create(body, key)).id}`)
    await invalidate('product')
  }
  return (
    <ActionDialog
      title={product === null ? 'Create product' : 'Edit product'}
      submit={product === null ? 'Create product' : 'Save product'}
      disabledReason={disabledReasonFor(product === null ? 'products.create' : 'products.update')}
      call={callOf(product, body)}
      run={run}
      successMessage={product === null ? 'Product created' : 'Product saved'}
      onDone={close}
      onCancel={close}
    >
      <TextField label="Name" value={name} onChange={setName} pointer="/name" autoFocus />
      <TextArea
        label="Description"
        value={description}
        onChange={setDescription}
        rows={2}
        pointer="/description"
      />
      <TextField
        label="Unit"
        value={unit}
        onChange={setUnit}
        hint="Optional. The name of one unit on invoices, for example seat or licence."
        pointer="/unit_label"
      />
    </ActionDialog>
  )
}

function callOf(product: Product | null, body: object): ApiCall {
  if (product === null)
    return { method: 'POST', path: '/products', body, sdk: { method: 'products.create', args: [body] } }
  const { id } = product
  return {
    method: 'PUT',
    path: `/products/${id}`,
    body,
    sdk: { method: 'products.update', args: [id, body] },
  }
}
