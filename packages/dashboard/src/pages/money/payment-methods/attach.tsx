/** A payment method becomes a customer's, or is nobody's any more. */
import type { PaymentMethod } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { cardText } from '../../../format/card.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'

/** Either of the two is known; the other is typed. */
export function AttachMethod(props: { customerId?: string; methodId?: string; close: () => void }) {
  const { close } = props
  const api = useApi()
  const reread = useReread()
  const [typed, setTyped] = useState('')
  const methodId = props.methodId ?? typed.trim()
  const body = { customer_id: props.customerId ?? typed.trim() }
  const isCustomerKnown = props.customerId !== undefined
  return (
    <ActionDialog
      title="Attach payment method"
      intro="From then on the customer can pay with it. Once attached, it can never be anybody else’s."
      submit="Attach"
      refused={typed.trim() === '' ? 'Name it first.' : null}
      call={{
        method: 'POST',
        path: `/payment-methods/${methodId || '…'}/attach`,
        body,
        sdk: { method: 'paymentMethods.attach', args: [methodId || '…', body] },
      }}
      run={(key) => api.paymentMethods.attach(methodId, body, key)}
      done="Payment method attached"
      onDone={() => {
        close()
        void reread('payment_method', 'customer')
      }}
      onCancel={close}
    >
      <TextField
        label={isCustomerKnown ? 'Payment method' : 'Customer'}
        hint={isCustomerKnown ? 'The id of one that is authorized.' : 'The id of the customer.'}
        pointer={isCustomerKnown ? '/payment_method_id' : '/customer_id'}
        placeholder={isCustomerKnown ? 'payment_method_…' : 'customer_…'}
        mono
        value={typed}
        onChange={setTyped}
      />
    </ActionDialog>
  )
}

export function DetachMethod({ method, close }: { method: PaymentMethod; close: () => void }) {
  const api = useApi()
  const reread = useReread()
  const { id } = method
  return (
    <ActionDialog
      title="Detach payment method"
      danger
      intro={`${cardText(method.card)} is destroyed and can never pay again. Subscriptions that are paid with it have nothing to pay with. It cannot be undone.`}
      submit={`Detach ${cardText(method.card)}`}
      call={{
        method: 'POST',
        path: `/payment-methods/${id}/detach`,
        sdk: { method: 'paymentMethods.detach', args: [id] },
      }}
      run={(key) => api.paymentMethods.detach(id, key)}
      done="Payment method detached"
      onDone={() => {
        close()
        void reread('payment_method', 'customer')
      }}
      onCancel={close}
    />
  )
}
