/** The actions that the status of an invoice allows. */
import type { Invoice } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { moneyText } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'
import { CreditNoteDialog } from './credit-note.tsx'
import { PayDialog } from './pay.tsx'
import { DownloadPdf, useXmlItems } from './pdf.tsx'

type Open = 'finalize' | 'pay' | 'void' | 'markUncollectible' | 'send' | 'delete' | 'credit' | null

export function InvoiceActions({ invoice }: { invoice: Invoice }) {
  const [open, setOpen] = useState<Open>(null)
  const disabledReasonFor = useDisabledReason()
  const { status } = invoice
  const isOwed = status === 'open' || status === 'uncollectible'
  const inProgressReason = inProgressReasonOf(invoice)
  const items = useMenuItems(invoice, setOpen)
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
      {open === 'credit' && <CreditNoteDialog invoice={invoice} close={close} />}
      {open !== null && open !== 'pay' && open !== 'credit' && (
        <SimpleActionDialog invoice={invoice} action={open} close={close} />
      )}
    </>
  )
}

/** Actions that are used less often than paying. */
function useMenuItems(invoice: Invoice, setOpen: (open: Open) => void): MenuItem[] {
  const disabledReasonFor = useDisabledReason()
  const { status } = invoice
  const isOwed = status === 'open' || status === 'uncollectible'
  const inProgressReason = inProgressReasonOf(invoice)
  const isOneOffDraft = status === 'draft' && invoice.subscription_id === null
  const xmlItems = useXmlItems(invoice)
  return [
    ...xmlItems,
    ...(isOwed || isOneOffDraft
      ? [
          {
            text: 'Send invoice…',
            onSelect: () => setOpen('send'),
            disabledReason: disabledReasonFor('invoices.send'),
          },
        ]
      : []),
    ...(isCreditable(invoice)
      ? [
          {
            text: 'Issue credit note…',
            onSelect: () => setOpen('credit'),
            disabledReason: disabledReasonFor('credit_notes.create') ?? inProgressReason,
          },
        ]
      : []),
    ...(isOneOffDraft
      ? [
          {
            text: 'Delete draft…',
            danger: true,
            onSelect: () => setOpen('delete'),
            disabledReason: disabledReasonFor('invoices.delete'),
          },
        ]
      : []),
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
}

function isCreditable({ status, total }: Invoice): boolean {
  return total > 0 && (status === 'open' || status === 'paid')
}

function inProgressReasonOf({ payment_state }: Invoice): string | null {
  return payment_state === 'none' ? null : 'A payment for this invoice is in progress.'
}

const simpleActions = {
  send: {
    operation: 'send',
    title: 'Send invoice',
    intro:
      'The customer gets an e-mail with a link to the invoice, where they can pay it. A draft gets its number first, and its lines can no longer change.',
    submit: 'Send invoice',
    successMessage: 'Invoice sent',
    danger: false,
  },
  delete: {
    operation: 'delete',
    title: 'Delete draft',
    intro: 'The draft is discarded. It uses no invoice number.',
    submit: 'Delete draft',
    successMessage: 'Draft deleted',
    danger: true,
  },
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
      'The invoice is no longer owed, and a credit note reverses it. Credit applied to it is returned to the customer.',
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
        method: operation === 'delete' ? 'DELETE' : 'POST',
        path: `/invoices/${invoice.id}${operation === 'delete' ? '' : `/${operation.replace('_', '-')}`}`,
        sdk: { method: `invoices.${action}`, args: [invoice.id] },
      }}
      run={async (key) => {
        await api.invoices[action](invoice.id, key)
        await invalidate('invoice', 'credit_note', 'subscription', 'dunning_campaign')
      }}
      onDone={close}
      onCancel={close}
    />
  )
}
