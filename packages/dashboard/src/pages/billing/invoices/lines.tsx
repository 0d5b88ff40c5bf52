/** The lines of an invoice, in the order of the document. Each explains its amount. */
import type { Invoice, InvoiceLine } from '@switchyard/sdk'
import { Fragment, type ReactNode, useState } from 'react'
import { dateText } from '../../../format/time.ts'
import { Button } from '../../../ui/button.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Money } from '../../../ui/values.tsx'
import { EditLineDialog, RemoveLineDialog } from './edit-line.tsx'

export function InvoiceLines({ invoice }: { invoice: Invoice }) {
  const { lines } = invoice
  const isEditable = invoice.status === 'draft' && invoice.subscription_id === null
  if (lines.length === 0 && !isEditable) return <Empty title="This invoice has no lines." />
  return (
    <>
      <ul aria-label="Lines">
        {lines.map((line) => (
          <Line key={line.id} line={line} currency={invoice.currency}>
            {isEditable && <EditButtons invoice={invoice} line={line} />}
          </Line>
        ))}
      </ul>
      {isEditable && <AddLine invoice={invoice} />}
    </>
  )
}

const kinds: { readonly [K in InvoiceLine['kind']]: string } = {
  cycle: 'Period',
  one_time: 'One-time charge',
  proration_credit: 'Unused time (credit)',
  proration_debit: 'Remaining time',
  carried: 'Carried over',
  usage: 'Usage',
  usage_correction: 'Usage correction',
}

function Line({ line, currency, children }: { line: InvoiceLine; currency: string; children?: ReactNode }) {
  const { description, quantity, kind, service, explanation, amount, discounts } = line
  return (
    <li className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 border-b border-line px-4 py-3 last:border-0">
      <span className="font-bold">
        {description ?? kinds[kind]}
        {quantity !== 1 && <span className="font-normal text-ink2"> × {quantity}</span>}
      </span>
      <Money amount={amount} currency={currency} />
      <span className="col-span-2 text-compact text-ink2">
        {kinds[kind]}, {serviceText(service)}
      </span>
      {discounts.map((discount) => (
        <Fragment key={discount.discount_id}>
          <PageLink to={`/coupons/${discount.coupon_id}`}>{discount.name}</PageLink>
          <Money amount={-discount.amount} currency={currency} />
        </Fragment>
      ))}
      <span className="col-span-2 text-compact text-ink2">{explanation.text}</span>
      {children}
    </li>
  )
}

/** The service period of a line: one day, or its first and last day. */
function serviceText({ start_at: start, end_at: end }: InvoiceLine['service']): string {
  const [from, to] = [dateText(start), dateText(end)]
  return from === to ? from : `${from} to ${to}`
}

function AddLine({ invoice }: { invoice: Invoice }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="p-4">
      <Button onClick={() => setOpen(true)}>Add line…</Button>
      {isOpen && <EditLineDialog invoice={invoice} line={null} close={() => setOpen(false)} />}
    </div>
  )
}

/** The amount of a line with a price comes from the price, so only other lines can be changed here. */
function EditButtons({ invoice, line }: { invoice: Invoice; line: InvoiceLine }) {
  const [open, setOpen] = useState<'change' | 'remove' | null>(null)
  const close = () => setOpen(null)
  return (
    <span className="col-span-2 flex gap-2">
      {line.price_id === null && <Button onClick={() => setOpen('change')}>Change line…</Button>}
      <Button onClick={() => setOpen('remove')}>Remove line…</Button>
      {open === 'change' && <EditLineDialog invoice={invoice} line={line} close={close} />}
      {open === 'remove' && <RemoveLineDialog invoice={invoice} line={line} close={close} />}
    </span>
  )
}
