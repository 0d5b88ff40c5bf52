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
import { Ledger } from '../../finance/ledger.tsx'
import { CustomerName, MethodName } from '../names.tsx'
import { missingOfInvoice } from '../seller/seller-draft.ts'
import { InvoiceActions } from './actions.tsx'
import { InvoiceStatus, reasonLabels } from './columns.tsx'
import { CreditNotes } from './credit-notes.tsx'
import { collectionText, invoiceSentence } from './invoice-text.ts'
import { InvoiceLines } from './lines.tsx'
import { TaxTable } from './tax-table.tsx'

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const query = useObject(['invoice', id], (api, signal) => api.invoices.get(id, { signal }))
  return (
    <PageLoaded query={query} title="Invoice">
      {(invoice) => <InvoiceView invoice={invoice} />}
    </PageLoaded>
  )
}

function InvoiceView({ invoice }: { invoice: Invoice }) {
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Invoices', to: '/invoices' }, { text: invoice.id }]}
        title={`${moneyText(invoice.total, invoice.currency)} ${invoice.number ?? 'draft'}`}
        titleExtra={<InvoiceStatus invoice={invoice} />}
        actions={<InvoiceActions invoice={invoice} />}
      >
        <div className="mt-2">
          <Sentence>{invoiceSentence(invoice)}</Sentence>
        </div>
      </PageHead>
      <Columns
        main={
          <Tabs
            label="Invoice details"
            tabs={[
              {
                id: 'lines',
                text: 'Lines',
                content: () => (
                  <>
                    <InvoiceLines invoice={invoice} />
                    <TaxTable invoice={invoice} />
                  </>
                ),
              },
              {
                id: 'credit-notes',
                text: 'Credit notes',
                content: () => <CreditNotes of="invoice" id={invoice.id} />,
              },
              {
                id: 'ledger',
                text: 'Ledger',
                content: () => <Ledger noun="invoice" id={invoice.id} clock={invoice.test_clock_id} />,
              },
              {
                id: 'json',
                text: 'JSON',
                content: () => (
                  <div className="p-4">
                    <Json value={invoice} />
                  </div>
                ),
              },
            ]}
          />
        }
        side={
          <>
            <Amounts invoice={invoice} />
            <Details invoice={invoice} />
          </>
        }
      />
    </>
  )
}

function Amounts({ invoice }: { invoice: Invoice }) {
  const money = (amount: number) => <Money amount={amount} currency={invoice.currency} />
  const unlessZero = (amount: number) => (amount === 0 ? null : money(amount))
  return (
    <Panel title="Amounts">
      <Facts
        facts={[
          ['Subtotal', money(invoice.subtotal)],
          ['Discounts', unlessZero(-invoice.discount_total)],
          ['Total without tax', invoice.tax_breakdown.length > 0 ? money(invoice.total_excluding_tax) : null],
          ['Tax', unlessZero(invoice.tax_total)],
          ['Total', money(invoice.total)],
          [
            invoice.amount_credited === 0 ? 'Credit applied' : 'Credit and credit notes applied',
            unlessZero(-invoice.credit_applied),
          ],
          ['Credited to customer', unlessZero(invoice.credit_granted)],
          ['Amount due', money(invoice.amount_due)],
          ['Paid', money(invoice.amount_paid)],
          ['Refunded', unlessZero(invoice.amount_refunded)],
          ['Total of credit notes', unlessZero(invoice.amount_credited)],
          ['Remaining', money(invoice.amount_remaining)],
        ]}
      />
    </Panel>
  )
}

function Details({ invoice }: { invoice: Invoice }) {
  const { period, payment_method_id: methodId, missing, parties } = invoice
  return (
    <Panel title="Details">
      <Facts
        facts={[
          ['Customer', <CustomerName key="customer" id={invoice.customer_id} />],
          [
            'Subscription',
            invoice.subscription_id && <ObjectLink key="subscription" id={invoice.subscription_id} />,
          ],
          ...termsFacts(invoice),
          ['Billing reason', reasonLabels[invoice.reason]],
          ['Period', period && `${dateText(period.start_at)} to ${dateText(period.end_at)}`],
          ['Paid with', methodId && <MethodName key="method" id={methodId} />],
          ['Payment', invoice.payment_id && <ObjectLink key="payment" id={invoice.payment_id} />],
          ['Campaign', invoice.campaign_id && <ObjectLink key="campaign" id={invoice.campaign_id} />],
          ['Missing fields', missing.length > 0 && missingOfInvoice(missing)],
          ['Seller', parties?.seller.legal_name],
          ['Billed to', parties?.customer.name],
          ['Attempts', String(invoice.attempt_count)],
          ['Created', <Time key="created" at={invoice.created_at} exact />],
          ['Finalized', invoice.finalized_at && <Time key="finalized" at={invoice.finalized_at} exact />],
          ['Sent', invoice.sent_at && <Time key="sent" at={invoice.sent_at} exact />],
          ['Paid on', invoice.paid_at && <Time key="paid" at={invoice.paid_at} exact />],
          ['Test clock', invoice.test_clock_id && <ObjectLink key="clock" id={invoice.test_clock_id} />],
        ]}
      />
    </Panel>
  )
}

function termsFacts(invoice: Invoice): [string, string | null | false][] {
  const { due_at, next_reminder_at, reminder_count, purchase_order, memo } = invoice
  return [
    ['Collection', collectionText(invoice)],
    ['Due', due_at && dateText(due_at)],
    ['Next step', next_reminder_at && dateText(next_reminder_at)],
    ['Reminders', reminder_count > 0 && String(reminder_count)],
    ['Purchase order', purchase_order],
    ['Memo', memo],
  ]
}
