/** The actions of a price. */
import type { Price, Switchyard, UpdatePrice } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import type { ApiCall } from '../../../format/call.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'

export type PriceAction = 'edit' | 'archive' | 'default' | 'delete'
type Key = { idempotencyKey: string }
type DialogPlan = {
  readonly operation: string
  readonly title: string
  readonly intro?: string
  readonly submit: string
  readonly successMessage: string
  readonly danger?: boolean
  readonly call: ApiCall
  readonly run: (api: Switchyard, key: Key) => Promise<unknown>
}

export function PriceActionDialog(props: { action: PriceAction; price: Price; close: () => void }) {
  const { action, price, close } = props
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [nickname, setNickname] = useState(price.nickname ?? '')
  const [lookupKey, setLookupKey] = useState(price.lookup_key ?? '')
  const { operation, run, ...texts } = planOf(action, price, {
    nickname: nickname || null,
    lookup_key: lookupKey || null,
  })
  return (
    <ActionDialog
      {...texts}
      disabledReason={disabledReasonFor(operation)}
      run={async (key) => {
        await run(api, key)
        await invalidate('price', 'product')
      }}
      onDone={close}
      onCancel={close}
    >
      {action === 'edit' && (
        <>
          <TextField
            label="Note"
            value={nickname}
            onChange={setNickname}
            hint="Internal note."
            pointer="/nickname"
          />
          <TextField
            label="Lookup key"
            value={lookupKey}
            onChange={setLookupKey}
            hint="You can use lookup:key wherever a price ID is accepted."
            pointer="/lookup_key"
            mono
          />
        </>
      )}
    </ActionDialog>
  )
}

function planOf(action: PriceAction, price: Price, editedValues: UpdatePrice): DialogPlan {
  const { id, active, product_id: productId } = price
  if (action === 'default') return makeDefaultPlan(id, productId)
  if (action === 'delete')
    return {
      operation: 'prices.delete',
      title: 'Delete price',
      intro: 'Only a price that was never billed can be deleted. Archive other prices instead.',
      submit: 'Delete price',
      successMessage: 'Price deleted',
      danger: true,
      call: { method: 'DELETE', path: `/prices/${id}`, sdk: { method: 'prices.delete', args: [id] } },
      run: (api) => api.prices.delete(id),
    }
  const body = action === 'edit' ? editedValues : { active: !active }
  return {
    operation: 'prices.update',
    ...(action === 'edit' ? editTexts : active ? archiveTexts : restoreTexts),
    call: {
      method: 'PUT',
      path: `/prices/${id}`,
      body,
      sdk: { method: 'prices.update', args: [id, body] },
    },
    run: (api, key) => api.prices.update(id, body, key),
  }
}

const editTexts = { title: 'Edit price', submit: 'Save price', successMessage: 'Price saved' }
const archiveTexts = {
  title: 'Archive price',
  intro: 'New subscriptions cannot use this price. Existing subscriptions keep it.',
  submit: 'Archive price',
  successMessage: 'Price archived',
}
const restoreTexts = {
  title: 'Restore price',
  intro: 'New subscriptions can use this price again.',
  submit: 'Restore price',
  successMessage: 'Price restored',
}

function makeDefaultPlan(id: string, productId: string): DialogPlan {
  const body = { default_price_id: id }
  return {
    operation: 'products.update',
    title: 'Set as default price',
    intro: 'This price becomes the default price of the product.',
    submit: 'Set as default',
    successMessage: 'Default price set',
    call: {
      method: 'PUT',
      path: `/products/${productId}`,
      body,
      sdk: { method: 'products.update', args: [productId, body] },
    },
    run: (api, key) => api.products.update(productId, body, key),
  }
}
