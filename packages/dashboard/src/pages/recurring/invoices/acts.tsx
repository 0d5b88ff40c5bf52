/** What can be done with an invoice in its state. */
import type { Invoice } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { moneyText } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'
import { PayDialog } from './pay.tsx'
import { DownloadPdf } from './pdf.tsx'

type Open = 'finalize' | 'pay' | 'void' | 'markUncollectible' | null

export function InvoiceActs({ invoice }: { invoice: Invoice }) {
  const [open, setOpen] = useState<Open>(null)
  const may = useMay()
  const { status } = invoice
  const isOwed = status === 'open' || status === 'uncollectible'
  const underWay = invoice.payment_state === 'none' ? null : 'A payment for it is under way.'
  const items: MenuItem[] = [
    ...(isOwed
      ? [
          {
            text: 'Void…',
            danger: true,
            onSelect: () => setOpen('void'),
            refused: may('invoices.void') ?? underWay,
          },
        ]
      : []),
    ...(status === 'open'
      ? [
          {
            text: 'Mark uncollectible…',
            onSelect: () => setOpen('markUncollectible'),
            refused: may('invoices.mark_uncollectible') ?? underWay,
          },
        ]
      : []),
  ]
  const close = () => setOpen(null)
  return (
    <>
      <DownloadPdf invoice={invoice} />
      {status === 'draft' && (
        <Button look="primary" refused={may('invoices.finalize')} onClick={() => setOpen('finalize')}>
          Finalize…
        </Button>
      )}
      {isOwed && (
        <Button look="primary" refused={may('invoices.pay') ?? underWay} onClick={() => setOpen('pay')}>
          Pay {moneyText(invoice.amount_remaining, invoice.currency)}…
        </Button>
      )}
      {items.length > 0 && <Menu label="More actions" items={items} />}
      {open === 'pay' && <PayDialog invoice={invoice} close={close} />}
      {open !== null && open !== 'pay' && <PlainAct invoice={invoice} act={open} close={close} />}
    </>
  )
}

const plain = {
  finalize: {
    operation: 'finalize',
    title: 'Finalize this invoice',
    intro:
      'It gets its number, credit is set against it, and its lines stay as they are. Then it is collected.',
    submit: 'Finalize it',
    done: 'The invoice is finalized.',
    danger: false,
  },
  void: {
    operation: 'void',
    title: 'Void this invoice',
    intro:
      'It is owed no more. Credit that was set against it goes back to the customer. Its number stays used.',
    submit: 'Void it',
    done: 'The invoice is void.',
    danger: true,
  },
  markUncollectible: {
    operation: 'mark_uncollectible',
    title: 'Mark it uncollectible',
    intro: 'Nothing more is tried by itself, and its dunning campaign ends. It can still be paid.',
    submit: 'Mark it uncollectible',
    done: 'The invoice is given up.',
    danger: true,
  },
} as const

function PlainAct(props: { invoice: Invoice; act: keyof typeof plain; close: () => void }) {
  const { invoice, act, close } = props
  const { operation, ...texts } = plain[act]
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  return (
    <ActionDialog
      {...texts}
      refused={may(`invoices.${operation}`)}
      call={{
        method: 'POST',
        path: `/invoices/${invoice.id}/${operation.replace('_', '-')}`,
        sdk: { method: `invoices.${act}`, args: [invoice.id] },
      }}
      run={async (key) => {
        await api.invoices[act](invoice.id, key)
        await reread('invoice', 'subscription', 'dunning_campaign')
      }}
      onDone={close}
      onCancel={close}
    />
  )
}
