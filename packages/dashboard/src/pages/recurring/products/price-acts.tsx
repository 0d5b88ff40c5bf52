/** What can be done with a price. */
import type { Price, Switchyard, UpdatePrice } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import type { ApiCall } from '../../../format/call.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'

export type PriceAct = 'edit' | 'archive' | 'default' | 'delete'
type Key = { idempotencyKey: string }
type Plan = {
  readonly operation: string
  readonly title: string
  readonly intro?: string
  readonly submit: string
  readonly done: string
  readonly danger?: boolean
  readonly call: ApiCall
  readonly run: (api: Switchyard, key: Key) => Promise<unknown>
}

export function PriceActDialog(props: { act: PriceAct; price: Price; close: () => void }) {
  const { act, price, close } = props
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [nickname, setNickname] = useState(price.nickname ?? '')
  const [lookupKey, setLookupKey] = useState(price.lookup_key ?? '')
  const { operation, run, ...texts } = planOf(act, price, {
    nickname: nickname || null,
    lookup_key: lookupKey || null,
  })
  return (
    <ActionDialog
      {...texts}
      refused={may(operation)}
      run={async (key) => {
        await run(api, key)
        await reread('price', 'product')
      }}
      onDone={close}
      onCancel={close}
    >
      {act === 'edit' && (
        <>
          <TextField
            label="Note"
            value={nickname}
            onChange={setNickname}
            hint="For your people."
            pointer="/nickname"
          />
          <TextField
            label="Key"
            value={lookupKey}
            onChange={setLookupKey}
            hint="Wherever a price is asked for, lookup:key is this one."
            pointer="/lookup_key"
            mono
          />
        </>
      )}
    </ActionDialog>
  )
}

function planOf(act: PriceAct, price: Price, edited: UpdatePrice): Plan {
  const { id, active, product_id: productId } = price
  if (act === 'default') return showFirst(id, productId)
  if (act === 'delete')
    return {
      operation: 'prices.delete',
      title: 'Delete this price',
      intro: 'Only a price that nobody is or was billed by can be deleted. Others can be archived.',
      submit: 'Delete the price',
      done: 'The price is deleted.',
      danger: true,
      call: { method: 'DELETE', path: `/prices/${id}`, sdk: { method: 'prices.delete', args: [id] } },
      run: (api) => api.prices.delete(id),
    }
  const body = act === 'edit' ? edited : { active: !active }
  return {
    operation: 'prices.update',
    ...(act === 'edit' ? editTexts : active ? archiveTexts : restoreTexts),
    call: {
      method: 'PUT',
      path: `/prices/${id}`,
      body,
      sdk: { method: 'prices.update', args: [id, body] },
    },
    run: (api, key) => api.prices.update(id, body, key),
  }
}

const editTexts = { title: 'Edit this price', submit: 'Save', done: 'The price is saved.' }
const archiveTexts = {
  title: 'Archive this price',
  intro: 'Nothing new can be billed by it. What is billed by it already goes on.',
  submit: 'Archive it',
  done: 'The price is archived.',
}
const restoreTexts = {
  title: 'Sell by this price again',
  intro: 'New subscriptions can be billed by it again.',
  submit: 'Sell it again',
  done: 'The price is sold again.',
}

function showFirst(id: string, productId: string): Plan {
  const body = { default_price_id: id }
  return {
    operation: 'products.update',
    title: 'Show this price first',
    intro: 'It becomes the price of the product that is shown first.',
    submit: 'Show it first',
    done: 'It is shown first.',
    call: {
      method: 'PUT',
      path: `/products/${productId}`,
      body,
      sdk: { method: 'products.update', args: [productId, body] },
    },
    run: (api, key) => api.products.update(productId, body, key),
  }
}
