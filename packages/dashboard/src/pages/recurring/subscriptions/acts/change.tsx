/** Another price, another quantity, another card: with what it costs for the rest of the period first. */
import type { Subscription } from '@switchyard/sdk'
import { useState } from 'react'
import { cardWithExpiry } from '../../../../format/card.ts'
import { SelectField, TextField } from '../../../../ui/fields.tsx'
import { useMethodsOf } from '../../names.tsx'
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
  const { data: methods = [] } = useMethodsOf(subscription.customer_id)
  const prices = usePriceOptions(subscription.currency)
  const change = (id: string, members: Partial<Draft[string]>) =>
    setItems((before) => ({ ...before, [id]: { ...(before[id] as Draft[string]), ...members } }))
  return (
    <EffectDialog
      subscription={subscription}
      act="update"
      title="Change this subscription"
      submit="Change it"
      done="The subscription is changed."
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
        label="The rest of the period"
        value={behaviour}
        onChange={setBehaviour}
        options={[
          { value: 'invoice_now', text: 'The difference is billed now' },
          { value: 'next_invoice', text: 'The difference comes with the next invoice' },
          { value: 'none', text: 'The difference is not billed' },
          { value: 'next_period', text: 'It changes with the next period' },
        ]}
      />
      <SelectField
        label="Paid with"
        value={methodId}
        onChange={setMethodId}
        options={[
          { value: '', text: 'No card', off: subscription.payment_method_id !== null },
          ...methods.map((method) => ({ value: method.id, text: cardWithExpiry(method.card) })),
        ]}
        pointer="/payment_method_id"
      />
    </EffectDialog>
  )
}

/** Only what differs is sent: what is not sent stays as it is. */
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
