/** Changes the price, quantity or card of a subscription, with a preview of the proration. */
import type { Subscription } from '@switchyard/sdk'
import { useState } from 'react'
import { methodWithExpiry } from '../../../../format/card.ts'
import { SelectField, TextField } from '../../../../ui/fields.tsx'
import { useCustomerMethods } from '../../names.tsx'
import { usePriceOptions } from '../../price-options.ts'
import { EffectDialog } from './effect.tsx'

type Draft = { readonly [itemId: string]: { readonly priceId: string; readonly quantity: string } }

export function ChangeDialog({ subscription, close }: { subscription: Subscription; close: () => void }) {
  const [items, setItems] = useState<Draft>(() =>
    Object.fromEntries(
      subscription.items.map(({ id, price_id, quantity }) => [
        id,
        { priceId: price_id, quantity: String(quantity) },
      ]),
    ),
  )
  const [behaviour, setBehaviour] = useState('invoice_now')
  const [methodId, setMethodId] = useState(subscription.payment_method_id ?? '')
  const { data: methods = [] } = useCustomerMethods(subscription.customer_id)
  const prices = usePriceOptions(subscription.currency)
  const change = (id: string, members: Partial<Draft[string]>) =>
    setItems((before) => ({ ...before, [id]: { ...(before[id] as Draft[string]), ...members } }))
  return (
    <EffectDialog
      subscription={subscription}
      action="update"
      title="Change subscription"
      submit="Change subscription"
      successMessage="Subscription changed"
      body={bodyOf(subscription, items, behaviour, methodId)}
      close={close}
    >
      {subscription.items.map(({ id }, index) => (
        <div key={id} className="grid gap-3 sm:grid-cols-[1fr_120px]">
          <SelectField
            label={subscription.items.length === 1 ? 'Price' : `Price of item ${index + 1}`}
            value={items[id]?.priceId ?? ''}
            onChange={(priceId) => change(id, { priceId })}
            options={prices}
            pointer={`/items/${index}/price_id`}
          />
          <TextField
            label="Quantity"
            type="number"
            value={items[id]?.quantity ?? ''}
            onChange={(quantity) => change(id, { quantity })}
            pointer={`/items/${index}/quantity`}
          />
        </div>
      ))}
      <SelectField
        label="Proration"
        value={behaviour}
        onChange={setBehaviour}
        options={[
          { value: 'invoice_now', text: 'Bill the difference now' },
          { value: 'next_invoice', text: 'Add the difference to the next invoice' },
          { value: 'none', text: 'Do not bill the difference' },
          { value: 'next_period', text: 'Change at the start of the next period' },
        ]}
      />
      <SelectField
        label="Payment method"
        value={methodId}
        onChange={setMethodId}
        options={[
          { value: '', text: 'No card', disabled: subscription.payment_method_id !== null },
          ...methods.map((method) => ({ value: method.id, text: methodWithExpiry(method) })),
        ]}
        pointer="/payment_method_id"
      />
    </EffectDialog>
  )
}

/** Only changed members are sent; omitted members stay unchanged. */
function bodyOf(subscription: Subscription, draft: Draft, behaviour: string, methodId: string) {
  const items = subscription.items.flatMap(({ id, price_id, quantity }) => {
    const { priceId = price_id, quantity: typed = '' } = draft[id] ?? {}
    const changed = {
      ...(priceId === price_id ? {} : { price_id: priceId }),
      ...(Number(typed) === quantity ? {} : { quantity: Number(typed) }),
    }
    return Object.keys(changed).length === 0 ? [] : [{ id, ...changed }]
  })
  return {
    ...(items.length === 0 ? {} : { items, proration: { behaviour: behaviour as 'invoice_now' } }),
    ...(methodId === (subscription.payment_method_id ?? '') ? {} : { payment_method_id: methodId }),
  }
}
