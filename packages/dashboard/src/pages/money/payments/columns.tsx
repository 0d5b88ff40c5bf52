/** Payments in a table: here, and on the pages of whatever they belong to. */
import type { Payment } from '@switchyard/sdk'
import { cardText } from '../../../format/card.ts'
import { lookOf } from '../../../format/status.ts'
import { counted } from '../../../format/words.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Status, StatusMark } from '../../../ui/status.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Money, Time } from '../../../ui/values.tsx'
import { notesOf, reasonOf, shownStatus } from './state.ts'

type NameOf = (accountId: string) => string

export const amountColumn: Column<Payment> = {
  title: 'Amount',
  align: 'right',
  width: '132px',
  phone: true,
  cell: ({ amount, currency, id }) => (
    <ObjectLink id={id}>
      <Money amount={amount} currency={currency} code />
    </ObjectLink>
  ),
}

const statusColumn: Column<Payment> = {
  title: 'Status',
  width: '184px',
  phone: true,
  cell: (payment) => {
    const [note] = notesOf(payment)
    const shown = note?.status.includes('refund') && payment.status === 'succeeded' ? note : null
    return shown === null ? (
      <Status of={shownStatus(payment)} />
    ) : (
      <Status of={shown.status}>{shown.text}</Status>
    )
  },
}

const reasonColumn: Column<Payment> = {
  title: 'Reason',
  cell: (payment) =>
    payment.purpose === 'verification' && reasonOf(payment) === null ? (
      <span className="text-ink2">Card verification</span>
    ) : (
      <span className="font-mono text-compact text-ink2">{reasonOf(payment)}</span>
    ),
}

const customerColumn: Column<Payment> = {
  title: 'Customer',
  width: '190px',
  wide: true,
  cell: ({ customer_id }) => <ObjectLink id={customer_id} />,
}

const methodColumn: Column<Payment> = {
  title: 'Method',
  width: '160px',
  wide: true,
  cell: ({ card }) => cardText(card),
}

const createdColumn: Column<Payment> = {
  title: 'Created',
  align: 'right',
  width: '120px',
  phone: true,
  cell: ({ created_at }) => <Time at={created_at} />,
}

export function paymentColumns(nameOf: NameOf): Column<Payment>[] {
  const path: Column<Payment> = {
    title: 'Path',
    width: '170px',
    cell: (payment) => <Path payment={payment} nameOf={nameOf} />,
  }
  return [amountColumn, statusColumn, reasonColumn, customerColumn, methodColumn, path, createdColumn]
}

/** For the page of a customer, who need not stand in each row. */
export const shortPaymentColumns: readonly Column<Payment>[] = [
  amountColumn,
  statusColumn,
  reasonColumn,
  methodColumn,
  createdColumn,
]

/** A cross for each account that was asked before, then the one that has it: "✕ → Adyen ●". */
function Path({ payment, nameOf }: { payment: Payment; nameOf: NameOf }) {
  const { provider_account_id: account, attempts_count: asked } = payment
  if (account === null) return <span className="text-ink3">–</span>
  const before = Math.max(0, asked - 1)
  const { mark, tone } = lookOf(shownStatus(payment)) ?? { mark: 'ring', tone: 'idle' }
  return (
    <span className="inline-flex items-center gap-1.5">
      {before > 0 && (
        <>
          <span aria-hidden className="text-danger" title={`${counted(before, 'account')} before`}>
            {'✕ '.repeat(Math.min(before, 3))}→
          </span>
          <span className="sr-only">{counted(before, 'account')} before, then </span>
        </>
      )}
      {nameOf(account)}
      <span className={inks[tone]}>
        <StatusMark mark={mark} />
      </span>
    </span>
  )
}

const inks = {
  clear: 'text-clear',
  caution: 'text-caution',
  danger: 'text-danger',
  lock: 'text-lock',
  gate: 'text-gate',
  idle: 'text-idle',
}
