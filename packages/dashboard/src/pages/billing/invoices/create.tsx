/** Creates a one-off invoice with its lines, and shows the amounts that the server calculates. */
import type { CreateInvoice } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionForm } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { useDebounced } from '../../../ui/debounced.ts'
import { SelectField, TextArea, TextField } from '../../../ui/fields.tsx'
import { useOpenPage } from '../../../ui/link.tsx'
import { Facts, PageHead, Panel } from '../../../ui/panel.tsx'
import { errorText } from '../../../ui/states.tsx'
import { Money } from '../../../ui/values.tsx'
import { currencyOptions } from '../../currency-options.ts'
import { CustomerField } from '../subscriptions/customer-field.tsx'
import { bodyOf, emptyDraft, emptyLine, type InvoiceDraft, isComplete } from './invoice-draft.ts'
import { LineFields } from './line-fields.tsx'

export function Page() {
  return (
    <>
      <PageHead crumbs={[{ text: 'Invoices', to: '/invoices' }, { text: 'new' }]} title="Create invoice" />
      <div className="max-w-160">
        <Panel>
          <CreateForm />
        </Panel>
      </div>
    </>
  )
}

function CreateForm() {
  const [draft, setDraft] = useState(emptyDraft)
  const set = (members: Partial<InvoiceDraft>) => setDraft((before) => ({ ...before, ...members }))
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const body = bodyOf(draft)
  const hasAll = isComplete(draft)
  return (
    <ActionForm
      submit="Create draft"
      disabledReason={
        disabledReasonFor('invoices.create') ??
        (hasAll ? null : 'Choose a customer, and complete the lines first.')
      }
      call={{ method: 'POST', path: '/invoices', body, sdk: { method: 'invoices.create', args: [body] } }}
      run={async (key) => {
        const { id } = await api.invoices.create(body, key)
        await invalidate('invoice')
        openPage(`/invoices/${id}`)
      }}
      successMessage="Draft created"
      onDone={() => undefined}
    >
      <CustomerField
        value={draft.customerId}
        onChange={(customerId) => set({ customerId })}
        pointer="/customer_id"
      />
      <Terms draft={draft} set={set} />
      <Lines draft={draft} set={set} />
      {hasAll && <Preview body={body} />}
    </ActionForm>
  )
}

type FormProps = { draft: InvoiceDraft; set: (members: Partial<InvoiceDraft>) => void }

function Terms({ draft, set }: FormProps) {
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-3">
        <SelectField
          label="Currency"
          value={draft.currency}
          onChange={(currency) => set({ currency })}
          options={currencyOptions}
          pointer="/currency"
        />
        <SelectField
          label="Collection"
          value={draft.collectionMethod}
          onChange={(value) => set({ collectionMethod: value as InvoiceDraft['collectionMethod'] })}
          options={[
            { value: 'send_invoice', text: 'Customer pays online' },
            { value: 'charge_automatically', text: 'Charge payment method' },
          ]}
          pointer="/collection_method"
        />
        {draft.collectionMethod === 'send_invoice' && (
          <TextField
            label="Due after (days)"
            type="number"
            value={draft.days}
            onChange={(days) => set({ days })}
            pointer="/terms/days"
          />
        )}
      </div>
      <TextField
        label="Purchase order"
        value={draft.purchaseOrder}
        onChange={(purchaseOrder) => set({ purchaseOrder })}
        hint="Optional. Shown on the invoice."
        pointer="/purchase_order"
      />
      <TextField
        label="Coupon or promotion code"
        value={draft.discount}
        onChange={(discount) => set({ discount })}
        hint="Optional. Without one, discounts of the customer apply."
        pointer="/discounts/0"
      />
      <TextArea
        label="Memo"
        rows={2}
        value={draft.memo}
        onChange={(memo) => set({ memo })}
        hint="Optional. Text for the customer on the invoice."
        pointer="/memo"
      />
    </>
  )
}

function Lines({ draft, set }: FormProps) {
  const { lines, currency } = draft
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 font-bold">Lines</legend>
      {lines.map((line, index) => (
        <div key={line.key} className="grid gap-1 border-b border-line pb-3">
          <LineFields
            line={line}
            currency={currency}
            pointer={`/lines/${index}`}
            set={(members) =>
              set({ lines: lines.map((one) => (one.key === line.key ? { ...one, ...members } : one)) })
            }
          />
          {lines.length > 1 && (
            <div>
              <Button onClick={() => set({ lines: lines.filter(({ key }) => key !== line.key) })}>
                Remove line {index + 1}
              </Button>
            </div>
          )}
        </div>
      ))}
      <div>
        <Button onClick={() => set({ lines: [...lines, emptyLine()] })}>Add line</Button>
      </div>
    </fieldset>
  )
}

function Preview({ body }: { body: CreateInvoice }) {
  const debounced = useDebounced(body)
  const { data, error } = useObject(['preview', 'invoice', debounced], (api) =>
    api.invoices.preview(debounced),
  )
  if (error !== null) return <p role="alert">{errorText(error)}</p>
  if (data === undefined) return null
  const money = (amount: number) => <Money amount={amount} currency={data.currency} />
  return (
    <section aria-label="Preview">
      <Facts
        facts={[
          ['Subtotal', money(data.subtotal)],
          ['Discounts', data.discount_total === 0 ? null : money(-data.discount_total)],
          ['Taxes', data.tax_total === 0 ? null : money(data.tax_total)],
          ['Total', money(data.total)],
        ]}
      />
    </section>
  )
}
