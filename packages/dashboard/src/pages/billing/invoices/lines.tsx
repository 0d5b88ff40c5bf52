/** The lines of an invoice. Each explains its amount. */
import type { Invoice, InvoiceLine } from '@switchyard/sdk'
import { useRows } from '../../../api/queries.ts'
import { dateText } from '../../../format/time.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty, ErrorPanel } from '../../../ui/states.tsx'
import { Money } from '../../../ui/values.tsx'

export function InvoiceLines({ invoice }: { invoice: Invoice }) {
  const { rows, hasMore, loadMore, error, refresh } = useRows(
    ['invoice', invoice.id, 'lines', invoice.updated_at],
    (api, page) => api.invoices.lines(invoice.id, page),
  )
  const lines = rows.length === 0 ? invoice.lines : rows
  if (error !== null) return <ErrorPanel error={error} retry={refresh} />
  if (lines.length === 0) return <Empty title="This invoice has no lines." />
  return (
    <>
      <ul aria-label="Lines">
        {lines.map((line) => (
          <Line key={line.id} line={line} currency={invoice.currency} />
        ))}
      </ul>
      {hasMore && (
        <div className="p-4">
          <Button onClick={loadMore}>Show more lines</Button>
        </div>
      )}
    </>
  )
}

const kinds: { readonly [K in InvoiceLine['kind']]: string } = {
  cycle: 'Period',
  one_time: 'One-time charge',
  proration_credit: 'Unused time (credit)',
  proration_debit: 'Remaining time',
  carried: 'Carried over',
}

function Line({ line, currency }: { line: InvoiceLine; currency: string }) {
  const { description, quantity, kind, service, explanation, amount } = line
  return (
    <li className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 border-b border-line px-4 py-3 last:border-0">
      <span className="font-bold">
        {description ?? kinds[kind]}
        {quantity !== 1 && <span className="font-normal text-ink2"> × {quantity}</span>}
      </span>
      <Money amount={amount} currency={currency} />
      <span className="col-span-2 text-compact text-ink2">
        {kinds[kind]}, {dateText(service.start_at)} to {dateText(service.end_at)}
      </span>
      <span className="col-span-2 text-compact text-ink2">{explanation.text}</span>
    </li>
  )
}
