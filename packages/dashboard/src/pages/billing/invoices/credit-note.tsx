/** Issues a credit note for an invoice, with a preview of where the money goes. */
import type { CreateCreditNote, Invoice } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { amountOf } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { useDebounced } from '../../../ui/debounced.ts'
import { AmountField, SelectField } from '../../../ui/fields.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { errorText } from '../../../ui/states.tsx'
import { Money } from '../../../ui/values.tsx'

const reasons = [
  { value: 'order_change', text: 'Order changed' },
  { value: 'order_cancelled', text: 'Order cancelled' },
  { value: 'duplicate', text: 'Duplicate' },
  { value: 'product_unsatisfactory', text: 'Product unsatisfactory' },
  { value: 'other', text: 'Other' },
]

export function CreditNoteDialog({ invoice, close }: { invoice: Invoice; close: () => void }) {
  const { currency } = invoice
  const [amounts, setAmounts] = useState<{ readonly [lineId: string]: string }>({})
  const [reason, setReason] = useState('order_change')
  const [refund, setRefund] = useState('')
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const refundAmount = amountOf(refund, currency)
  const body: CreateCreditNote = {
    invoice_id: invoice.id,
    reason: reason as NonNullable<CreateCreditNote['reason']>,
    lines: invoice.lines.flatMap(({ id }) => {
      const amount = amountOf(amounts[id] ?? '', currency)
      return amount === null || amount === 0 ? [] : [{ invoice_line_id: id, amount }]
    }),
    ...(refundAmount === null ? {} : { refund_amount: refundAmount }),
  }
  return (
    <ActionDialog
      wide
      title="Issue credit note"
      intro="A credit note first reduces what is still owed. The rest is refunded, or becomes customer credit."
      submit="Issue credit note"
      disabledReason={
        disabledReasonFor('credit_notes.create') ??
        (body.lines.length === 0 ? 'Enter an amount for at least one line first.' : null)
      }
      call={{
        method: 'POST',
        path: '/credit-notes',
        body,
        sdk: { method: 'creditNotes.create', args: [body] },
      }}
      run={async (key) => {
        await api.creditNotes.create(body, key)
        await invalidate('invoice', 'credit_note', 'refund', 'payment')
      }}
      successMessage="Credit note issued"
      onDone={close}
      onCancel={close}
    >
      {invoice.lines
        .filter(({ amount }) => amount > 0)
        .map((line) => (
          <AmountField
            key={line.id}
            label={line.description ?? 'Line'}
            currency={currency}
            value={amounts[line.id] ?? ''}
            onChange={(value) => setAmounts((before) => ({ ...before, [line.id]: value }))}
          />
        ))}
      <SelectField label="Reason" value={reason} onChange={setReason} options={reasons} pointer="/reason" />
      {invoice.amount_paid > 0 && (
        <AmountField
          label="Refund"
          currency={currency}
          value={refund}
          onChange={setRefund}
          pointer="/refund_amount"
        />
      )}
      {body.lines.length > 0 && <Preview body={body} />}
    </ActionDialog>
  )
}

function Preview({ body }: { body: CreateCreditNote }) {
  const debounced = useDebounced(body)
  const { data, error } = useObject(['preview', 'credit_note', debounced], (api) =>
    api.creditNotes.preview(debounced),
  )
  if (error !== null) return <p role="alert">{errorText(error)}</p>
  if (data === undefined) return null
  const money = (amount: number) => <Money amount={amount} currency={data.currency} />
  const unlessZero = (amount: number) => (amount === 0 ? null : money(amount))
  return (
    <section aria-label="Preview">
      <Facts
        facts={[
          ['Taxes', unlessZero(data.tax_total)],
          ['Total', money(data.total)],
          ['Reduces what is owed', unlessZero(data.applied_amount)],
          ['Refunded', unlessZero(data.refund_amount)],
          ['Becomes customer credit', unlessZero(data.balance_amount)],
        ]}
      />
    </section>
  )
}
