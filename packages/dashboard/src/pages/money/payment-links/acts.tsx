/** What can be done with a link: other terms, and whether it can be paid. */
import type { PaymentLink } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { termsDraftOf, termsOf } from './draft.ts'
import { TermsFields } from './terms.tsx'

type Props = { link: PaymentLink; close: () => void }

export function EditLink({ link, close }: Props) {
  const api = useApi()
  const reread = useReread()
  const { id } = link
  const [before] = useState(() => termsDraftOf(link))
  const [draft, setDraft] = useState(before)
  const body = termsOf(draft, before)
  return (
    <ActionDialog
      title="Edit payment link"
      wide
      intro="What is to be paid stays as it is: make another link for another amount."
      submit="Save"
      refused={Object.keys(body).length === 0 ? 'Nothing is different yet.' : null}
      call={{
        method: 'PUT',
        path: `/payment-links/${id}`,
        body,
        sdk: { method: 'paymentLinks.update', args: [id, body] },
      }}
      run={(key) => api.paymentLinks.update(id, body, key)}
      done="Payment link saved"
      onDone={() => {
        close()
        void reread('payment_link')
      }}
      onCancel={close}
    >
      <TermsFields draft={draft} change={setDraft} />
    </ActionDialog>
  )
}

export function SwitchLink({ link, close }: Props) {
  const api = useApi()
  const reread = useReread()
  const { id } = link
  const act = link.status === 'active' ? 'deactivate' : 'activate'
  const isOff = act === 'deactivate'
  return (
    <ActionDialog
      title={isOff ? 'Deactivate payment link' : 'Activate payment link'}
      danger={isOff}
      intro={
        isOff
          ? 'Nobody can begin to pay by it any more. Who is paying at this moment can finish. It can be activated again.'
          : 'It can be paid again, if its time is not over and it has places left.'
      }
      submit={isOff ? 'Deactivate' : 'Activate'}
      call={{
        method: 'POST',
        path: `/payment-links/${id}/${act}`,
        sdk: { method: `paymentLinks.${act}`, args: [id] },
      }}
      run={(key) => api.paymentLinks[act](id, key)}
      done={isOff ? 'Payment link deactivated' : 'Payment link activated'}
      onDone={() => {
        close()
        void reread('payment_link')
      }}
      onCancel={close}
    />
  )
}
