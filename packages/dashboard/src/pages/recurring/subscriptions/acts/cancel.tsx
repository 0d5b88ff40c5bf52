import type { Subscription } from '@switchyard/sdk'
import { useState } from 'react'
import { RadioField, SelectField, TextField } from '../../../../ui/fields.tsx'
import { EffectDialog } from './effect.tsx'

export function CancelDialog({ subscription, close }: { subscription: Subscription; close: () => void }) {
  const [at, setAt] = useState(subscription.current_period === null ? 'now' : 'period_end')
  const [time, setTime] = useState('forfeit')
  const [open, setOpen] = useState('stop')
  const [feedback, setFeedback] = useState('')
  return (
    <EffectDialog
      subscription={subscription}
      act="cancel"
      title="Cancel this subscription"
      submit={at === 'now' ? 'Cancel it now' : 'Cancel it at the end of the period'}
      danger
      done={at === 'now' ? 'The subscription is cancelled.' : 'The end is scheduled.'}
      body={{
        at,
        unused_time: time as 'forfeit',
        open_invoices: open as 'stop',
        ...(feedback === '' ? {} : { feedback }),
      }}
      close={close}
    >
      <RadioField
        legend="When"
        value={at}
        onChange={setAt}
        options={[
          {
            value: 'period_end',
            text: 'At the end of the period',
            off: subscription.current_period === null,
          },
          { value: 'now', text: 'Now', hint: 'It cannot be taken back.' },
        ]}
      />
      <SelectField
        label="What is left of the period"
        value={time}
        onChange={setTime}
        options={[
          { value: 'forfeit', text: 'Is lost' },
          { value: 'credit', text: 'Is given back as credit' },
          { value: 'refund', text: 'Is refunded to the card' },
        ]}
      />
      <SelectField
        label="Invoices that are open"
        value={open}
        onChange={setOpen}
        options={[
          { value: 'stop', text: 'Are not collected any more' },
          { value: 'continue', text: 'Are still collected' },
          { value: 'void', text: 'Become void' },
        ]}
      />
      <TextField
        label="Why"
        value={feedback}
        onChange={setFeedback}
        hint="For your people. Optional."
        pointer="/feedback"
      />
    </EffectDialog>
  )
}
