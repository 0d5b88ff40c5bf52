/** Holds traffic: why and until when are asked, because a hold that is forgotten is an outage. */
import type { ProviderAccount } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { dateTimeText } from '../../../format/time.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'

const hourMs = 3_600_000
const lengths = [
  { value: '1', text: 'For an hour' },
  { value: '4', text: 'For 4 hours' },
  { value: '24', text: 'For a day' },
  { value: 'own', text: 'Until…' },
] as const

export function HoldDialog({ account, close }: { account: ProviderAccount; close: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [reason, setReason] = useState('')
  const [length, setLength] = useState('1')
  const [own, setOwn] = useState('')
  const [openedMs] = useState(() => Date.now())
  const until = untilOf(length, own, openedMs)
  const body = { reason, until_at: until ?? '' }
  const why = reason.trim() === '' ? 'Say why first.' : until === null ? 'Say until when first.' : null
  return (
    <ActionDialog
      title={`Hold ${account.display_name}`}
      intro="New payments go to other accounts. Captures and refunds of earlier ones go on here."
      submit="Hold traffic"
      danger
      refused={may('provider_accounts.hold') ?? why}
      call={{
        method: 'POST',
        path: `/provider-accounts/${account.id}/hold`,
        body,
        sdk: { method: 'providerAccounts.hold', args: [account.id, body] },
      }}
      run={async (key) => {
        await api.providerAccounts.hold(account.id, body, key)
        await reread('provider_account')
      }}
      done={`${account.display_name} is held.`}
      onDone={close}
      onCancel={close}
    >
      <TextField label="Reason" value={reason} onChange={setReason} pointer="/reason" autoFocus />
      <SelectField
        label="How long"
        value={length}
        onChange={setLength}
        options={lengths}
        hint={until === null ? undefined : `It ends by itself at ${dateTimeText(until)}.`}
        pointer="/until_at"
      />
      {length === 'own' && (
        <TextField label="Until" type="datetime-local" value={own} onChange={setOwn} pointer="/until_at" />
      )}
    </ActionDialog>
  )
}

function untilOf(length: string, own: string, nowMs: number): string | null {
  if (length !== 'own') return new Date(nowMs + Number(length) * hourMs).toISOString()
  const at = Date.parse(own)
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}
