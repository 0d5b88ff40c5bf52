/** Which rate applies to a customer, and why. */
import type { TaxRate } from '@switchyard/sdk'
import { useState } from 'react'
import { useObject } from '../../../api/queries.ts'
import { useDebounced } from '../../../ui/debounced.ts'
import { TextField } from '../../../ui/fields.tsx'
import { Panel, Sentence } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { CustomerField } from '../../billing/subscriptions/customer-field.tsx'
import { previewText } from './tax-text.ts'

export function Preview({ rates }: { rates: readonly TaxRate[] }) {
  const [customerId, setCustomerId] = useState('')
  const [taxCode, setTaxCode] = useState('')
  const code = useDebounced(taxCode.trim())
  return (
    <Panel title="Which rate applies to this customer?">
      <div className="grid gap-3">
        <CustomerField value={customerId} onChange={setCustomerId} pointer="/customer_id" />
        <TextField
          label="Tax code of the product"
          value={taxCode}
          onChange={setTaxCode}
          hint="Optional. Leave empty for products without a tax code."
        />
        <div role="status">
          {customerId !== '' && <Result customerId={customerId} taxCode={code} rates={rates} />}
        </div>
      </div>
    </Panel>
  )
}

function Result(props: { customerId: string; taxCode: string; rates: readonly TaxRate[] }) {
  const { customerId, taxCode, rates } = props
  const preview = useObject(['tax_preview', customerId, taxCode], (api) =>
    api.taxRules.preview({ customer_id: customerId, tax_code: taxCode === '' ? null : taxCode }),
  )
  return (
    <Loaded query={preview} rows={1}>
      {(loaded) => (
        <Sentence>
          {previewText(loaded, rates.find(({ id }) => id === loaded.tax_rate_id)?.name ?? null)}
        </Sentence>
      )}
    </Loaded>
  )
}
