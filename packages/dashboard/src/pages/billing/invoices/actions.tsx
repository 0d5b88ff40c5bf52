/** The actions that the status of an invoice allows. */
import type { Invoice } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { moneyText } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'
import { PayDialog } from './pay.tsx'
import { DownloadPdf } from './pdf.tsx'

type Open = 'finalize' | 'pay' | 'void' | 'markUncollectible' | null

export function InvoiceActions({ invoice }: { invoice: Invoice }) {
  const [open, setOpen] = useState<Open>(null)
  const disabledReasonFor = useDisabledReason()
  const { status } = invoice
  const isOwed = status === 'open' || status === 'uncollectible'
  const inProgressReason =
    invoice.payment_state === 'none' ? null : 'A payment for this invoice is in progress.'
  const items: MenuItem[] = [
    ...(isOwed
      ? [
          {
            text: 'Void invoice…',
            danger: true,
            onSelect: () => setOpen('void'),
            disabledReason: disabledReasonFor('invoices.void') ?? inProgressReason,
          },
        ]
      : []),
    ...(status === 'open'
      ? [
          {
            text: 'Mark uncollectible…',
            onSelect: () => setOpen('markUncollectible'),
            disabledReason: disabledReasonFor('invoices.mark_uncollectible') ?? inProgressReason,
          },
        ]
      : []),
  ]
  const close = () => setOpen(null)
  return (
    <>
      <DownloadPdf invoice={invoice} />
      {status === 'draft' && (
        <Button
          variant="primary"
          disabledReason={disabledReasonFor('invoices.finalize')}
          onClick={() => setOpen('finalize')}
        >
          Finalize invoice…
        </Button>
      )}
      {isOwed && (
        <Button
          variant="primary"
          disabledReason={disabledReasonFor('invoices.pay') ?? inProgressReason}
          onClick={() => setOpen('pay')}
        >
          Pay {moneyText(invoice.amount_remaining, invoice.currency)}…
        </Button>
      )}
      {items.length > 0 && <Menu label="More actions" items={items} />}
      {open === 'pay' && <PayDialog invoice={invoice} close={close} />}
      {open !== null && open !== 'pay' && (
        <SimpleActionDialog invoice={invoice} action={open} close={close} />
      )}
    </>
  )
}

const simpleActions = {
  finalize: {
    operation: 'finalize',
    title: 'Finalize invoice',
    intro:
      'The invoice gets its number, customer credit is applied, and its lines can no longer change. Collection then starts.',
    submit: 'Finalize invoice',
    successMessage: 'Invoice finalized',
    danger: false,
  },
  void: {
    operation: 'void',
    title: 'Void invoice',
    intro:
      'The invoice is no longer owed. Credit applied to it is returned to the customer. Its number is not reused.',
    submit: 'Void invoice',
    successMessage: 'Invoice voided',
    danger: true,
  },
  markUncollectible: {
    operation: 'mark_uncollectible',
    title: 'Mark invoice uncollectible',
    intro:
      'The invoice is no longer retried automatically, and its dunning campaign ends. It can still be paid.',
    submit: 'Mark uncollectible',
    successMessage: 'Invoice marked uncollectible',
    danger: true,
  },
} as const

function SimpleActionDialog(props: {
  invoice: Invoice
  action: keyof typeof simpleActions
  close: () => void
}) {
  const { invoice, action, close } = props
  const { operation, ...texts } = simpleActions[action]
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  return (
    <ActionDialog
      {...texts}
      disabledReason={disabledReasonFor(`invoices.${operation}`)}
      call={{
        method: 'POST',
        path: `/invoices/${invoice.id}/${operation.replace('_', '-')}`,
        sdk: { method: `invoices.${action}`, args: [invoice.id] },
      }}
      run={async (key) => {
        await api.invoices[action](invoice.id, key)
        await invalidate('invoice', 'subscription', 'dunning_campaign')
      }}
      onDone={close}
      onCancel={close}
    />
  )
}
