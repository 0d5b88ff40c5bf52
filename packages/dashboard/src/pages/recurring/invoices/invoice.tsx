import type { Invoice } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useObject } from '../../../api/queries.ts'
import { moneyText } from '../../../format/money.ts'
import { dateText } from '../../../format/time.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Json } from '../../../ui/code.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Money, Time } from '../../../ui/values.tsx'
import { CustomerName, MethodName } from '../names.tsx'
import { InvoiceActs } from './acts.tsx'
import { InvoiceChips, reasonWords } from './columns.tsx'
import { InvoiceLines } from './lines.tsx'
import { invoiceSentence } from './words.ts'

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const found = useObject(['invoice', id], (api, signal) => api.invoices.get(id, { signal }))
  return (
    <PageLoaded of={found} title="Invoice">
      {(invoice) => <Shown invoice={invoice} />}
    </PageLoaded>
  )
}

function Shown({ invoice }: { invoice: Invoice }) {
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Invoices', to: '/invoices' }, { text: invoice.id }]}
        title={`${moneyText(invoice.total, invoice.currency)} ${invoice.number ?? 'draft'}`}
        beside={<InvoiceChips of={invoice} />}
        actions={<InvoiceActs invoice={invoice} />}
      >
        <div className="mt-2">
          <Sentence>{invoiceSentence(invoice)}</Sentence>
        </div>
      </PageHead>
      <Columns
        main={
          <Tabs
            label="More about this invoice"
            tabs={[
              { id: 'lines', text: 'Lines', content: () => <InvoiceLines invoice={invoice} /> },
              {
                id: 'json',
                text: 'JSON',
                content: () => (
                  <div className="p-4">
                    <Json of={invoice} />
                  </div>
                ),
              },
            ]}
          />
        }
        side={
          <>
            <Sums invoice={invoice} />
            <Details invoice={invoice} />
          </>
        }
      />
    </>
  )
}

function Sums({ invoice }: { invoice: Invoice }) {
  const sum = (amount: number) => <Money amount={amount} currency={invoice.currency} />
  const unlessZero = (amount: number) => (amount === 0 ? null : sum(amount))
  return (
    <Panel title="Money">
      <Facts
        of={[
          ['Sum of the lines', sum(invoice.subtotal)],
          ['Discounts', unlessZero(-invoice.discount_total)],
          ['Taxes', unlessZero(invoice.tax_total)],
          ['Total', sum(invoice.total)],
          ['From credit', unlessZero(-invoice.credit_applied)],
          ['Given as credit', unlessZero(invoice.credit_granted)],
          ['To pay', sum(invoice.amount_due)],
          ['Paid', sum(invoice.amount_paid)],
          ['Refunded', unlessZero(invoice.amount_refunded)],
          ['Left to pay', sum(invoice.amount_remaining)],
        ]}
      />
    </Panel>
  )
}

function Details({ invoice }: { invoice: Invoice }) {
  const { period, payment_method_id: methodId } = invoice
  return (
    <Panel title="Details">
      <Facts
        of={[
          ['Customer', <CustomerName key="customer" id={invoice.customer_id} />],
          ['Subscription', <ObjectLink key="subscription" id={invoice.subscription_id} />],
          ['Bills', reasonWords[invoice.reason]],
          ['Period', period && `${dateText(period.start_at)} to ${dateText(period.end_at)}`],
          ['Paid with', methodId && <MethodName key="method" id={methodId} />],
          ['Payment', invoice.payment_id && <ObjectLink key="payment" id={invoice.payment_id} />],
          ['Campaign', invoice.campaign_id && <ObjectLink key="campaign" id={invoice.campaign_id} />],
          ['Tries', String(invoice.attempt_count)],
          ['Created', <Time key="created" at={invoice.created_at} exact />],
          ['Finalized', invoice.finalized_at && <Time key="finalized" at={invoice.finalized_at} exact />],
          ['Paid on', invoice.paid_at && <Time key="paid" at={invoice.paid_at} exact />],
          ['Test clock', invoice.test_clock_id && <ObjectLink key="clock" id={invoice.test_clock_id} />],
        ]}
      />
    </Panel>
  )
}
