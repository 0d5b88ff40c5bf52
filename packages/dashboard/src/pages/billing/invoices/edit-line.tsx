/** Adds, changes and removes lines of a draft. */
import type { Invoice, InvoiceLine } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { plainAmount } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { emptyLine, formOfLine, isLineComplete, lineBodyOf } from './invoice-draft.ts'
import { LineFields } from './line-fields.tsx'

/** Without `line`, a new line is added. */
export function EditLineDialog(props: { invoice: Invoice; line: InvoiceLine | null; close: () => void }) {
  const { invoice, line, close } = props
  const { id, currency } = invoice
  const [form, setForm] = useState(() =>
    line === null ? emptyLine() : formOfLine(line, (amount) => plainAmount(amount, currency)),
  )
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const body = lineBodyOf(form, currency)
  const call =
    line === null
      ? ({
          method: 'POST',
          path: `/invoices/${id}/lines`,
          body,
          sdk: { method: 'invoices.addLine', args: [id, body] },
        } as const)
      : ({
          method: 'PUT',
          path: `/invoices/${id}/lines/${line.id}`,
          body,
          sdk: { method: 'invoices.updateLine', args: [id, line.id, body] },
        } as const)
  return (
    <ActionDialog
      title={line === null ? 'Add line' : 'Change line'}
      submit={line === null ? 'Add line' : 'Change line'}
      disabledReason={
        disabledReasonFor(line === null ? 'invoices.add_line' : 'invoices.update_line') ??
        (isLineComplete(form, currency) ? null : 'Enter a description and an amount first.')
      }
      call={call}
      run={async (key) => {
        await (line === null
          ? api.invoices.addLine(id, body, key)
          : api.invoices.updateLine(id, line.id, body, key))
        await invalidate('invoice')
      }}
      successMessage={line === null ? 'Line added' : 'Line changed'}
      onDone={close}
      onCancel={close}
    >
      <LineFields
        line={form}
        currency={currency}
        pointer=""
        set={(members) => setForm((before) => ({ ...before, ...members }))}
      />
    </ActionDialog>
  )
}

export function RemoveLineDialog({
  invoice,
  line,
  close,
}: {
  invoice: Invoice
  line: InvoiceLine
  close: () => void
}) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  return (
    <ActionDialog
      title="Remove line"
      intro={`“${line.description}” is removed from the draft.`}
      submit="Remove line"
      danger
      cancelLabel="Keep line"
      disabledReason={disabledReasonFor('invoices.delete_line')}
      call={{
        method: 'DELETE',
        path: `/invoices/${invoice.id}/lines/${line.id}`,
        sdk: { method: 'invoices.deleteLine', args: [invoice.id, line.id] },
      }}
      run={async (key) => {
        await api.invoices.deleteLine(invoice.id, line.id, key)
        await invalidate('invoice')
      }}
      successMessage="Line removed"
      onDone={close}
      onCancel={close}
    />
  )
}
