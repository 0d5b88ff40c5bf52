import type { Subscription } from '@switchyard/sdk'
import { useState } from 'react'
import { RadioField } from '../../../../ui/fields.tsx'
import { EffectDialog } from './effect.tsx'

export function ResumeDialog({ subscription, close }: { subscription: Subscription; close: () => void }) {
  const [openInvoices, setOpenInvoices] = useState('collect')
  return (
    <EffectDialog
      subscription={subscription}
      action="resume"
      title="Resume subscription"
      submit="Resume subscription"
      successMessage="Subscription resumed"
      body={{ open_invoices: openInvoices as 'collect' }}
      close={close}
    >
      <RadioField
        legend="Open invoices"
        value={openInvoices}
        onChange={setOpenInvoices}
        options={[
          { value: 'collect', text: 'Collect them' },
          { value: 'keep', text: 'Leave unchanged' },
          { value: 'void', text: 'Void them' },
        ]}
      />
    </EffectDialog>
  )
}
