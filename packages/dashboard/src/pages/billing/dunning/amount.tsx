/** The amount due on the invoice of a campaign. */
import type { Invoice } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { Money } from '../../../ui/values.tsx'

export function useInvoice(id: string) {
  return useObject<Invoice>(['invoice', id], (api, signal) => api.invoices.get(id, { signal }))
}

export function InvoiceAmount({ id }: { id: string }) {
  const { data } = useInvoice(id)
  return data === undefined ? null : <Money amount={data.amount_due} currency={data.currency} showCode />
}
