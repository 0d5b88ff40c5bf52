import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { moneyText } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { useOpenPage } from '../../../ui/link.tsx'
import { createBody, emptyLink, type LinkDraft, totalOf } from './draft.ts'
import { PriceFields } from './price-fields.tsx'
import { SettingsFields } from './settings-fields.tsx'

export function NewLink({ close }: { close: () => void }) {
  const api = useApi()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const [draft, setDraft] = useState<LinkDraft>(emptyLink)
  const set = (next: Partial<LinkDraft>) => setDraft((before) => ({ ...before, ...next }))
  const body = createBody(draft)
  const total = totalOf(draft)
  const run = async (key: { idempotencyKey: string }) => {
    const { id } = await api.paymentLinks.create(body, key)
    await invalidate('payment_link')
    openPage(`/payment-links/${id}`)
  }
  return (
    <ActionDialog
      title="Create payment link"
      wide
      intro="A hosted page where customers pay. You get its URL."
      submit={total === null ? 'Create link' : `Create link for ${moneyText(total, draft.currency)}`}
      call={{
        method: 'POST',
        path: '/payment-links',
        body,
        sdk: { method: 'paymentLinks.create', args: [body] },
      }}
      run={run}
      successMessage="Payment link created"
      onDone={close}
    >
      <PriceFields draft={draft} set={set} />
      <SettingsFields draft={draft} change={setDraft} />
    </ActionDialog>
  )
}
