/** Edits, activates and deactivates a payment link. */
import type { PaymentLink } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { changedSettings, settingsDraftOf } from './draft.ts'
import { SettingsFields } from './settings-fields.tsx'

type Props = { link: PaymentLink; close: () => void }

export function EditLink({ link, close }: Props) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { id } = link
  const [before] = useState(() => settingsDraftOf(link))
  const [draft, setDraft] = useState(before)
  const body = changedSettings(draft, before)
  return (
    <ActionDialog
      title="Edit payment link"
      wide
      intro="The price of a link cannot be changed. To charge a different amount, create a new link."
      submit="Save payment link"
      disabledReason={Object.keys(body).length === 0 ? 'No changes yet.' : null}
      call={{
        method: 'PUT',
        path: `/payment-links/${id}`,
        body,
        sdk: { method: 'paymentLinks.update', args: [id, body] },
      }}
      run={(key) => api.paymentLinks.update(id, body, key)}
      successMessage="Payment link saved"
      onDone={() => {
        close()
        void invalidate('payment_link')
      }}
      onCancel={close}
    >
      <SettingsFields draft={draft} change={setDraft} />
    </ActionDialog>
  )
}

export function ToggleLink({ link, close }: Props) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { id } = link
  const action = link.status === 'active' ? 'deactivate' : 'activate'
  const isDeactivating = action === 'deactivate'
  return (
    <ActionDialog
      title={isDeactivating ? 'Deactivate payment link' : 'Activate payment link'}
      danger={isDeactivating}
      intro={
        isDeactivating
          ? 'The link accepts no new payments. Customers who are already paying can finish. You can activate it again.'
          : 'The link accepts payments again, unless it has expired or reached its payment limit.'
      }
      submit={isDeactivating ? 'Deactivate link' : 'Activate link'}
      call={{
        method: 'POST',
        path: `/payment-links/${id}/${action}`,
        sdk: { method: `paymentLinks.${action}`, args: [id] },
      }}
      run={(key) => api.paymentLinks[action](id, key)}
      successMessage={isDeactivating ? 'Payment link deactivated' : 'Payment link activated'}
      onDone={() => {
        close()
        void invalidate('payment_link')
      }}
      onCancel={close}
    />
  )
}
