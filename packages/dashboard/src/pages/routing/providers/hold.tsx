/** Pauses traffic. A reason and an end time are required, because a forgotten hold causes an outage. */
import type { ProviderAccount } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { dateTimeText } from '../../../format/time.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'

const hourMs = 3_600_000
const durations = [
  { value: '1', text: 'For 1 hour' },
  { value: '4', text: 'For 4 hours' },
  { value: '24', text: 'For 1 day' },
  { value: 'custom', text: 'Until…' },
] as const

export function HoldDialog({ account, close }: { account: ProviderAccount; close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [reason, setReason] = useState('')
  const [duration, setDuration] = useState('1')
  const [customEnd, setCustomEnd] = useState('')
  const [openedMs] = useState(() => Date.now())
  const until = untilOf(duration, customEnd, openedMs)
  const body = { reason, until_at: until ?? '' }
  const missingReason =
    reason.trim() === '' ? 'Enter a reason first.' : until === null ? 'Enter an end time first.' : null
  return (
    <ActionDialog
      title={`Pause traffic to ${account.display_name}`}
      intro="New payments go to other accounts. Captures and refunds of existing payments continue."
      submit="Pause traffic"
      danger
      disabledReason={disabledReasonFor('provider_accounts.hold') ?? missingReason}
      call={{
        method: 'POST',
        path: `/provider-accounts/${account.id}/hold`,
        body,
        sdk: { method: 'providerAccounts.hold', args: [account.id, body] },
      }}
      run={async (key) => {
        await api.providerAccounts.hold(account.id, body, key)
        await invalidate('provider_account')
      }}
      successMessage={`Traffic to ${account.display_name} is paused`}
      onDone={close}
      onCancel={close}
    >
      <TextField label="Reason" value={reason} onChange={setReason} pointer="/reason" autoFocus />
      <SelectField
        label="Duration"
        value={duration}
        onChange={setDuration}
        options={durations}
        hint={until === null ? undefined : `Traffic resumes automatically at ${dateTimeText(until)}.`}
        pointer="/until_at"
      />
      {duration === 'custom' && (
        <TextField
          label="Until"
          type="datetime-local"
          value={customEnd}
          onChange={setCustomEnd}
          pointer="/until_at"
        />
      )}
    </ActionDialog>
  )
}

function untilOf(duration: string, customEnd: string, nowMs: number): string | null {
  if (duration !== 'custom') return new Date(nowMs + Number(duration) * hourMs).toISOString()
  const endMs = Date.parse(customEnd)
  return Number.isNaN(endMs) ? null : new Date(endMs).toISOString()
}
