import type { Subscription } from '@switchyard/sdk'
import { useState } from 'react'
import { RadioField, SelectField, TextField } from '../../../../ui/fields.tsx'
import { dayStart } from './day-start.ts'
import { EffectDialog } from './effect.tsx'

export function PauseDialog({ subscription, close }: { subscription: Subscription; close: () => void }) {
  const [at, setAt] = useState('now')
  const [until, setUntil] = useState('')
  const [time, setTime] = useState('keep')
  const [open, setOpen] = useState('continue')
  const resumes = dayStart(until)
  return (
    <EffectDialog
      subscription={subscription}
      act="pause"
      title="Pause this subscription"
      submit={at === 'now' ? 'Pause now' : 'Schedule the pause'}
      done={at === 'now' ? 'The subscription is paused.' : 'The pause is scheduled.'}
      body={{
        at,
        unused_time: time as 'keep',
        open_invoices: open as 'continue',
        ...(resumes === null ? {} : { resumes_at: resumes }),
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
        value={until}
        onChange={setUntil}
        hint="Leave it empty to resume it by hand."
        pointer="/resumes_at"
      />
      <SelectField
        label="What is left of the period"
        value={time}
        onChange={setTime}
        options={[
          { value: 'keep', text: 'Is lived after it resumes' },
          { value: 'credit', text: 'Is given back as credit' },
          { value: 'forfeit', text: 'Is lost' },
        ]}
      />
      <SelectField
        label="Invoices that are open"
        value={open}
        onChange={setOpen}
        options={[
          { value: 'continue', text: 'Are still collected' },
          { value: 'stop', text: 'Are not collected until it resumes' },
          { value: 'void', text: 'Become void' },
        ]}
      />
    </EffectDialog>
  )
}
