/** Creates a subscription, with a preview of what is billed. */
import type { CreateSubscription } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { methodWithExpiry } from '../../../format/card.ts'
import { moneyText } from '../../../format/money.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { useDebounced } from '../../../ui/debounced.ts'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { PageLink, useOpenPage } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { useCustomerMethods } from '../names.tsx'
import { usePriceOptions } from '../price-options.ts'
import { EffectPreview } from './actions/effect.tsx'
import { chargedNow } from './actions/effect-text.ts'
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
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const body = bodyOf(draft)
  const isComplete = draft.customerId !== '' && draft.priceId !== ''
  const { preview, error } = usePreview(body, isComplete)
  const charge = preview === undefined ? null : chargedNow(preview)
  const run = async (key: { idempotencyKey: string }) => {
    const token = preview?.preview_token ?? undefined
    const request = { ...body, ...(token === undefined ? {} : { preview_token: token }) }
    const { id } = await api.subscriptions.create(request, key)
    await invalidate('subscription', 'invoice')
    openPage(`/subscriptions/${id}`)
  }
  const missingReason = isComplete
    ? preview === undefined
      ? 'The preview is loading.'
      : null
    : 'Choose a customer and a price first.'
  return (
    <ActionForm
      submit={
        charge === null
          ? 'Create subscription'
          : `Create subscription, charge ${moneyText(charge.amount, charge.currency)}`
      }
      disabledReason={disabledReasonFor('subscriptions.create') ?? missingReason}
      call={{
        method: 'POST',
        path: '/subscriptions',
        body,
        sdk: { method: 'subscriptions.create', args: [body] },
      }}
      run={run}
      successMessage="Subscription created"
      onDone={() => undefined}
    >
      <Fields draft={draft} set={set} />
      {isComplete && <EffectPreview before={null} preview={preview} error={error} />}
    </ActionForm>
  )
}

function usePreview(body: CreateSubscription, isComplete: boolean) {
  const debouncedBody = useDebounced(body)
  const isCurrent = JSON.stringify(debouncedBody) === JSON.stringify(body)
  const query = useObject(
    ['preview', 'subscription', 'new', debouncedBody],
    (api) => api.subscriptions.previewCreate(debouncedBody),
    {
      enabled: isComplete && isCurrent,
    },
  )
  const isUpToDate = isCurrent && !query.isPlaceholderData
  return { preview: isUpToDate ? query.data : undefined, error: isUpToDate ? query.error : null }
}

function Fields({ draft, set }: { draft: Draft; set: (members: Partial<Draft>) => void }) {
  const prices = usePriceOptions()
  const { data: methods = [] } = useCustomerMethods(draft.customerId)
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
                There are no recurring prices yet. <PageLink to="/products">Create a product</PageLink>
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
        label="Payment method"
        value={draft.methodId}
        onChange={(methodId) => set({ methodId })}
        options={[
          { value: '', text: methods.length === 0 ? 'No card' : 'Default card of the customer' },
          ...methods.map((method) => ({ value: method.id, text: methodWithExpiry(method) })),
        ]}
        pointer="/payment_method_id"
      />
      <TextField
        label="Trial days"
        type="number"
        value={draft.trialDays}
        onChange={(trialDays) => set({ trialDays })}
        hint="0 for no trial: the subscription starts with its first payment."
        pointer="/trial/days"
      />
    </>
  )
}
