import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { moneyText } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { useGo } from '../../../ui/link.tsx'
import { createBody, emptyLink, type LinkDraft, totalOf } from './draft.ts'
import { PriceFields } from './price.tsx'
import { TermsFields } from './terms.tsx'

export function NewLink({ close }: { close: () => void }) {
  const api = useApi()
  const go = useGo()
  const reread = useReread()
  const [draft, setDraft] = useState<LinkDraft>(emptyLink)
  const set = (next: Partial<LinkDraft>) => setDraft((before) => ({ ...before, ...next }))
  const body = createBody(draft)
  const total = totalOf(draft)
  const run = async (key: { idempotencyKey: string }) => {
    const { id } = await api.paymentLinks.create(body, key)
    await reread('payment_link')
    go(`/payment-links/${id}`)
  }
  return (
    <ActionDialog
      title="Create payment link"
      wide
      intro="A page of ours on which somebody pays. You get its address."
      submit={total === null ? 'Create link' : `Create link for ${moneyText(total, draft.currency)}`}
      call={{
        method: 'POST',
        path: '/payment-links',
        body,
        sdk: { method: 'paymentLinks.create', args: [body] },
      }}
      run={run}
      done="Payment link created"
      onDone={close}
    >
      <PriceFields draft={draft} set={set} />
      <TermsFields draft={draft} change={setDraft} />
    </ActionDialog>
  )
}
