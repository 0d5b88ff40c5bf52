/** The columns of payment tables, used by several pages. */
import type { Payment } from '@switchyard/sdk'
import { methodText } from '../../../format/card.ts'
import { statusStyle } from '../../../format/status.ts'
import { countText } from '../../../format/text.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Status, StatusMark } from '../../../ui/status.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Money, Time } from '../../../ui/values.tsx'
import { badgesOf, displayedStatus, reasonOf } from './state.ts'

type NameOf = (accountId: string) => string

export const amountColumn: Column<Payment> = {
  title: 'Amount',
  align: 'right',
  width: '132px',
  phone: true,
  cell: ({ amount, currency, id }) => (
    <ObjectLink id={id}>
      <Money amount={amount} currency={currency} showCode />
    </ObjectLink>
  ),
}

const statusColumn: Column<Payment> = {
  title: 'Status',
  width: '184px',
  phone: true,
  cell: (payment) => {
    const [badge] = badgesOf(payment)
    const refundBadge = badge?.status.includes('refund') && payment.status === 'succeeded' ? badge : null
    return refundBadge === null ? (
      <Status status={displayedStatus(payment)} />
    ) : (
      <Status status={refundBadge.status}>{refundBadge.text}</Status>
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
  cell: methodText,
}

const createdColumn: Column<Payment> = {
  title: 'Created',
  align: 'right',
  width: '120px',
  phone: true,
  cell: ({ created_at, test_clock_id }) => <Time at={created_at} clock={test_clock_id} />,
}

export function paymentColumns(nameOf: NameOf): Column<Payment>[] {
  const path: Column<Payment> = {
    title: 'Path',
    width: '170px',
    cell: (payment) => <Path payment={payment} nameOf={nameOf} />,
  }
  return [amountColumn, statusColumn, reasonColumn, customerColumn, methodColumn, path, createdColumn]
}

/** The columns without the customer and the path, for Home and the page of a customer. */
export const shortPaymentColumns: readonly Column<Payment>[] = [
  amountColumn,
  statusColumn,
  reasonColumn,
  methodColumn,
  createdColumn,
]

/** A cross for each account tried before, then the final account: "✕ → Adyen ●". */
function Path({ payment, nameOf }: { payment: Payment; nameOf: NameOf }) {
  const { provider_account_id: account, attempts_count: attempts } = payment
  if (account === null) return <span className="text-ink3">–</span>
  const earlier = Math.max(0, attempts - 1)
  const { mark, tone } = statusStyle(displayedStatus(payment)) ?? { mark: 'ring', tone: 'neutral' }
  return (
    <span className="inline-flex items-center gap-1.5">
      {earlier > 0 && (
        <>
          <span aria-hidden className="text-danger" title={`${countText(earlier, 'earlier account')}`}>
            {'✕ '.repeat(Math.min(earlier, 3))}→
          </span>
          <span className="sr-only">{countText(earlier, 'earlier account')}, then </span>
        </>
      )}
      {nameOf(account)}
      <span className={textClasses[tone]}>
        <StatusMark mark={mark} />
      </span>
    </span>
  )
}

const textClasses = {
  success: 'text-success',
  warning: 'text-warning',
  danger: 'text-danger',
  info: 'text-info',
  refund: 'text-refund',
  neutral: 'text-neutral',
}
