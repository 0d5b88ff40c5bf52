/** Sells a subscription: who, what, how it is paid; and what that bills, before anything is made. */
import type { CreateSubscription } from '@switchyard/sdk'
import { useState } from 'react'
import { useObject, useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { cardWithExpiry } from '../../../format/card.ts'
import { moneyText } from '../../../format/money.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { PageLink, useGo } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { useQuiet } from '../../../ui/quiet.ts'
import { useMethodsOf } from '../names.tsx'
import { usePriceOptions } from '../price-options.ts'
import { Effect } from './acts/effect.tsx'
import { chargedNow } from './acts/effect-words.ts'
import { CustomerField } from './customer-field.tsx'

export function Page() {
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Subscriptions', to: '/subscriptions' }, { text: 'new' }]}
        title="Create subscription"
      />
      <div className="max-w-160">
        <Panel>
          <CreateForm />
        </Panel>
      </div>
    </>
  )
}

type Draft = {
  readonly customerId: string
  readonly priceId: string
  readonly quantity: string
  readonly methodId: string
  readonly trialDays: string
}

const empty: Draft = { customerId: '', priceId: '', quantity: '1', methodId: '', trialDays: '0' }

function bodyOf({ customerId, priceId, quantity, methodId, trialDays }: Draft): CreateSubscription {
  return {
    customer_id: customerId,
    items: [{ price_id: priceId, quantity: Number(quantity) }],
    ...(methodId === '' ? {} : { payment_method_id: methodId }),
    ...(Number(trialDays) > 0 ? { trial: { days: Number(trialDays) } } : {}),
  }
}

function CreateForm() {
  const [draft, setDraft] = useState(empty)
  const set = (members: Partial<Draft>) => setDraft((before) => ({ ...before, ...members }))
  const api = useApi()
  const may = useMay()
  const go = useGo()
  const reread = useReread()
  const body = bodyOf(draft)
  const isWhole = draft.customerId !== '' && draft.priceId !== ''
  const { preview, error } = usePreview(body, isWhole)
  const charge = preview === undefined ? null : chargedNow(preview)
  const run = async (key: { idempotencyKey: string }) => {
    const token = preview?.preview_token ?? undefined
    const sent = { ...body, ...(token === undefined ? {} : { preview_token: token }) }
    const { id } = await api.subscriptions.create(sent, key)
    await reread('subscription', 'invoice')
    go(`/subscriptions/${id}`)
  }
  const waiting = isWhole
    ? preview === undefined
      ? 'The effect is being computed.'
      : null
    : 'Choose a customer and a price first.'
  return (
    <ActionForm
      submit={
        charge === null
          ? 'Create subscription'
          : `Create, charge ${moneyText(charge.amount, charge.currency)}`
      }
      refused={may('subscriptions.create') ?? waiting}
      call={{
        method: 'POST',
        path: '/subscriptions',
        body,
        sdk: { method: 'subscriptions.create', args: [body] },
      }}
      run={run}
      done="The subscription is created."
      onDone={() => undefined}
    >
      <Fields draft={draft} set={set} />
      {isWhole && <Effect before={null} preview={preview} error={error} />}
    </ActionForm>
  )
}

function usePreview(body: CreateSubscription, isWhole: boolean) {
  const asked = useQuiet(body)
  const isSettled = JSON.stringify(asked) === JSON.stringify(body)
  const found = useObject(['preview', 'of', 'new', asked], (api) => api.subscriptions.previewCreate(asked), {
    enabled: isWhole && isSettled,
  })
  const isOurs = isSettled && !found.isPlaceholderData
  return { preview: isOurs ? found.data : undefined, error: isOurs ? found.error : null }
}

function Fields({ draft, set }: { draft: Draft; set: (members: Partial<Draft>) => void }) {
  const prices = usePriceOptions()
  const { data: methods = [] } = useMethodsOf(draft.customerId)
  return (
    <>
      <CustomerField
        value={draft.customerId}
        onChange={(customerId) => set({ customerId, methodId: '' })}
        pointer="/customer_id"
      />
      <div className="grid gap-3 sm:grid-cols-[1fr_120px]">
        <SelectField
          label="Price"
          value={draft.priceId}
          onChange={(priceId) => set({ priceId })}
          options={[{ value: '', text: 'Choose a price' }, ...prices]}
          hint={
            prices.length === 0 ? (
              <>
                There is no recurring price yet. <PageLink to="/products">Create a product</PageLink>
              </>
            ) : undefined
          }
          pointer="/items/0/price_id"
        />
        <TextField
          label="Quantity"
          type="number"
          value={draft.quantity}
          onChange={(quantity) => set({ quantity })}
          pointer="/items/0/quantity"
        />
      </div>
      <SelectField
        label="Paid with"
        value={draft.methodId}
        onChange={(methodId) => set({ methodId })}
        options={[
          { value: '', text: methods.length === 0 ? 'No card' : 'The card that the customer has' },
          ...methods.map((method) => ({ value: method.id, text: cardWithExpiry(method.card) })),
        ]}
        pointer="/payment_method_id"
      />
      <TextField
        label="Days of trial"
        type="number"
        value={draft.trialDays}
        onChange={(trialDays) => set({ trialDays })}
        hint="0: it begins with its first payment."
        pointer="/trial/days"
      />
    </>
  )
}
