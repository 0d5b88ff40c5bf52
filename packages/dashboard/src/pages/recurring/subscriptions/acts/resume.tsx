import type { Subscription } from '@switchyard/sdk'
import { useState } from 'react'
import { RadioField } from '../../../../ui/fields.tsx'
import { EffectDialog } from './effect.tsx'

export function ResumeDialog({ subscription, close }: { subscription: Subscription; close: () => void }) {
  const [open, setOpen] = useState('collect')
  return (
    <EffectDialog
      subscription={subscription}
      act="resume"
      title="Resume this subscription"
      submit="Resume now"
      done="The subscription is resumed."
      body={{ open_invoices: open as 'collect' }}
      close={close}
    >
      <RadioField
        legend="Invoices that are open"
        value={open}
        onChange={setOpen}
        options={[
          { value: 'collect', text: 'Are collected from now on' },
          { value: 'keep', text: 'Stay as they are' },
          { value: 'void', text: 'Become void' },
        ]}
      />
    </EffectDialog>
  )
}
