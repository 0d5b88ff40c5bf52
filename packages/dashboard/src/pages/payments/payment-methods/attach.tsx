/** Attaches a payment method to a customer, or detaches it. */
import type { PaymentMethod } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { methodText } from '../../../format/card.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'

/** One of the two ids is given; the user enters the other. */
export function AttachMethod(props: { customerId?: string; methodId?: string; close: () => void }) {
  const { close } = props
  const api = useApi()
  const invalidate = useInvalidate()
  const [typedId, setTypedId] = useState('')
  const methodId = props.methodId ?? typedId.trim()
  const body = { customer_id: props.customerId ?? typedId.trim() }
  const isCustomerKnown = props.customerId !== undefined
  return (
    <ActionDialog
      title="Attach payment method"
      intro="The customer can then pay with it. An attached payment method cannot be moved to another customer."
      submit="Attach payment method"
      disabledReason={typedId.trim() === '' ? 'Enter an ID first.' : null}
      call={{
        method: 'POST',
        path: `/payment-methods/${methodId || '…'}/attach`,
        body,
        sdk: { method: 'paymentMethods.attach', args: [methodId || '…', body] },
      }}
      run={(key) => api.paymentMethods.attach(methodId, body, key)}
      successMessage="Payment method attached"
      onDone={() => {
        close()
        void invalidate('payment_method', 'customer')
      }}
      onCancel={close}
    >
      <TextField
        label={isCustomerKnown ? 'Payment method' : 'Customer'}
        hint={isCustomerKnown ? 'ID of an authorized payment method.' : 'Customer ID.'}
        pointer={isCustomerKnown ? '/payment_method_id' : '/customer_id'}
        placeholder={isCustomerKnown ? 'payment_method_…' : 'customer_…'}
        mono
        value={typedId}
        onChange={setTypedId}
      />
    </ActionDialog>
  )
}

export function DetachMethod({ method, close }: { method: PaymentMethod; close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { id } = method
  return (
    <ActionDialog
      title="Detach payment method"
      danger
      intro={`${methodText(method)} is deleted and can never be charged again. Subscriptions that use it are left without a payment method. This cannot be undone.`}
      submit={`Detach ${methodText(method)}`}
      call={{
        method: 'POST',
        path: `/payment-methods/${id}/detach`,
        sdk: { method: 'paymentMethods.detach', args: [id] },
      }}
      run={(key) => api.paymentMethods.detach(id, key)}
      successMessage="Payment method detached"
      onDone={() => {
        close()
        void invalidate('payment_method', 'customer')
      }}
      onCancel={close}
    />
  )
}
