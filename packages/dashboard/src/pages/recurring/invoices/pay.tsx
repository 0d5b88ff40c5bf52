import type { Invoice } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { cardWithExpiry } from '../../../format/card.ts'
import { moneyText } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { SelectField } from '../../../ui/fields.tsx'
import { useMethodsOf } from '../names.tsx'

const elsewhere = 'elsewhere'

export function PayDialog({ invoice, close }: { invoice: Invoice; close: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const { data: methods = [] } = useMethodsOf(invoice.customer_id)
  const [choice, setChoice] = useState(invoice.payment_method_id ?? '')
  const sum = moneyText(invoice.amount_remaining, invoice.currency)
  const body =
    choice === elsewhere ? { out_of_band: true } : choice === '' ? {} : { payment_method_id: choice }
  return (
    <ActionDialog
      title="Pay this invoice"
      intro={
        choice === elsewhere
          ? `You have ${sum} already, by other means. Nothing is charged.`
          : `${sum} is charged now. It counts as a try.`
      }
      submit={choice === elsewhere ? `Record ${sum} as paid` : `Charge ${sum}`}
      refused={may('invoices.pay')}
      call={{
        method: 'POST',
        path: `/invoices/${invoice.id}/pay`,
        body,
        sdk: { method: 'invoices.pay', args: [invoice.id, body] },
      }}
      run={async (key) => {
        await api.invoices.pay(invoice.id, body, key)
        await reread('invoice', 'subscription', 'dunning_campaign', 'payment')
      }}
      done={choice === elsewhere ? 'It is recorded as paid.' : 'The payment is under way.'}
      onDone={close}
      onCancel={close}
    >
      <SelectField
        label="Pay with"
        value={choice}
        onChange={setChoice}
        options={[
          ...(invoice.payment_method_id === null
            ? [{ value: '', text: 'The card of the subscription' }]
            : []),
          ...methods.map((method) => ({ value: method.id, text: cardWithExpiry(method.card) })),
          { value: elsewhere, text: 'By other means: I have the money' },
        ]}
        pointer="/payment_method_id"
      />
    </ActionDialog>
  )
}
