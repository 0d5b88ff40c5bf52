import type { Invoice } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { methodWithExpiry } from '../../../format/card.ts'
import { moneyText } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { SelectField } from '../../../ui/fields.tsx'
import { useCustomerMethods } from '../names.tsx'

const outOfBand = 'out_of_band'

export function PayDialog({ invoice, close }: { invoice: Invoice; close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const { data: methods = [] } = useCustomerMethods(invoice.customer_id)
  const [choice, setChoice] = useState(invoice.payment_method_id ?? '')
  const amount = moneyText(invoice.amount_remaining, invoice.currency)
  const body =
    choice === outOfBand ? { out_of_band: true } : choice === '' ? {} : { payment_method_id: choice }
  return (
    <ActionDialog
      title="Pay invoice"
      intro={
        choice === outOfBand
          ? `Records that you received ${amount} outside Switchyard. Nothing is charged.`
          : `${amount} is charged now. This counts as an attempt.`
      }
      submit={choice === outOfBand ? `Record ${amount} as paid` : `Charge ${amount}`}
      disabledReason={disabledReasonFor('invoices.pay')}
      call={{
        method: 'POST',
        path: `/invoices/${invoice.id}/pay`,
        body,
        sdk: { method: 'invoices.pay', args: [invoice.id, body] },
      }}
      run={async (key) => {
        await api.invoices.pay(invoice.id, body, key)
        await invalidate('invoice', 'subscription', 'dunning_campaign', 'payment')
      }}
      successMessage={choice === outOfBand ? 'Invoice recorded as paid' : 'Payment started'}
      onDone={close}
      onCancel={close}
    >
      <SelectField
        label="Pay with"
        value={choice}
        onChange={setChoice}
        options={[
          ...(invoice.payment_method_id === null ? [{ value: '', text: 'Card of the subscription' }] : []),
          ...methods.map((method) => ({ value: method.id, text: methodWithExpiry(method) })),
          { value: outOfBand, text: 'Paid outside Switchyard' },
        ]}
        pointer="/payment_method_id"
      />
    </ActionDialog>
  )
}
