import type { Subscription } from '@switchyard/sdk'
import { useState } from 'react'
import { RadioField, SelectField, TextField } from '../../../../ui/fields.tsx'
import { dayStart } from './day-start.ts'
import { EffectDialog } from './effect.tsx'

export function PauseDialog({ subscription, close }: { subscription: Subscription; close: () => void }) {
  const [at, setAt] = useState('now')
  const [resumeDay, setResumeDay] = useState('')
  const [unusedTime, setUnusedTime] = useState('keep')
  const [openInvoices, setOpenInvoices] = useState('continue')
  const resumesAt = dayStart(resumeDay)
  return (
    <EffectDialog
      subscription={subscription}
      action="pause"
      title="Pause subscription"
      submit={at === 'now' ? 'Pause subscription now' : 'Schedule pause'}
      successMessage={at === 'now' ? 'Subscription paused' : 'Pause scheduled'}
      body={{
        at,
        unused_time: unusedTime as 'keep',
        open_invoices: openInvoices as 'continue',
        ...(resumesAt === null ? {} : { resumes_at: resumesAt }),
      }}
      close={close}
    >
      <RadioField
        legend="When"
        value={at}
        onChange={setAt}
        options={[
          { value: 'now', text: 'Now' },
          { value: 'period_end', text: 'At the end of the period' },
        ]}
      />
      <TextField
        label="Resumes on"
        type="date"
        value={resumeDay}
        onChange={setResumeDay}
        hint="Leave empty to resume manually."
        pointer="/resumes_at"
      />
      <SelectField
        label="Unused time"
        value={unusedTime}
        onChange={setUnusedTime}
        options={[
          { value: 'keep', text: 'Added after the subscription resumes' },
          { value: 'credit', text: 'Credited to the customer' },
          { value: 'forfeit', text: 'Forfeited' },
        ]}
      />
      <SelectField
        label="Open invoices"
        value={openInvoices}
        onChange={setOpenInvoices}
        options={[
          { value: 'continue', text: 'Keep collecting' },
          { value: 'stop', text: 'Stop collecting until the subscription resumes' },
          { value: 'void', text: 'Void them' },
        ]}
      />
    </EffectDialog>
  )
}
