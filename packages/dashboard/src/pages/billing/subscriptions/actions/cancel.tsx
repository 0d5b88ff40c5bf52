import type { Subscription } from '@switchyard/sdk'
import { useState } from 'react'
import { RadioField, SelectField, TextField } from '../../../../ui/fields.tsx'
import { EffectDialog } from './effect.tsx'

export function CancelDialog({ subscription, close }: { subscription: Subscription; close: () => void }) {
  const [at, setAt] = useState(subscription.current_period === null ? 'now' : 'period_end')
  const [unusedTime, setUnusedTime] = useState('forfeit')
  const [openInvoices, setOpenInvoices] = useState('stop')
  const [feedback, setFeedback] = useState('')
  return (
    <EffectDialog
      subscription={subscription}
      action="cancel"
      title="Cancel subscription"
      submit={at === 'now' ? 'Cancel subscription now' : 'Cancel subscription at end of period'}
      danger
      cancelLabel="Keep subscription"
      successMessage={at === 'now' ? 'Subscription cancelled' : 'Cancellation scheduled'}
      body={{
        at,
        unused_time: unusedTime as 'forfeit',
        open_invoices: openInvoices as 'stop',
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
            disabled: subscription.current_period === null,
          },
          { value: 'now', text: 'Now', hint: 'This cannot be undone.' },
        ]}
      />
      <SelectField
        label="Unused time"
        value={unusedTime}
        onChange={setUnusedTime}
        options={[
          { value: 'forfeit', text: 'Forfeited' },
          { value: 'credit', text: 'Credited to the customer' },
          { value: 'refund', text: 'Refunded to the card' },
        ]}
      />
      <SelectField
        label="Open invoices"
        value={openInvoices}
        onChange={setOpenInvoices}
        options={[
          { value: 'stop', text: 'Stop collecting' },
          { value: 'continue', text: 'Keep collecting' },
          { value: 'void', text: 'Void them' },
        ]}
      />
      <TextField
        label="Reason"
        value={feedback}
        onChange={setFeedback}
        hint="Optional internal note."
        pointer="/feedback"
      />
    </EffectDialog>
  )
}
